package io.hxb.bench.harness;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Lets contestants take turns, round after round, so that the drift of a shared machine hits all of
 * them alike. Used by one thread.
 */
public final class Contest {
    /** One measurement of one contestant. */
    @FunctionalInterface
    public interface Trial {
        /**
         * Measures once.
         *
         * @return the figures by name, the same names at every call.
         */
        Map<String, Double> run() throws Exception;
    }

    private final Map<String, Trial> trials = new LinkedHashMap<>();
    private final Set<String> failed = new HashSet<>();

    /** Adds a contestant; the first one added is the one others are compared with. */
    public Contest add(final String name, final Trial trial) {
        trials.put(name, trial);
        return this;
    }

    /**
     * Removes the contestants whose names contain none of {@code parts}; a part that begins with
     * {@code =} is followed by a whole name.
     *
     * @throws IllegalArgumentException if one of them is in nobody's name.
     */
    public Contest only(final String... parts) {
        for (final String part : parts) {
            if (trials.keySet().stream().noneMatch(name -> isMeant(name, part))) {
                throw new IllegalArgumentException(
                        "no contestant has a name with \"" + part + "\": " + trials.keySet());
            }
        }
        trials.keySet().removeIf(name -> Stream.of(parts).noneMatch(part -> isMeant(name, part)));
        return this;
    }

    private static boolean isMeant(final String name, final String part) {
        return part.startsWith("=") ? name.equals(part.substring(1)) : name.contains(part);
    }

    /**
     * Runs all rounds; every other round goes through the contestants backwards.
     *
     * @param rounds 1 or more.
     * @param progress called after each measurement.
     * @return the results; under a limit of {@link Trials}, of the contestants that were measured,
     *     with fewer rounds if there was no time for more.
     */
    public Results run(final int rounds, final Progress progress) throws Exception {
        final Map<String, Map<String, List<Double>>> seen = new LinkedHashMap<>();
        trials.keySet().forEach(name -> seen.put(name, new LinkedHashMap<>()));
        for (int round = 0; round < rounds; round++) {
            final List<String> names = new ArrayList<>(trials.keySet());
            for (final String name : round % 2 == 0 ? names : names.reversed()) {
                if (!Trials.isOver() && !failed.contains(name)) {
                    measure(round, name, seen.get(name), progress);
                }
            }
        }
        if (Trials.isLimited()) {
            seen.values().removeIf(Map::isEmpty);
        }
        final Map<String, Map<String, Series>> series = new LinkedHashMap<>();
        seen.forEach((name, figures) -> series.put(name, toSeries(figures)));
        return new Results(series);
    }

    private void measure(
            final int round,
            final String name,
            final Map<String, List<Double>> seen,
            final Progress progress)
            throws Exception {
        final Map<String, Double> figures;
        try {
            figures = trials.get(name).run();
        } catch (final InterruptedException e) {
            throw e;
        } catch (final Exception e) {
            if (!Trials.isLimited()) {
                throw e;
            }
            // It may have been unlucky, unless it has never worked.
            if (seen.isEmpty()) {
                failed.add(name);
            }
            progress.onFailure(round, name, e);
            return;
        }
        figures.forEach(
                (figure, value) ->
                        seen.computeIfAbsent(figure, key -> new ArrayList<>()).add(value));
        progress.onTrial(round, name, figures);
    }

    private static Map<String, Series> toSeries(final Map<String, List<Double>> figures) {
        final Map<String, Series> series = new LinkedHashMap<>();
        figures.forEach(
                (figure, values) ->
                        series.put(
                                figure,
                                new Series(
                                        values.stream()
                                                .mapToDouble(Double::doubleValue)
                                                .toArray())));
        return series;
    }

    /** Is called after each measurement. */
    @FunctionalInterface
    public interface Progress {
        /** One measurement is done. */
        void onTrial(int round, String name, Map<String, Double> figures);

        /** One has failed, and the others go on. */
        default void onFailure(final int round, final String name, final Exception failure) {}
    }

    /**
     * The figures of all contestants. Immutable.
     *
     * @param series by contestant, then by figure, in the order they were added.
     */
    public record Results(Map<String, Map<String, Series>> series) {
        /** The samples of one figure of one contestant. */
        public Series of(final String name, final String figure) {
            final Series found = series.getOrDefault(name, Map.of()).get(figure);
            if (found == null) {
                throw new IllegalArgumentException("nothing was measured: " + name + " " + figure);
            }
            return found;
        }

        /** The contestant's figure divided by the other's, round by round. */
        public Series ratio(final String name, final String other, final String figure) {
            return of(name, figure).dividedBy(of(other, figure));
        }
    }
}
