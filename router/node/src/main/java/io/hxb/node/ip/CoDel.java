package io.hxb.node.ip;

/**
 * Decides which packets of one queue are marked or dropped, so that packets do not wait for long
 * all the time. Owned by one loop. Source: RFC 8289, 5.
 */
final class CoDel {
    /** Time that a packet may wait, and for how long all may wait longer. */
    static final long TARGET_NS = 5_000_000;

    static final long INTERVAL_NS = 100_000_000;

    private long firstAboveNs;
    private boolean isAbove;
    private boolean isDropping;
    private long nextNs;
    private int count;
    private int lastCount;

    /**
     * Looks at a packet that leaves the queue; one that is dropped is followed by another.
     *
     * @param waitedNs how long it has waited.
     * @param isLast true if little waits behind it.
     * @return true if it is to be marked or dropped.
     */
    boolean isDue(final long waitedNs, final long nowNs, final boolean isLast) {
        final boolean isTooLong = isTooLong(waitedNs, nowNs, isLast);
        if (!isTooLong) {
            isDropping = false;
            return false;
        }
        if (isDropping) {
            if (nowNs - nextNs < 0) {
                return false;
            }
            count++;
            nextNs += pauseNs();
            return true;
        }
        isDropping = true;
        final int recent = count - lastCount;
        count = recent > 1 && nowNs - nextNs < 16 * INTERVAL_NS ? recent : 1;
        lastCount = count;
        nextNs = nowNs + pauseNs();
        return true;
    }

    private boolean isTooLong(final long waitedNs, final long nowNs, final boolean isLast) {
        if (waitedNs < TARGET_NS || isLast) {
            isAbove = false;
            return false;
        }
        if (!isAbove) {
            isAbove = true;
            firstAboveNs = nowNs + INTERVAL_NS;
            return false;
        }
        return nowNs - firstAboveNs >= 0;
    }

    private long pauseNs() {
        return (long) (INTERVAL_NS / Math.sqrt(count));
    }
}
