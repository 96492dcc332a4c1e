package io.hxb.flow;

import java.util.Arrays;

/**
 * Spaces the answers that a frame has no receiver: so many to each node at once, and so many a
 * second. Whoever forges a source makes this node answer no faster than that. Owned by one loop.
 */
final class AnswerPace {
    /** Answers to one node that may come at once. */
    static final int BURST = 64;

    /** Time between two more. */
    static final long INTERVAL_NS = 1_000_000;

    private static final int SLOT_BITS = 10;
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    // By node, and those that share a place: when the answers so far are used up.
    private final long[] usedUpNs = new long[1 << SLOT_BITS];
    private boolean hasStarted;

    /** Nothing has been answered yet. */
    AnswerPace() {}

    /**
     * True if a node may be answered now, which is taken as done.
     *
     * @param node its coordinate vector.
     */
    boolean take(final long node, final long nowNs) {
        if (!hasStarted) {
            hasStarted = true;
            Arrays.fill(usedUpNs, nowNs);
        }
        final int slot = (int) ((node * MULTIPLIER) >>> (Long.SIZE - SLOT_BITS));
        final long fromNs = usedUpNs[slot] - nowNs > 0 ? usedUpNs[slot] : nowNs;
        if (fromNs - nowNs >= BURST * INTERVAL_NS) {
            return false;
        }
        usedUpNs[slot] = fromNs + INTERVAL_NS;
        return true;
    }
}
