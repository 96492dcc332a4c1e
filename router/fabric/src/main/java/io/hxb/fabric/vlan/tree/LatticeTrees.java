package io.hxb.fabric.vlan.tree;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Dimension-order trees of a mesh, torus or hyper-crossbar: the first dimension of the order with
 * the links of the source's own line, the second with those of the lines that meet it, and so on.
 * In a mesh and a hyper-crossbar the sources of one line share a tree, so that there are as many as
 * switches divided by the extent of the first dimension. In a ring each source leaves out the link
 * opposite to it. Immutable. Source: Otsuka et al. 2006, 3.2.2.1.
 */
public final class LatticeTrees implements TreeMaker {
    private final Lattice lattice;
    private final boolean isCrossbar;
    private final int[] order;
    private final Ties ties;

    /** Which way round a ring of even extent to the switch opposite. */
    public enum Ties {
        /**
         * Up from even coordinates, down from odd ones: neighbours then share their trees, both
         * ways carry the same, and a ring of four has no cycle of dependencies.
         */
        BALANCED,
        /**
         * The choice that gives the figures of the paper's table 1: balanced in the first dimension
         * (for fewer VLANs), in the others the way that does not wrap around.
         */
        TABLE
    }

    private LatticeTrees(
            final Lattice lattice, final boolean isCrossbar, final int[] order, final Ties ties) {
        this.lattice = lattice;
        this.isCrossbar = isCrossbar;
        this.order = order.clone();
        this.ties = ties;
        final int[] sorted = order.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < sorted.length; i++) {
            if (sorted[i] != i || sorted.length != lattice.dimensions()) {
                throw new GraphException(
                        "the order of dimensions names each of 0.."
                                + (lattice.dimensions() - 1)
                                + " once, not "
                                + Arrays.toString(order));
            }
        }
    }

    /**
     * Trees of a mesh or torus.
     *
     * @param order dimensions in the order of travel, {@code [dimensions]}.
     */
    public static LatticeTrees of(final Lattice lattice, final int[] order, final Ties ties) {
        return new LatticeTrees(lattice, false, order, ties);
    }

    /**
     * Trees of a hyper-crossbar: node {@code i} of the lattice is switch {@code i}, and has one
     * link to the crossbar of each of its lines, in the order of dimensions.
     *
     * @param nodes the nodes as a mesh.
     */
    public static LatticeTrees ofCrossbar(final Lattice nodes, final int[] order) {
        return new LatticeTrees(nodes, true, order, Ties.BALANCED);
    }

    @Override
    public HostTrees make(final SwitchGraph graph) {
        if (!isCrossbar && !lattice.matches(graph)) {
            throw new GraphException(
                    "the graph is no " + lattice + "; plan it by 'updown-tree' instead");
        }
        final TreeCollector collector = new TreeCollector(graph);
        for (int node = 0; node < lattice.switchCount(); node++) {
            if (!collector.hostsOf(node).isEmpty()) {
                collector.assignAll(node, collector.add(links(graph, node)));
            }
        }
        return collector.build();
    }

    private BitSet links(final SwitchGraph graph, final int source) {
        final BitSet links = new BitSet();
        for (int node = 0; node < lattice.switchCount(); node++) {
            // The last dimensions of the order must be the source's until they are travelled.
            int travelled = order.length;
            while (travelled > 0 && isSame(node, source, order[travelled - 1])) {
                travelled--;
            }
            for (int i = Math.max(0, travelled - 1); i < order.length; i++) {
                addLink(graph, links, node, source, i);
            }
        }
        return links;
    }

    private boolean isSame(final int a, final int b, final int dimension) {
        return lattice.coordinate(a, dimension) == lattice.coordinate(b, dimension);
    }

    /** The link of a node in upward direction, or to its crossbar. */
    private void addLink(
            final SwitchGraph graph,
            final BitSet links,
            final int node,
            final int source,
            final int index) {
        final int dimension = order[index];
        final int next;
        if (isCrossbar) {
            // A node's links lead to the crossbars of dimension 0, 1 and so on.
            links.set(SwitchGraph.link(graph.outgoing(node, dimension)));
            return;
        }
        next = lattice.neighbour(node, dimension, 1);
        if (next < 0 || isLeftOut(node, source, index)) {
            return;
        }
        for (int i = 0; i < graph.degree(node); i++) {
            if (graph.target(graph.outgoing(node, i)) == next) {
                links.set(SwitchGraph.link(graph.outgoing(node, i)));
            }
        }
    }

    /** Whether a node's upward link is the one opposite to the source in a ring. */
    private boolean isLeftOut(final int node, final int source, final int index) {
        final int dimension = order[index];
        if (!lattice.isRing(dimension)) {
            return false;
        }
        final int extent = lattice.extent(dimension);
        final int from = lattice.coordinate(source, dimension);
        final boolean isBalanced = ties == Ties.BALANCED || index == 0;
        final boolean isUp = isBalanced ? from % 2 == 0 : from < extent / 2;
        final int reach = extent % 2 == 1 || isUp ? extent / 2 : extent / 2 - 1;
        return lattice.coordinate(node, dimension) == (from + reach) % extent;
    }
}
