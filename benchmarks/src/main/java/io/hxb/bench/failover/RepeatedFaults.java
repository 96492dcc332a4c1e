package io.hxb.bench.failover;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The figures of a run in which links fail and come back many times: what follows each fault,
 * beside what happened in an equal time just before it, when nothing had failed. This separates the
 * cost of a fault from what the machine does by itself. Stateless.
 */
public final class RepeatedFaults {
    private RepeatedFaults() {}

    /**
     * Sums up a run in which faults and repairs follow one another.
     *
     * @param rates MB/s of each sample at the receiving application.
     * @param wires MB/s of each sample on all wires into it.
     * @param sampleS length of a sample.
     * @param events at least twice {@link FailoverRates#NEAR_S} apart.
     * @param capacity MB/s that the application gets of all links.
     * @param wireCapacity MB/s that all wires carry.
     * @return for each event {@code "fault N ..."} or {@code "repair N ..."}.
     */
    public static Map<String, Double> figures(
            final double[] rates,
            final double[] wires,
            final double sampleS,
            final List<FailoverRates.Event> events,
            final double capacity,
            final double wireCapacity) {
        final Map<String, Double> figures = new LinkedHashMap<>();
        double leftBefore = 1;
        for (int i = 0; i < events.size(); i++) {
            final FailoverRates.Event event = events.get(i);
            final boolean isRepair = event.action().startsWith("res");
            final String name = (isRepair ? "repair " : "fault ") + (i / 2 + 1);
            final double from = event.begunS();
            final double until =
                    i + 1 < events.size() ? events.get(i + 1).begunS() : rates.length * sampleS;
            final double rate =
                    FailoverRates.mean(
                            rates, sampleS, event.timeS() + FailoverRates.SETTLED_S, until);
            // Until a repaired link is used again, the others are the measure.
            final double left = Math.min(leftBefore, event.left());
            figures.put(name + " MB/s", rate);
            figures.put(name + " of left %", 100 * rate / (capacity * event.left()));
            figures.put(name + " gap ms", gapMs(rates, sampleS, from, left * capacity));
            figures.put(name + " wire gap ms", gapMs(wires, sampleS, from, left * wireCapacity));
            figures.put(name + " full ms", event.fullMs());
            final double before = from - 2 * FailoverRates.NEAR_S;
            figures.put(
                    name + " quiet gap ms", gapMs(rates, sampleS, before, leftBefore * capacity));
            figures.put(
                    name + " quiet wire gap ms",
                    gapMs(wires, sampleS, before, leftBefore * wireCapacity));
            leftBefore = event.left();
        }
        return figures;
    }

    /** The samples of {@code figure} of all faults, or of all repairs, of all rounds. */
    public static <T> List<T> all(
            final Map<String, T> figures, final String kind, final String figure) {
        final List<T> found = new ArrayList<>();
        figures.forEach(
                (name, value) -> {
                    if (name.matches(kind + " [0-9]+ " + figure)) {
                        found.add(value);
                    }
                });
        return found;
    }

    private static double gapMs(
            final double[] rates, final double sampleS, final double from, final double capacity) {
        return FailoverRates.gapMs(
                rates,
                sampleS,
                from,
                from + FailoverRates.NEAR_S,
                from + 2 * FailoverRates.NEAR_S,
                capacity);
    }
}
