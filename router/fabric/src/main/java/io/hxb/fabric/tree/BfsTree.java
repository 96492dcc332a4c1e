package io.hxb.fabric.tree;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;

/**
 * A breadth-first spanning tree: the parent of a switch is the first to discover it, neighbours are
 * visited in ascending order. Immutable.
 */
public final class BfsTree {
    private final int[] depths;
    private final int[] parents;
    private final int[] order;

    /**
     * Builds the tree.
     *
     * @param root a switch.
     * @throws GraphException if there is no such switch.
     */
    public BfsTree(final SwitchGraph graph, final int root) {
        if (root < 0 || root >= graph.switchCount()) {
            throw new GraphException(
                    "the root must be a switch 0.." + (graph.switchCount() - 1) + ": " + root);
        }
        this.depths = new int[graph.switchCount()];
        this.parents = new int[graph.switchCount()];
        this.order = new int[graph.switchCount()];
        Arrays.fill(depths, -1);
        Arrays.fill(parents, -1);
        depths[root] = 0;
        order[0] = root;
        int found = 1;
        for (int i = 0; i < found; i++) {
            for (int j = 0; j < graph.degree(order[i]); j++) {
                final int next = graph.target(graph.outgoing(order[i], j));
                if (depths[next] < 0) {
                    depths[next] = depths[order[i]] + 1;
                    parents[next] = order[i];
                    order[found++] = next;
                }
            }
        }
    }

    /** Links from the root. */
    public int depth(final int node) {
        return depths[node];
    }

    /** The parent, -1 for the root. */
    public int parent(final int node) {
        return parents[node];
    }

    /** The largest depth. */
    public int height() {
        return depths[order[order.length - 1]];
    }

    /** Position of each switch in a preorder walk, children ascending, {@code [switches]}. */
    public int[] preorder() {
        final int switches = depths.length;
        // In reverse of the breadth-first order, subtrees are complete before they are added up.
        final int[] sizes = new int[switches];
        for (int i = switches - 1; i >= 0; i--) {
            sizes[order[i]]++;
            if (i > 0) {
                sizes[parents[order[i]]] += sizes[order[i]];
            }
        }
        final int[] positions = new int[switches];
        final int[] nextFree = new int[switches];
        nextFree[order[0]] = 1;
        // Children of one parent come in ascending order only among themselves.
        final int[][] children = children();
        for (final int node : order) {
            for (final int child : children[node]) {
                positions[child] = nextFree[node];
                nextFree[child] = nextFree[node] + 1;
                nextFree[node] += sizes[child];
            }
        }
        return positions;
    }

    private int[][] children() {
        final int[] counts = new int[depths.length];
        for (final int parent : parents) {
            if (parent >= 0) {
                counts[parent]++;
            }
        }
        final int[][] children = new int[depths.length][];
        Arrays.setAll(children, node -> new int[counts[node]]);
        for (int node = depths.length - 1; node >= 0; node--) {
            if (parents[node] >= 0) {
                counts[parents[node]]--;
                children[parents[node]][counts[parents[node]]] = node;
            }
        }
        return children;
    }
}
