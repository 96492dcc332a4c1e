package io.hxb.context;

/**
 * Limits the lines about one thing: a few at once, then one per second. Owned by one thread.
 * Source: generic cell rate algorithm, ITU-T I.371.
 */
final class LinePace {
    private static final long INTERVAL_NS = 1_000_000_000L;
    private static final int LINES_AT_ONCE = 10;

    private long nextNs;
    private long suppressed;
    private boolean isUsed;

    /** True if a line may be written now, which then counts. */
    boolean take(final long nowNs) {
        if (!isUsed || nextNs - nowNs < 0) {
            isUsed = true;
            nextNs = nowNs;
        }
        if (nextNs - nowNs > (LINES_AT_ONCE - 1) * INTERVAL_NS) {
            return false;
        }
        nextNs += INTERVAL_NS;
        return true;
    }

    /** A line is not written, now or later. */
    void suppress() {
        suppressed++;
    }

    /** True if lines were not written since {@link #takeSuppressed} was asked last. */
    boolean hasSuppressed() {
        return suppressed > 0;
    }

    /** Lines that were not written since this was asked last. */
    long takeSuppressed() {
        final long count = suppressed;
        suppressed = 0;
        return count;
    }

    /** True if it would allow as many lines as at the beginning. */
    boolean isRested(final long nowNs) {
        return suppressed == 0 && nextNs - nowNs < 0;
    }
}
