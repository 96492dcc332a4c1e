package io.hxb.forward;

/**
 * Limits the answers saying that frames cannot be relayed: each source gets at most one per
 * millisecond, whatever others get. Owned by one loop.
 */
final class UnreachablePace {
    private static final long INTERVAL_NS = 1_000_000;
    private static final int MAX_SLOTS = 4_096;

    private final long[] dueNs;
    private final boolean[] isSet;

    /** Makes the pace of the sources of a cluster; those that are equal modulo 4,096 share one. */
    UnreachablePace(final int nodeCount) {
        dueNs = new long[Math.min(nodeCount, MAX_SLOTS)];
        isSet = new boolean[dueNs.length];
    }

    /** True if {@code node} may be answered now; the answer is counted. */
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
