package io.hxb.counter;

/**
 * The buckets of histograms of times: up to 1 us, 2 us, 4 us and so on to 2^20 us, and whatever
 * takes longer. Stateless.
 */
public final class TimeBuckets {
    /** Buckets, the last without an upper end. */
    public static final int COUNT = 22;

    private static final long FIRST_NS = 1_000;

    private TimeBuckets() {}

    /** The bucket of a time, 0 to {@link #COUNT} - 1; what is below 0 is in the first. */
    public static int of(final long timeNs) {
        final long units = Math.max(0, timeNs - 1) / FIRST_NS;
        return Math.min(COUNT - 1, Long.SIZE - Long.numberOfLeadingZeros(units));
    }

    /** Longest time of a bucket in ns; Long.MAX_VALUE for the last. */
    public static long maxNs(final int bucket) {
        return bucket == COUNT - 1 ? Long.MAX_VALUE : FIRST_NS << bucket;
    }

    /** The same in seconds, as Prometheus has it in the label {@code le}. */
    public static double maxSeconds(final int bucket) {
        return bucket == COUNT - 1 ? Double.POSITIVE_INFINITY : maxNs(bucket) / 1e9;
    }
}
