package io.hxb.time;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A {@link TokenBucket} of which any thread takes many tokens at once, and gives back what it did
 * not need. Never blocks and never allocates.
 */
public final class SharedTokenBucket {
    /** Times are counted in parts of a ns, so that high rates are exact. */
    private static final int PART_BITS = 10;

    private static final long SECOND_PARTS = 1_000_000_000L << PART_BITS;

    private final long intervalParts;
    private final long burstParts;
    // Time up to which tokens have been taken; what is longer ago than the burst is lost.
    private final AtomicLong takenParts;

    /**
     * A bucket that is empty.
     *
     * @param perSecond tokens added a second, at least 1.
     * @param burst tokens that it holds, at least 1.
     */
    public SharedTokenBucket(final long perSecond, final long burst, final long nowNs) {
        intervalParts = Math.max(1, SECOND_PARTS / perSecond);
        burstParts = intervalParts * burst;
        takenParts = new AtomicLong(nowNs << PART_BITS);
    }

    /**
     * Takes as many tokens as there are, at most {@code max}.
     *
     * @param nowNs a time that only grows.
     * @return 0 to {@code max}.
     */
    public int take(final int max, final long nowNs) {
        final long now = nowNs << PART_BITS;
        while (true) {
            final long before = takenParts.get();
            final long begin = before - (now - burstParts) < 0 ? now - burstParts : before;
            final long tokens = Math.min(max, (now - begin) / intervalParts);
            if (tokens <= 0) {
                return 0;
            }
            if (takenParts.compareAndSet(before, begin + tokens * intervalParts)) {
                return (int) tokens;
            }
        }
    }

    /** Gives tokens back that were taken. */
    public void giveBack(final int tokens) {
        if (tokens > 0) {
            takenParts.addAndGet(-tokens * intervalParts);
        }
    }

    /** Time in ns from {@code nowNs} until there is a token; not positive if there is one. */
    public long waitNs(final long nowNs) {
        return (takenParts.get() + intervalParts - (nowNs << PART_BITS)) >> PART_BITS;
    }
}
