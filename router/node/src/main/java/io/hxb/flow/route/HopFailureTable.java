package io.hxb.flow.route;

import io.hxb.routing.PathSearch;

import java.util.Arrays;

/**
 * Hops between other nodes that are known not to work, or are suspected of it. Owned by one loop.
 * It holds 256 hops at most; beyond that, one that is due to be tried again is forgotten first.
 *
 * <p>The word of a relay proves a hop broken. Silence on a route proves nothing about any one hop,
 * so it raises the cost of all of its hops. Both hold until a time after which a few frames may try
 * the hop, and end with the first that arrives.
 */
final class HopFailureTable {
    /** Cost of a hop of which nothing bad is known. */
    static final int COST = 16;

    private static final int SUSPECT_COST = 64;
    private static final int MAX_STRIKES = 8;
    private static final int SLOTS = 256;
    private static final int REACH = 16;
    private static final long FREE = -1;
    private static final long FIRST_BROKEN_NS = 20_000_000;
    private static final long FIRST_SUSPECT_NS = 100_000_000;

    private final long[] keys = new long[SLOTS];
    private final long[] untilNs = new long[SLOTS];
    private final long[] backOffNs = new long[SLOTS];
    private final long[] learnedNs = new long[SLOTS];
    private final int[] strikes = new int[SLOTS];
    private final boolean[] isBroken = new boolean[SLOTS];
    private final long retryNs;
    private int count;
    private int version;

    HopFailureTable(final long retryNs) {
        this.retryNs = retryNs;
        Arrays.fill(keys, FREE);
    }

    /** Hops in the book. */
    int count() {
        return count;
    }

    /** Grows when what is known changes, except by the passing of time. */
    int version() {
        return version;
    }

    /** A relay reports that the hop from node {@code from} to node {@code to} is not there. */
    void onBroken(final int from, final int to, final long nowNs) {
        final int slot = obtain(key(from, to), nowNs);
        learnedNs[slot] = nowNs;
        if (!isBroken[slot]) {
            isBroken[slot] = true;
            backOffNs[slot] = Math.min(FIRST_BROKEN_NS, retryNs);
            untilNs[slot] = nowNs + backOffNs[slot];
            version++;
        } else if (untilNs[slot] - nowNs <= 0) {
            postpone(slot, nowNs);
        }
    }

    /** Frames that should have crossed the hop did not arrive. */
    void onSilent(final int from, final int to, final long nowNs) {
        final int slot = obtain(key(from, to), nowNs);
        learnedNs[slot] = nowNs;
        if (isBroken[slot]) {
            postpone(slot, nowNs);
            return;
        }
        if (strikes[slot] == 0) {
            backOffNs[slot] = Math.min(FIRST_SUSPECT_NS, retryNs);
            untilNs[slot] = nowNs + backOffNs[slot];
        } else {
            postpone(slot, nowNs);
        }
        strikes[slot] = Math.min(MAX_STRIKES, strikes[slot] + 1);
        version++;
    }

    /** A frame goes out to see if the hop works again: the next one has to wait. */
    void onTried(final int from, final int to, final long nowNs) {
        final int slot = find(key(from, to));
        if (slot >= 0 && untilNs[slot] - nowNs <= 0) {
            postpone(slot, nowNs);
        }
    }

    /**
     * A frame sent at {@code sentNs} has crossed the hop, which lifts what was known before that.
     *
     * @return true if something bad was known.
     */
    boolean onCrossed(final int from, final int to, final long sentNs) {
        final int slot = find(key(from, to));
        if (slot < 0 || sentNs - learnedNs[slot] <= 0) {
            return false;
        }
        remove(slot);
        return true;
    }

    /** True if something bad is known of the hop. */
    boolean has(final int from, final int to) {
        return find(key(from, to)) >= 0;
    }

    /**
     * Cost of the hop.
     *
     * @param isTrial counts hops as sound that may be tried again.
     */
    int cost(final int from, final int to, final boolean isTrial, final long nowNs) {
        final int slot = count == 0 ? -1 : find(key(from, to));
        if (slot < 0 || (isTrial && untilNs[slot] - nowNs <= 0)) {
            return COST;
        }
        return isBroken[slot] ? PathSearch.HopCosts.CLOSED : COST + strikes[slot] * SUSPECT_COST;
    }

    /** Forgets hops that nobody has tried for {@code ageNs} since they could be tried. */
    void forget(final long nowNs, final long ageNs) {
        for (int slot = 0; slot < SLOTS; slot++) {
            if (keys[slot] != FREE && nowNs - untilNs[slot] > ageNs) {
                remove(slot);
            }
        }
    }

    private void postpone(final int slot, final long nowNs) {
        backOffNs[slot] = Math.min(retryNs, 2 * backOffNs[slot]);
        untilNs[slot] = nowNs + backOffNs[slot];
    }

    private static long key(final int from, final int to) {
        return (long) from << 32 | to;
    }

    private static int home(final long key) {
        return (int) ((key * 0x9E37_79B9_7F4A_7C15L) >>> 56);
    }

    private int find(final long key) {
        final int home = home(key);
        for (int i = 0; i < REACH; i++) {
            final int slot = (home + i) % SLOTS;
            if (keys[slot] == key) {
                return slot;
            }
        }
        return -1;
    }

    private int obtain(final long key, final long nowNs) {
        final int known = find(key);
        if (known >= 0) {
            return known;
        }
        final int home = home(key);
        int chosen = home;
        for (int i = 0; i < REACH; i++) {
            final int slot = (home + i) % SLOTS;
            if (keys[slot] == FREE) {
                chosen = slot;
                break;
            }
            chosen = untilNs[slot] - untilNs[chosen] < 0 ? slot : chosen;
        }
        if (keys[chosen] != FREE) {
            remove(chosen);
        }
        keys[chosen] = key;
        isBroken[chosen] = false;
        strikes[chosen] = 0;
        untilNs[chosen] = nowNs;
        count++;
        return chosen;
    }

    private void remove(final int slot) {
        keys[slot] = FREE;
        count--;
        version++;
    }
}
