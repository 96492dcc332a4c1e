package io.hxb.bench.failover;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The figures of one run, from its samples and what was found in them. Stateless. */
public final class FailoverRates {
    /** This long after a fault its gap is over, or it no longer counts as a gap. */
    static final double SETTLED_S = 0.3;

    /** A gap begins within this time of its fault. */
    static final double NEAR_S = 0.5;

    private static final double FULL = 0.9;

    private FailoverRates() {}

    /**
     * What is known of one fault. Immutable.
     *
     * @param begunS when it was begun; gaps count from here.
     * @param timeS when it had happened.
     * @param action what.
     * @param left share of the way that is left, 0 if unknown.
     * @param gapMs longest run of samples below 90 % of that; NaN if unknown.
     * @param fullMs until full rate; NaN if it did not come.
     */
    public record Event(
            double begunS, double timeS, String action, double left, double gapMs, double fullMs) {
        /** Reads the list of faults of a run's file. */
        public static List<Event> of(final JsonNode faults) {
            final List<Event> events = new ArrayList<>();
            for (final JsonNode fault : faults) {
                events.add(
                        new Event(
                                fault.get("begun").asDouble(),
                                fault.get("time").asDouble(),
                                fault.get("action").asString(),
                                fault.path("left").asDouble(0),
                                fault.path("gap_ms").asDouble(Double.NaN),
                                fault.path("full_ms").asDouble(Double.NaN)));
            }
            return events;
        }
    }

    /**
     * Sums up a run. Links that are restored at once count as one event.
     *
     * @param rates MB/s of each sample.
     * @param sampleS length of a sample.
     * @param capacity MB/s that all links carry.
     */
    public static Map<String, Double> figures(
            final double[] rates,
            final double sampleS,
            final List<Event> events,
            final double quietGapMs,
            final double capacity) {
        final Map<String, Double> figures = new LinkedHashMap<>();
        final double quiet = mean(rates, sampleS, 0, events.getFirst().begunS());
        figures.put("quiet MB/s", quiet);
        figures.put("quiet share %", 100 * quiet / capacity);
        figures.put("quiet gap ms", quietGapMs);
        int failed = 0;
        for (int i = 0; i < events.size(); i++) {
            final Event event = events.get(i);
            final double until =
                    i + 1 < events.size() ? events.get(i + 1).begunS() : rates.length * sampleS;
            final boolean isRepair = event.action().startsWith("res");
            if (isRepair && i + 1 < events.size()) {
                continue;
            }
            final String name =
                    isRepair ? "repaired" : String.format(Locale.ROOT, "fault %d", ++failed);
            final double rate = mean(rates, sampleS, event.timeS() + SETTLED_S, until);
            figures.put(name + " MB/s", rate);
            figures.put(name + " of left %", 100 * rate / (capacity * event.left()));
            figures.put(name + " to quiet", rate / (quiet * event.left()));
            figures.put(name + " gap ms", event.gapMs());
            figures.put(name + " full ms", event.fullMs());
        }
        return figures;
    }

    /**
     * Gaps on the wires themselves, which receivers that wait for a CPU do not widen: the longest
     * run of samples in which all wires together carried less than 90 % of what the remaining ones
     * can.
     *
     * @param rates MB/s of all wires into the receiver, frames whole and sent again or not.
     * @param sampleS length of a sample.
     * @param capacity MB/s that all of them carry.
     * @return {@code "quiet wire gap ms"} before the first event, {@code "fault N wire gap ms"} and
     *     {@code "repaired wire gap ms"}.
     */
    public static Map<String, Double> wireGaps(
            final double[] rates,
            final double sampleS,
            final List<Event> events,
            final double capacity) {
        final Map<String, Double> gaps = new LinkedHashMap<>();
        final double start = events.getFirst().begunS();
        gaps.put("quiet wire gap ms", gapMs(rates, sampleS, 0, start, start, capacity));
        int failed = 0;
        for (int i = 0; i < events.size(); i++) {
            final Event event = events.get(i);
            final boolean isLast = i + 1 == events.size();
            final boolean isRepair = event.action().startsWith("res");
            if (isRepair && !isLast) {
                continue;
            }
            final double until = isLast ? rates.length * sampleS : events.get(i + 1).begunS();
            gaps.put(
                    isRepair
                            ? "repaired wire gap ms"
                            : String.format(Locale.ROOT, "fault %d wire gap ms", ++failed),
                    gapMs(
                            rates,
                            sampleS,
                            event.begunS(),
                            Math.min(until, event.begunS() + NEAR_S),
                            until,
                            // Until a repaired link is used again, the others are the measure.
                            capacity * (isRepair ? events.get(i - 1).left() : event.left())));
        }
        return gaps;
    }

    // The longest run of low samples that begins from `from` to `latest` and ends by `until`.
    static double gapMs(
            final double[] rates,
            final double sampleS,
            final double from,
            final double latest,
            final double until,
            final double capacity) {
        final int last = Math.min(rates.length, (int) (until / sampleS));
        int longest = 0;
        int run = 0;
        for (int i = (int) Math.ceil(from / sampleS); i < last; i++) {
            run = rates[i] < FULL * capacity ? run + 1 : 0;
            if (run > longest && (i + 1 - run) * sampleS <= latest) {
                longest = run;
            }
        }
        return longest * sampleS * 1e3;
    }

    static double mean(
            final double[] rates, final double sampleS, final double from, final double until) {
        final int first = (int) Math.ceil(from / sampleS);
        final int last = Math.min(rates.length, (int) (until / sampleS));
        double sum = 0;
        for (int i = first; i < last; i++) {
            sum += rates[i];
        }
        return last > first ? sum / (last - first) : 0;
    }
}
