package io.hxb.fabric.vlan.tree;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Links of a graph without a loop: what one VLAN may be made of. Switches that it does not reach
 * are allowed, and so are several parts. Between two switches of one part there is exactly one
 * path. Immutable; equal to trees of the same links.
 */
public final class VlanTree {
    private final SwitchGraph graph;
    private final BitSet links;

    /** Channel from each switch to the next one towards its part's root, {@code [switches]}, -1. */
    private final int[] up;

    private final int[] depths;
    private final int[] roots;

    private VlanTree(final SwitchGraph graph, final BitSet links) {
        this.graph = graph;
        this.links = links;
        this.up = new int[graph.switchCount()];
        this.depths = new int[graph.switchCount()];
        this.roots = new int[graph.switchCount()];
        Arrays.fill(up, -1);
        Arrays.fill(roots, -1);
        final int[] queue = new int[graph.switchCount()];
        for (int node = 0; node < roots.length; node++) {
            if (roots[node] < 0) {
                spread(node, queue);
            }
        }
    }

    /** Breadth first from the root of one part. */
    private void spread(final int root, final int[] queue) {
        roots[root] = root;
        queue[0] = root;
        int filled = 1;
        for (int read = 0; read < filled; read++) {
            final int node = queue[read];
            for (int i = 0; i < graph.degree(node); i++) {
                final int channel = graph.outgoing(node, i);
                final int next = graph.target(channel);
                if (links.get(SwitchGraph.link(channel)) && roots[next] < 0) {
                    roots[next] = root;
                    depths[next] = depths[node] + 1;
                    up[next] = SwitchGraph.opposite(channel);
                    queue[filled++] = next;
                }
            }
        }
    }

    /**
     * Makes a tree.
     *
     * @param links its links; copied.
     * @throws GraphException if they form a loop, naming its switches.
     */
    public static VlanTree of(final SwitchGraph graph, final BitSet links) {
        final DisjointSets parts = new DisjointSets(graph.switchCount());
        final BitSet taken = new BitSet();
        for (int link = links.nextSetBit(0); link >= 0; link = links.nextSetBit(link + 1)) {
            if (!parts.join(graph.source(2 * link), graph.target(2 * link))) {
                throw new GraphException(
                        "the links form a loop: " + loop(graph, taken, link) + "; leave one out");
            }
            taken.set(link);
        }
        return new VlanTree(graph, taken);
    }

    private static String loop(final SwitchGraph graph, final BitSet others, final int closing) {
        final int from = graph.target(2 * closing);
        final StringBuilder text = new StringBuilder(graph.switchName(from));
        for (final int channel :
                new VlanTree(graph, others).path(from, graph.source(2 * closing))) {
            text.append(" - ").append(graph.switchName(graph.target(channel)));
        }
        return text.append(" - ").append(graph.switchName(from)).toString();
    }

    /** Whether these links together with ours are still free of loops. */
    public boolean agreesWith(final VlanTree other) {
        final DisjointSets parts = new DisjointSets(graph.switchCount());
        final BitSet all = (BitSet) links.clone();
        all.or(other.links);
        return all.stream()
                .allMatch(link -> parts.join(graph.source(2 * link), graph.target(2 * link)));
    }

    /** The union of this tree and another, which must agree with it. */
    public VlanTree with(final VlanTree other) {
        final BitSet all = (BitSet) links.clone();
        all.or(other.links);
        return of(graph, all);
    }

    /** The graph of the links. */
    public SwitchGraph graph() {
        return graph;
    }

    /** Whether a link belongs to the tree. */
    public boolean has(final int link) {
        return links.get(link);
    }

    /** The links, ascending, a new array. */
    public int[] links() {
        return links.stream().toArray();
    }

    /** Number of links. */
    public int linkCount() {
        return links.cardinality();
    }

    /** Whether a switch has a link in the tree. */
    public boolean reaches(final int node) {
        return up[node] >= 0 || hasChild(node);
    }

    private boolean hasChild(final int node) {
        for (int i = 0; i < graph.degree(node); i++) {
            if (links.get(SwitchGraph.link(graph.outgoing(node, i)))) {
                return true;
            }
        }
        return false;
    }

    /** Whether there is a path between two switches. */
    public boolean connects(final int from, final int to) {
        return roots[from] == roots[to];
    }

    /** Links between two switches that the tree connects. */
    public int distance(final int from, final int to) {
        final int top = meeting(from, to);
        return depths[from] + depths[to] - 2 * depths[top];
    }

    private int meeting(final int from, final int to) {
        if (!connects(from, to)) {
            throw new IllegalArgumentException(
                    "the tree does not connect switches "
                            + graph.switchName(from)
                            + " and "
                            + graph.switchName(to));
        }
        int a = from;
        int b = to;
        while (a != b) {
            if (depths[a] >= depths[b]) {
                a = graph.target(up[a]);
            } else {
                b = graph.target(up[b]);
            }
        }
        return a;
    }

    /**
     * The path between two switches.
     *
     * @return its channels in order; none from a switch to itself.
     * @throws IllegalArgumentException if the tree does not connect them.
     */
    public int[] path(final int from, final int to) {
        final int top = meeting(from, to);
        final int[] channels = new int[depths[from] + depths[to] - 2 * depths[top]];
        int first = 0;
        for (int at = from; at != top; at = graph.target(up[at])) {
            channels[first++] = up[at];
        }
        int last = channels.length;
        for (int at = to; at != top; at = graph.target(up[at])) {
            channels[--last] = SwitchGraph.opposite(up[at]);
        }
        return channels;
    }

    /**
     * The channel by which every switch sends towards one of them.
     *
     * @return {@code [switches]}, -1 for the switch itself and those not connected with it.
     */
    public int[] towards(final int to) {
        final int[] next = new int[graph.switchCount()];
        Arrays.fill(next, -1);
        for (int node = 0; node < next.length; node++) {
            next[node] = node != to && connects(node, to) ? up[node] : -1;
        }
        // Only the switches between the root and the target send away from the root.
        for (int at = to; up[at] >= 0; at = graph.target(up[at])) {
            next[graph.target(up[at])] = SwitchGraph.opposite(up[at]);
        }
        return next;
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof VlanTree tree && graph == tree.graph && links.equals(tree.links);
    }

    @Override
    public int hashCode() {
        return links.hashCode();
    }

    /** The links by number, for messages of tests. */
    @Override
    public String toString() {
        return "tree of links " + links;
    }
}
