package io.hxb.fabric.vlan.tree;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;

import java.util.BitSet;

/**
 * Trees of a Myrinet-Clos network, two columns of n switches with hosts on all: left switch i and
 * right switch i with all their links. Both send in it, so that there are n trees. With a spread of
 * k, the k-th part of a switch's hosts goes through the switch k places further on: n * k trees,
 * less load. Immutable. Source: Otsuka et al. 2006, 3.2.2.2 and figure 5.
 */
public final class DoubleStarTrees implements TreeMaker {
    private final int spread;

    /**
     * Makes the maker.
     *
     * @param spread trees that the hosts of one switch use, at least 1, at most n.
     */
    public DoubleStarTrees(final int spread) {
        if (spread < 1) {
            throw new GraphException("a spread is at least 1, not " + spread);
        }
        this.spread = spread;
    }

    @Override
    public HostTrees make(final SwitchGraph graph) {
        final int width = graph.switchCount() / 2;
        if (!isComplete(graph, width) || spread > width) {
            throw new GraphException(
                    "a Myrinet-Clos network has two columns of n switches, each linked once with"
                            + " all of the other column, and a spread of at most n; plan this graph"
                            + " by 'updown-tree' instead");
        }
        final TreeCollector collector = new TreeCollector(graph);
        for (int left = 0; left < width; left++) {
            for (int offset = 0; offset < spread; offset++) {
                collector.add(star(graph, left, width + (left + offset) % width));
            }
        }
        for (int left = 0; left < width; left++) {
            for (int offset = 0; offset < spread; offset++) {
                final int right = width + (left + offset) % width;
                final int tree = collector.add(star(graph, left, right));
                assign(collector, left, offset, tree);
                assign(collector, right, offset, tree);
            }
        }
        return collector.build();
    }

    private void assign(
            final TreeCollector collector, final int node, final int offset, final int tree) {
        for (int i = offset; i < collector.hostsOf(node).size(); i += spread) {
            collector.assign(collector.hostsOf(node).get(i), tree);
        }
    }

    private static BitSet star(final SwitchGraph graph, final int left, final int right) {
        final BitSet links = new BitSet();
        for (int i = 0; i < graph.degree(left); i++) {
            links.set(SwitchGraph.link(graph.outgoing(left, i)));
        }
        for (int i = 0; i < graph.degree(right); i++) {
            links.set(SwitchGraph.link(graph.outgoing(right, i)));
        }
        return links;
    }

    /** Whether a graph is of this kind. */
    public static boolean matches(final SwitchGraph graph) {
        return isComplete(graph, graph.switchCount() / 2);
    }

    private static boolean isComplete(final SwitchGraph graph, final int width) {
        if (graph.switchCount() != 2 * width || graph.linkCount() != width * width) {
            return false;
        }
        for (int left = 0; left < width; left++) {
            if (graph.degree(left) != width) {
                return false;
            }
            for (int i = 0; i < width; i++) {
                if (graph.target(graph.outgoing(left, i)) != width + i) {
                    return false;
                }
            }
        }
        return true;
    }
}
