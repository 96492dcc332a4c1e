package io.hxb.time;

import java.util.Arrays;

/**
 * A row of {@link TokenBucket}s in a fixed amount of memory. Owned by one thread; allocates nothing
 * after it was made.
 */
public final class TokenBuckets {
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;
    private static final int HASH_SHIFT = 16;

    private final long intervalNs;
    private final long burstNs;
    // When each is full.
    private final long[] fullNs;
    private boolean isUsed;

    /**
     * Full buckets.
     *
     * @param count number of buckets, at least 1.
     * @param burst tokens that each holds, at least 1.
     * @param intervalNs time in which one is added to each.
     */
    public TokenBuckets(final int count, final int burst, final long intervalNs) {
        this.intervalNs = intervalNs;
        burstNs = burst * intervalNs;
        fullNs = new long[count];
    }

    /** Number of buckets. */
    public int count() {
        return fullNs.length;
    }

    /** Takes a token of bucket {@code index}, if there is one. */
    public boolean take(final int index, final long nowNs) {
        if (!isUsed) {
            isUsed = true;
            Arrays.fill(fullNs, nowNs);
        }
        final long fromNs = fullNs[index] - nowNs > 0 ? fullNs[index] : nowNs;
        if (fromNs - nowNs > burstNs - intervalNs) {
            return false;
        }
        fullNs[index] = fromNs + intervalNs;
        return true;
    }

    /** The same of the bucket for {@code key}, which other keys may share. */
    public boolean takeFor(final long key, final long nowNs) {
        return take(
                (int) Long.remainderUnsigned((key * MULTIPLIER) >>> HASH_SHIFT, count()), nowNs);
    }
}
