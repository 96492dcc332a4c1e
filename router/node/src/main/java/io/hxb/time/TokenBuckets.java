package io.hxb.time;

import java.util.Arrays;

/**
 * A row of {@link TokenBucket}s in a fixed amount of memory. Owned by one thread; allocates nothing
 * after it was made.
 */
public final class TokenBuckets {
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;
    private static final int HASH_SHIFT = 16;

    private final TokenBucket[] buckets;

    /**
     * Full buckets.
     *
     * @param count number of buckets, at least 1.
     * @param burst tokens that each holds, at least 1.
     * @param intervalNs time in which one is added to each.
     */
    public TokenBuckets(final int count, final int burst, final long intervalNs) {
        buckets = new TokenBucket[count];
        Arrays.setAll(buckets, i -> new TokenBucket(burst, intervalNs));
    }

    /** Number of buckets. */
    public int count() {
        return buckets.length;
    }

    /** Takes a token of bucket {@code index}, if there is one. */
    public boolean take(final int index, final long nowNs) {
        return buckets[index].take(nowNs);
    }

    /** The same of the bucket for {@code key}, which other keys may share. */
    public boolean takeFor(final long key, final long nowNs) {
        return take(
                (int) Long.remainderUnsigned((key * MULTIPLIER) >>> HASH_SHIFT, count()), nowNs);
    }
}
