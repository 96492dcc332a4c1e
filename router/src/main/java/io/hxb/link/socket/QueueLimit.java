package io.hxb.link.socket;

/**
 * How much of a link's frames may wait in the kernel and the NIC: what the link sends in two
 * milliseconds, but no more than is configured. More only makes every frame wait, lone ones too,
 * and falls out of the CPU's caches. Owned by the sender's loop.
 *
 * <p>The rate is measured while frames wait. A buffer that was full and has run empty since was too
 * small, as the loop could not refill it in time, and is doubled.
 *
 * <p>Source: the idea of dynamic queue limits, linux/dynamic_queue_limits.h, and of small queues of
 * TCP, ip-sysctl.rst, tcp_limit_output_bytes.
 */
public final class QueueLimit {
    /** Bytes between two looks at the least, so that they cost nothing. */
    static final int LOOK_BYTES = 128 << 10;

    /** Two of the longest trains, as the kernel counts SO_SNDBUF twice. */
    static final int MIN_BYTES = 64 << 10;

    private static final long TARGET_NS = 2_000_000;
    private static final long MIN_WINDOW_NS = 20_000_000;
    private static final long MAX_WINDOW_NS = 1_000_000_000;

    /** Changes of less than this part of the limit are not worth a system call. */
    private static final int SMALL_PART = 8;

    private final int maxBytes;
    private int bytes;
    private long startNs;
    private long startBytes;
    private long startUnsent;
    private boolean hasStarted;
    private boolean wasBlocked;
    private boolean isKept;

    /**
     * Begins with the largest.
     *
     * @param maxBytes value of SO_SNDBUF that is configured.
     */
    public QueueLimit(final int maxBytes) {
        this.maxBytes = maxBytes;
        bytes = maxBytes;
    }

    /**
     * Value for SO_SNDBUF; the kernel lets twice as much wait, for it counts its own memory too.
     */
    int bytes() {
        return bytes;
    }

    /** The buffer was full. */
    void onBlocked() {
        wasBlocked = true;
    }

    /** The buffer cannot be changed: leaves it alone from now on. */
    void keep() {
        isKept = true;
    }

    /**
     * Looks at a link before it is given more.
     *
     * @param sentBytes that the kernel has taken, since any start.
     * @param unsentBytes of them that wait.
     * @return true if {@link #bytes} has changed.
     */
    boolean look(final long sentBytes, final long unsentBytes, final long nowNs) {
        final long elapsedNs = nowNs - startNs;
        if (isKept || (hasStarted && elapsedNs < MIN_WINDOW_NS)) {
            return false;
        }
        final boolean isMeasured = hasStarted && elapsedNs <= MAX_WINDOW_NS;
        final boolean hasRunEmpty = wasBlocked && unsentBytes == 0;
        final boolean isBusy = startUnsent > 0 && unsentBytes > 0;
        final long leftBytes = sentBytes - startBytes - (unsentBytes - startUnsent);
        hasStarted = true;
        wasBlocked = false;
        startNs = nowNs;
        startBytes = sentBytes;
        startUnsent = unsentBytes;
        if (!isMeasured) {
            return false;
        }
        if (hasRunEmpty) {
            return set(2L * bytes);
        }
        final long wantedBytes = leftBytes * TARGET_NS / elapsedNs;
        // A queue that is short enough says nothing: the link may be faster than what it is given.
        return isBusy && unsentBytes > wantedBytes && set(wantedBytes / 2);
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
