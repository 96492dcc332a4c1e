package io.hxb.fabric.vlan.tree;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.LinkWeights;
import io.hxb.fabric.SwitchGraph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Trees of a fat tree, VBFT or Clos network with hosts on the leaves: every shortest-path tree from
 * a top switch, each level choosing its n-th way up. All of them reach all hosts, which use them in
 * turn, in proportion to the slowest link of each where rates are known. Stateless. Source: Otsuka
 * et al. 2006, 3.2.2.2; Miura et al. 2007, 2.2.
 */
public final class TopTrees implements TreeMaker {
    private static final int MAX_TREES = 4094;

    /** Makes the maker. */
    public TopTrees() {}

    @Override
    public HostTrees make(final SwitchGraph graph) {
        final TreeCollector collector = new TreeCollector(graph);
        for (final int top : tops(graph)) {
            addTrees(graph, top, collector);
        }
        assign(graph, collector);
        return collector.build();
    }

    /** Hands the trees out in turn, each as often as its slowest link is fast. */
    private static void assign(final SwitchGraph graph, final TreeCollector collector) {
        final LinkWeights weights = LinkWeights.of(graph);
        final double[] shares = new double[collector.treeCount()];
        for (int tree = 0; tree < shares.length; tree++) {
            int heaviest = 1;
            for (int link = 0; link < graph.linkCount(); link++) {
                final boolean has = collector.tree(tree).has(link);
                heaviest = has ? Math.max(heaviest, weights.weight(link)) : heaviest;
            }
            shares[tree] = 1.0 / heaviest;
        }
        // Ever the tree with the fewest hosts for its share, counting the one to come.
        final int[] hosts = new int[shares.length];
        for (int host = 0; host < graph.hostCount(); host++) {
            int best = 0;
            for (int tree = 1; tree < shares.length; tree++) {
                best =
                        (hosts[tree] + 1) / shares[tree] < (hosts[best] + 1) / shares[best]
                                ? tree
                                : best;
            }
            hosts[best]++;
            collector.assign(host, best);
        }
    }

    /**
     * The switches farthest from all hosts.
     *
     * @throws GraphException if every switch has hosts.
     */
    private static List<Integer> tops(final SwitchGraph graph) {
        final int[] hosts = graph.hostCounts();
        final int[] distances = new int[graph.switchCount()];
        final int[] queue = new int[graph.switchCount()];
        Arrays.fill(distances, -1);
        int filled = 0;
        for (int node = 0; node < hosts.length; node++) {
            if (hosts[node] > 0) {
                distances[node] = 0;
                queue[filled++] = node;
            }
        }
        spread(graph, queue, filled, distances);
        final int farthest = Arrays.stream(distances).max().orElse(0);
        if (farthest == 0) {
            throw new GraphException(
                    "every switch has hosts, so there are no top switches to make trees from;"
                            + " plan it by 'updown-tree' instead");
        }
        final List<Integer> tops = new ArrayList<>();
        for (int node = 0; node < distances.length; node++) {
            if (distances[node] == farthest) {
                tops.add(node);
            }
        }
        return tops;
    }

    private static void spread(
            final SwitchGraph graph, final int[] queue, final int first, final int[] distances) {
        int filled = first;
        for (int read = 0; read < filled; read++) {
            final int node = queue[read];
            for (int i = 0; i < graph.degree(node); i++) {
                final int next = graph.target(graph.outgoing(node, i));
                if (distances[next] < 0) {
                    distances[next] = distances[node] + 1;
                    queue[filled++] = next;
                }
            }
        }
    }

    private static void addTrees(
            final SwitchGraph graph, final int top, final TreeCollector collector) {
        final int[] depths = new int[graph.switchCount()];
        Arrays.fill(depths, -1);
        depths[top] = 0;
        final int[] queue = new int[graph.switchCount()];
        queue[0] = top;
        spread(graph, queue, 1, depths);
        final boolean[] isNeeded = leadingToHosts(graph, depths);
        final int[] choices = new int[Arrays.stream(depths).max().orElse(0) + 1];
        for (int node = 0; node < depths.length; node++) {
            if (isNeeded[node]) {
                choices[depths[node]] =
                        Math.max(choices[depths[node]], waysUp(graph, node, depths));
            }
        }
        final int[] choice = new int[choices.length];
        do {
            collector.add(tree(graph, depths, choice));
            if (collector.treeCount() > MAX_TREES) {
                throw new GraphException(
                        "there are more than "
                                + MAX_TREES
                                + " trees from the top switches; plan it by 'updown-tree'");
            }
        } while (advance(choice, choices));
    }

    /** Whether hosts are on a switch or below it, {@code [switches]}. */
    private static boolean[] leadingToHosts(final SwitchGraph graph, final int[] depths) {
        final boolean[] isNeeded = new boolean[depths.length];
        for (int host = 0; host < graph.hostCount(); host++) {
            isNeeded[graph.hostSwitch(host)] = true;
        }
        for (int depth = Arrays.stream(depths).max().orElse(0); depth > 0; depth--) {
            for (int node = 0; node < depths.length; node++) {
                for (int i = 0; depths[node] == depth && i < graph.degree(node); i++) {
                    final int next = graph.target(graph.outgoing(node, i));
                    isNeeded[next] |= isNeeded[node] && depths[next] < depth;
                }
            }
        }
        return isNeeded;
    }

    private static int waysUp(final SwitchGraph graph, final int node, final int[] depths) {
        int ways = 0;
        for (int i = 0; i < graph.degree(node); i++) {
            ways += depths[graph.target(graph.outgoing(node, i))] < depths[node] ? 1 : 0;
        }
        return ways;
    }

    private static BitSet tree(final SwitchGraph graph, final int[] depths, final int[] choice) {
        final BitSet links = new BitSet();
        for (int node = 0; node < depths.length; node++) {
            final int ways = waysUp(graph, node, depths);
            int left = ways == 0 ? -1 : choice[depths[node]] % ways;
            for (int i = 0; i < graph.degree(node) && left >= 0; i++) {
                final int channel = graph.outgoing(node, i);
                if (depths[graph.target(channel)] < depths[node] && left-- == 0) {
                    links.set(SwitchGraph.link(channel));
                }
            }
        }
        return links;
    }

    /** Counts up; false after the last combination. */
    private static boolean advance(final int[] choice, final int[] choices) {
        for (int level = 0; level < choice.length; level++) {
            if (++choice[level] < choices[level]) {
                return true;
            }
            choice[level] = 0;
        }
        return false;
    }
}
