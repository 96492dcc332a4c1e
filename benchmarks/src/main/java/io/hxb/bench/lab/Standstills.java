package io.hxb.bench.lab;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** For how long a receiving program got nothing, from the bytes of short samples. Stateless. */
final class Standstills {
    /** The longest one before the first event, when nothing had failed. */
    static final String QUIET = "quiet standstill ms";

    /** Those after the link was pulled are named so, with their number between. */
    static final String PULLED = "pulled";

    /** Those after it was back. */
    static final String BACK = "back";

    private Standstills() {}

    /**
     * A change of a link.
     *
     * @param name {@link #PULLED} or {@link #BACK}, and its number.
     * @param atMs when it was begun, since the first sample.
     */
    record Event(String name, double atMs) {}

    /**
     * The longest run of empty samples that begins in a time, up to its end, which may be later.
     *
     * @param sampleMs length of a sample.
     * @return in ms; within one sample less, or two more, than it was.
     */
    static double longestMs(
            final long[] samples, final int sampleMs, final double fromMs, final double untilMs) {
        int longest = 0;
        int run = 0;
        for (int i = 0; i < samples.length; i++) {
            run = samples[i] == 0 ? run + 1 : 0;
            final double begunMs = (i + 1 - run) * (double) sampleMs;
            if (run > longest && begunMs >= fromMs && begunMs < untilMs) {
                longest = run;
            }
        }
        return longest * (double) sampleMs;
    }

    /**
     * One figure for each event, and {@link #QUIET}.
     *
     * @param events in the order of their times; at least one.
     */
    static Map<String, Double> figures(
            final long[] samples, final int sampleMs, final List<Event> events) {
        final Map<String, Double> figures = new LinkedHashMap<>();
        figures.put(QUIET, longestMs(samples, sampleMs, 0, events.getFirst().atMs));
        for (int i = 0; i < events.size(); i++) {
            final double untilMs =
                    i + 1 < events.size()
                            ? events.get(i + 1).atMs
                            : samples.length * (double) sampleMs;
            figures.put(
                    events.get(i).name + " ms",
                    longestMs(samples, sampleMs, events.get(i).atMs, untilMs));
        }
        return figures;
    }

    /** All figures of one kind of event. */
    static <T> List<T> all(final Map<String, T> figures, final String kind) {
        return figures.entrySet().stream()
                .filter(figure -> figure.getKey().matches(kind + " [0-9]+ ms"))
                .map(Map.Entry::getValue)
                .toList();
    }
}
