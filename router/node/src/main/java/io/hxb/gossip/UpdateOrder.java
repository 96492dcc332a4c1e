package io.hxb.gossip;

import java.util.Arrays;

/**
 * Nodes in the order in which there was last something new of them. Each is in it once, so that
 * what is behind a place is never more than all nodes, however long nobody asks. Guarded by the
 * lock of {@link Gossip}.
 */
final class UpdateOrder {
    private final int end;
    private final int[] next;
    private final int[] previous;
    private final long[] stamps;
    private final byte[] from;
    private long last;

    UpdateOrder(final int nodes) {
        end = nodes;
        next = new int[nodes + 1];
        previous = new int[nodes + 1];
        stamps = new long[nodes + 1];
        from = new byte[nodes];
        Arrays.setAll(next, i -> i);
        Arrays.setAll(previous, i -> i);
    }

    /**
     * There is something new of a node.
     *
     * @param dimension in which it came; -1 if it came from nobody.
     */
    void add(final int node, final int dimension) {
        next[previous[node]] = next[node];
        previous[next[node]] = previous[node];
        previous[node] = previous[end];
        next[node] = end;
        next[previous[end]] = node;
        previous[end] = node;
        last++;
        stamps[node] = last;
        from[node] = (byte) dimension;
    }

    /** Stamp of the newest entry, which only grows; 0 if there is none. */
    long last() {
        return last;
    }

    /** Stamp of a node. */
    long stamp(final int node) {
        return stamps[node];
    }

    /** The dimension in which the news of a node came; -1 for none. */
    int from(final int node) {
        return from[node];
    }

    /** The first node with a larger stamp than {@code stamp}; -1 if there is none. */
    int firstAfter(final long stamp) {
        int node = end;
        while (previous[node] != end && stamps[previous[node]] > stamp) {
            node = previous[node];
        }
        return node == end ? -1 : node;
    }

    /** The node after another one; -1 if there is none. */
    int after(final int node) {
        return next[node] == end ? -1 : next[node];
    }
}
