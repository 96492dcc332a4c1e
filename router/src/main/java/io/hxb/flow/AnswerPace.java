package io.hxb.flow;

import java.util.Arrays;

/**
 * Limits the answers saying that a frame has no receiver: a burst to each node, then a number per
 * second. Whoever forges a source cannot make this node answer faster. Owned by one loop.
 */
final class AnswerPace {
    /** Answers to one node that may be sent in a burst. */
    static final int BURST = 64;

    /** Time between two answers after that. */
    static final long INTERVAL_NS = 1_000_000;

    private static final int SLOT_BITS = 10;
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    // When the answers so far are used up, by node; several nodes may share an element.
    private final long[] usedUpNs = new long[1 << SLOT_BITS];
    private boolean hasStarted;

    /** Nothing has been answered yet. */
    AnswerPace() {}

    /**
     * True if a node may be answered now; the answer is counted.
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
