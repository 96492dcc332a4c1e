package io.hxb.tool.trace;

import io.hxb.tool.measure.RoundTripHistogram;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Times of one kind, as the report has them. Owned by one thread. */
final class Times {
    private static final int DIGITS = 3;

    /** Of no time. */
    private static final long NONE = -1;

    private static final double NS_A_US = 1e3;

    private final RoundTripHistogram times = new RoundTripHistogram(DIGITS);

    /** Adds a time; clocks of the loops may make a very short one negative. */
    void add(final long timeNs) {
        times.record(Math.max(0, timeNs));
    }

    long count() {
        return times.count();
    }

    /** The median in ns. */
    long median() {
        return count() == 0 ? NONE : times.percentileNs(50);
    }

    /** The longest, in ns. */
    long max() {
        return count() == 0 ? NONE : times.maxNs();
    }

    /** For people, in us. */
    static String us(final long timeNs) {
        return timeNs == NONE ? "-" : String.format(Locale.ROOT, "%.1f", timeNs / NS_A_US);
    }

    /** For programs: min, median and max in us; empty if there are none. */
    Map<String, Object> report() {
        final Map<String, Object> report = new LinkedHashMap<>();
        if (count() > 0) {
            report.put("min", times.minNs() / NS_A_US);
            report.put("median", median() / NS_A_US);
            report.put("max", max() / NS_A_US);
        }
        return report;
    }
}
