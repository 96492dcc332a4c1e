package io.hxb.vlan;

import java.util.Arrays;

/**
 * Numbers of all hosts, one each, in few bits: as what they are above the least of them, or above a
 * count of the hosts, or as places among the values that there are. Immutable.
 */
final class TableColumn {
    private static final int MAX_DISTINCT = 256;

    private final Numbers numbers;
    private final long[] distinct;
    private final long base;
    private final int slope;

    private TableColumn(
            final Numbers numbers, final long[] distinct, final long base, final int slope) {
        this.numbers = numbers;
        this.distinct = distinct;
        this.base = base;
        this.slope = slope;
    }

    /** The column of these values, all of them from 0 to 2^62. */
    static TableColumn of(final long[] values) {
        final long level = span(values, 0);
        final long rising = span(values, 1);
        final long[] distinct = Arrays.stream(values).distinct().sorted().toArray();
        if (Math.min(level, rising) >= distinct.length && distinct.length <= MAX_DISTINCT) {
            final Numbers places = new Numbers(values.length, distinct.length - 1L);
            for (int i = 0; i < values.length; i++) {
                places.set(i, Arrays.binarySearch(distinct, values[i]));
            }
            return new TableColumn(places, distinct, 0, 0);
        }
        final int slope = rising < level ? 1 : 0;
        final long base = min(values, slope);
        final Numbers above = new Numbers(values.length, Math.min(level, rising));
        for (int i = 0; i < values.length; i++) {
            above.set(i, values[i] - (long) slope * i - base);
        }
        return new TableColumn(above, null, base, slope);
    }

    private static long min(final long[] values, final int slope) {
        long least = values.length == 0 ? 0 : values[0];
        for (int i = 0; i < values.length; i++) {
            least = Math.min(least, values[i] - (long) slope * i);
        }
        return least;
    }

    private static long span(final long[] values, final int slope) {
        final long least = min(values, slope);
        long span = 0;
        for (int i = 0; i < values.length; i++) {
            span = Math.max(span, values[i] - (long) slope * i - least);
        }
        return span;
    }

    long get(final int host) {
        final long number = numbers.get(host);
        return distinct == null ? base + (long) slope * host + number : distinct[(int) number];
    }
}
