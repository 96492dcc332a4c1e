package io.hxb.time;

/**
 * Limits how often something happens: a burst at first and after a pause, then once an interval.
 * Owned by one thread. Source: generic cell rate algorithm, ITU-T I.371.
 */
public final class TokenBucket {
    private final long intervalNs;
    private final long burstNs;
    private boolean isUsed;
    // When the bucket is full.
    private long fullNs;

    /**
     * A full bucket.
     *
     * @param burst tokens that it holds, at least 1.
     * @param intervalNs time in which one is added.
     */
    public TokenBucket(final int burst, final long intervalNs) {
        this.intervalNs = intervalNs;
        burstNs = burst * intervalNs;
    }

    /** Takes a token, if there is one. */
    public boolean take(final long nowNs) {
        if (!has(nowNs, 1)) {
            return false;
        }
        fullNs = (isFull(nowNs) ? nowNs : fullNs) + intervalNs;
        isUsed = true;
        return true;
    }

    /** True if there are {@code tokens}, of at most as many as it holds. */
    public boolean has(final long nowNs, final int tokens) {
        return isFull(nowNs) || fullNs - nowNs <= burstNs - tokens * intervalNs;
    }

    /** True if there are as many tokens as at first. */
    public boolean isFull(final long nowNs) {
        return !isUsed || fullNs - nowNs <= 0;
    }

    /** Takes all tokens. */
    public void drain(final long nowNs) {
        isUsed = true;
        fullNs = nowNs + burstNs;
    }
}
