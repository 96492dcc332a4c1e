package io.hxb.fabric.vlan.tree;

/** Parts of a graph that grow together link by link. Owned by one thread. */
final class DisjointSets {
    private final int[] parents;

    /** Starts with {@code count} parts of one member each. */
    DisjointSets(final int count) {
        parents = new int[count];
        for (int i = 0; i < count; i++) {
            parents[i] = i;
        }
    }

    private int root(final int member) {
        int at = member;
        while (parents[at] != at) {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        return at;
    }

    /** Whether both are in one part. */
    boolean isJoined(final int a, final int b) {
        return root(a) == root(b);
    }

    /** Joins two parts; false when they are one already, so that a link would close a loop. */
    boolean join(final int a, final int b) {
        final int rootA = root(a);
        final int rootB = root(b);
        parents[rootA] = rootB;
        return rootA != rootB;
    }
}
