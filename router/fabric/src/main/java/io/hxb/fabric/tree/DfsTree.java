package io.hxb.fabric.tree;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.HeapCheck;
import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;

/**
 * Sancho's depth-first spanning tree. The next switch is the neighbour with the most links to
 * switches in the tree (heuristic H2), among equals the one with the largest average distance to
 * the switches not yet in it (H1), then the smallest number. Used by one thread. Source: Koibuchi
 * 2002, section 3.3.1.2.
 */
public final class DfsTree {
    private final SwitchGraph graph;
    private final char[][] distances;
    private final boolean[] isIn;
    private final int[] linksToTree;
    private final int[] labels;
    private int mainLabel;
    private int sideLabel;
    private boolean isMain = true;

    private DfsTree(final SwitchGraph graph, final char[][] distances) {
        this.graph = graph;
        this.distances = distances;
        this.isIn = new boolean[graph.switchCount()];
        this.linksToTree = new int[graph.switchCount()];
        this.labels = new int[graph.switchCount()];
    }

    /** Links between all switches, {@code [switches][switches]}. */
    static char[][] distances(final SwitchGraph graph) {
        HeapCheck.require(
                2L * graph.switchCount() * graph.switchCount(),
                "the distances between all switches");
        final char[][] distances = new char[graph.switchCount()][graph.switchCount()];
        for (int from = 0; from < distances.length; from++) {
            final BfsTree tree = new BfsTree(graph, from);
            for (int to = 0; to < distances.length; to++) {
                distances[from][to] = (char) tree.depth(to);
            }
        }
        return distances;
    }

    /**
     * Up and down by the labels of a tree from one root: the main branch counts up from 0, the
     * others go on downwards below it, and up is to the larger label.
     *
     * @param root a switch.
     * @throws GraphException if there is no such switch.
     */
    public static Directions directions(final SwitchGraph graph, final int root) {
        if (root < 0 || root >= graph.switchCount()) {
            throw new GraphException(
                    "the root must be a switch 0.." + (graph.switchCount() - 1) + ": " + root);
        }
        return directions(graph, root, distances(graph));
    }

    static Directions directions(
            final SwitchGraph graph, final int root, final char[][] distances) {
        final DfsTree tree = new DfsTree(graph, distances);
        tree.build(root);
        return Directions.byLabels(graph, tree.labels);
    }

    private void build(final int root) {
        // An explicit stack: a main branch may pass through every switch.
        final int[] stack = new int[graph.switchCount()];
        int depth = 0;
        stack[0] = root;
        add(root);
        while (depth >= 0) {
            final int next = choose(stack[depth]);
            if (next < 0) {
                isMain = false;
                depth--;
            } else {
                depth++;
                stack[depth] = next;
                add(next);
            }
        }
    }

    private void add(final int node) {
        isIn[node] = true;
        if (isMain) {
            labels[node] = mainLabel;
            mainLabel++;
        } else {
            sideLabel--;
            labels[node] = sideLabel;
        }
        for (int i = 0; i < graph.degree(node); i++) {
            linksToTree[graph.target(graph.outgoing(node, i))]++;
        }
    }

    private int choose(final int node) {
        int best = -1;
        long bestDistance = -1;
        for (int i = 0; i < graph.degree(node); i++) {
            final int next = graph.target(graph.outgoing(node, i));
            if (isIn[next] || next == best) {
                continue;
            }
            if (best < 0 || linksToTree[next] > linksToTree[best]) {
                best = next;
                bestDistance = -1;
            } else if (linksToTree[next] == linksToTree[best]) {
                bestDistance = bestDistance < 0 ? distanceToRest(best) : bestDistance;
                final long distance = distanceToRest(next);
                best = distance > bestDistance ? next : best;
                bestDistance = Math.max(distance, bestDistance);
            }
        }
        return best;
    }

    /** Sum of the distances to the switches outside the tree, whose number is the same for all. */
    private long distanceToRest(final int node) {
        long sum = 0;
        for (int other = 0; other < isIn.length; other++) {
            sum += isIn[other] ? 0 : distances[node][other];
        }
        return sum;
    }

    @Override
    public String toString() {
        return Arrays.toString(labels);
    }
}
