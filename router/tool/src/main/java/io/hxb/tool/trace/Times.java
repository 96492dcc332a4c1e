package io.hxb.tool.trace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Times of one kind. Owned by one thread. */
final class Times {
    /** Of no time. */
    private static final long NONE = -1;

    private static final double NS_A_US = 1e3;

    private final List<Long> timesNs = new ArrayList<>();

    void add(final long timeNs) {
        timesNs.add(timeNs);
    }

    int count() {
        return timesNs.size();
    }

    /** The median in ns; of an even number of times the longer of the two in the middle. */
    long median() {
        final List<Long> sorted = timesNs.stream().sorted().toList();
        return sorted.isEmpty() ? NONE : sorted.get(sorted.size() / 2);
    }

    /** The longest, in ns. */
    long max() {
        return timesNs.isEmpty() ? NONE : Collections.max(timesNs);
    }

    /** For people, in us. */
    static String us(final long timeNs) {
        return timeNs == NONE ? "-" : String.format(Locale.ROOT, "%.1f", timeNs / NS_A_US);
    }

    /** For programs: min, median and max in us; empty if there are none. */
    Map<String, Object> report() {
        final Map<String, Object> report = new LinkedHashMap<>();
        if (!timesNs.isEmpty()) {
            report.put("min", Collections.min(timesNs) / NS_A_US);
            report.put("median", median() / NS_A_US);
            report.put("max", max() / NS_A_US);
        }
        return report;
    }
}
