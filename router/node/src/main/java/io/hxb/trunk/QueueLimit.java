package io.hxb.trunk;

/**
 * How much may wait in the kernel and the NIC of each link of a trunk: what the fastest of them
 * sends in two milliseconds, but no more than is configured. More only makes every frame wait, lone
 * ones too, and falls out of the CPU's caches. Owned by the trunk's loop.
 *
 * <p>All links have the same limit: while the loop is away each goes on with what waits there, and
 * one with less than the others would look silent beside them. Rates are measured while frames
 * wait. A link that was full and has run empty since had too little, as the loop could not refill
 * it in time: the limit is doubled.
 *
 * <p>Source: the idea of dynamic queue limits, linux/dynamic_queue_limits.h, and of small queues of
 * TCP, ip-sysctl.rst, tcp_limit_output_bytes.
 */
final class QueueLimit {
    /** Two of the longest trains. */
    static final int MIN_BYTES = 128 << 10;

    private static final long TARGET_NS = 2_000_000;
    private static final long MIN_WINDOW_NS = 20_000_000;
    private static final long MAX_WINDOW_NS = 1_000_000_000;

    /** Changes of less than this part of the limit are not worth system calls. */
    private static final int SMALL_PART = 8;

    private final int maxBytes;
    private final long[] startSent;
    private final long[] startUnsent;
    private int bytes;
    private long startNs;
    private boolean hasStarted;

    /** What the links have shown in this look. */
    private long mostLeftBytes;

    private long mostUnsentBytes;
    private boolean hasRunEmpty;

    /**
     * Begins with the largest.
     *
     * @param links of the trunk.
     * @param maxBytes that may wait at each.
     */
    QueueLimit(final int links, final int maxBytes) {
        this.maxBytes = maxBytes;
        bytes = maxBytes;
        startSent = new long[links];
        startUnsent = new long[links];
    }

    /** Bytes that may wait at each link, the kernel's overhead included. */
    int bytes() {
        return bytes;
    }

    /** True if it is time for a look at all links, which ends with {@link #end}. */
    boolean begin(final long nowNs) {
        mostLeftBytes = 0;
        mostUnsentBytes = 0;
        hasRunEmpty = false;
        return !hasStarted || nowNs - startNs >= MIN_WINDOW_NS;
    }

    /**
     * Looks at one link that is used.
     *
     * @param sentBytes that the kernel has taken, since any start.
     * @param unsentBytes of them that wait.
     * @param isBlocked true if it was full when it was given frames last.
     */
    void look(
            final int link, final long sentBytes, final long unsentBytes, final boolean isBlocked) {
        if (startUnsent[link] > 0 && unsentBytes > 0) {
            final long unsentMore = unsentBytes - startUnsent[link];
            mostLeftBytes = Math.max(mostLeftBytes, sentBytes - startSent[link] - unsentMore);
            mostUnsentBytes = Math.max(mostUnsentBytes, unsentBytes);
        }
        hasRunEmpty |= isBlocked && unsentBytes == 0;
        startSent[link] = sentBytes;
        startUnsent[link] = unsentBytes;
    }

    /** Ends a look; true if {@link #bytes} has changed. */
    boolean end(final long nowNs) {
        final long elapsedNs = nowNs - startNs;
        final boolean isMeasured = hasStarted && elapsedNs <= MAX_WINDOW_NS;
        hasStarted = true;
        startNs = nowNs;
        if (!isMeasured) {
            return false;
        }
        if (hasRunEmpty) {
            return set(2L * bytes);
        }
        // A queue that is short enough shows nothing: the link may be faster than what it is given.
        final long wantedBytes = mostLeftBytes * TARGET_NS / elapsedNs;
        return mostUnsentBytes > wantedBytes && set(wantedBytes);
    }

    private boolean set(final long wantedBytes) {
        final int least = Math.min(MIN_BYTES, maxBytes);
        final int wanted = (int) Math.max(least, Math.min(wantedBytes, maxBytes));
        if (Math.abs(wanted - bytes) < Math.max(1, bytes / SMALL_PART)) {
            return false;
        }
        bytes = wanted;
        return true;
    }
}
