package io.hxb.forward;

/**
 * Spaces the answers that frames cannot be relayed: each source gets at most one a millisecond,
 * whatever others get. Owned by one loop.
 */
final class UnreachablePace {
    private static final long INTERVAL_NS = 1_000_000;
    private static final int MAX_SLOTS = 4_096;

    private final long[] dueNs;
    private final boolean[] isSet;

    /** Makes the pace of the sources of a cluster; those alike modulo 4,096 share theirs. */
    UnreachablePace(final int nodeCount) {
        dueNs = new long[Math.min(nodeCount, MAX_SLOTS)];
        isSet = new boolean[dueNs.length];
    }

    /** True if {@code node} may be answered now, which is taken as done. */
    boolean isDue(final int node, final long nowNs) {
        final int slot = node % dueNs.length;
        if (isSet[slot] && nowNs - dueNs[slot] < 0) {
            return false;
        }
        isSet[slot] = true;
        dueNs[slot] = nowNs + INTERVAL_NS;
        return true;
    }
}
