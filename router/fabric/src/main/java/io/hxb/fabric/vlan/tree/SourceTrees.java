package io.hxb.fabric.vlan.tree;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.LinkWeights;
import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Trees of any graph, one for each switch with hosts. Of equally long ways each tree takes the one
 * least used by the trees before, for its rate where rates are known.
 *
 * <p>By Up*&#47;Down* on a breadth-first tree: up to every switch that going up alone reaches, then
 * down from those to all others by the shortest way. Such paths never turn from down to up, so they
 * cannot deadlock, and those of one source make a tree, which shortest Up*&#47;Down* paths need
 * not. Or by shortest paths, which are shorter, but can deadlock under PAUSE. Immutable. Source of
 * up and down: Koibuchi 2002, 2.3.
 */
public final class SourceTrees implements TreeMaker {
    private static final int NO_ROOT = Integer.MIN_VALUE;

    private final int root;

    private SourceTrees(final int root) {
        this.root = root;
    }

    /**
     * Trees by Up*&#47;Down*.
     *
     * @param root number of the switch that everything else is below.
     */
    public static SourceTrees upDown(final int root) {
        return new SourceTrees(Math.max(-1, root));
    }

    /** Trees of shortest paths. */
    public static SourceTrees shortest() {
        return new SourceTrees(NO_ROOT);
    }

    @Override
    public HostTrees make(final SwitchGraph graph) {
        final boolean isShortest = root == NO_ROOT;
        if (!isShortest && (root < 0 || root >= graph.switchCount())) {
            throw new GraphException(
                    "the root must be a switch of 0.." + (graph.switchCount() - 1) + ": " + root);
        }
        // Where every channel is down, the way is the shortest.
        final int[] depths = isShortest ? new int[graph.switchCount()] : depths(graph);
        final TreeCollector collector = new TreeCollector(graph);
        final long[] loads = new long[graph.channelCount()];
        final int[] hosts = graph.hostCounts();
        final LinkWeights weights = LinkWeights.of(graph);
        final long most = Arrays.stream(hosts).max().orElse(0);
        for (int from = 0; from < hosts.length; from++) {
            if (hosts[from] > 0) {
                final Loads used = new Loads(loads, hosts[from] * most, weights);
                final int[] into = new Search(graph, depths, used, from, isShortest).run();
                collector.assignAll(from, collector.add(links(into)));
                addLoads(graph, into, hosts, from, loads);
            }
        }
        return collector.build();
    }

    private int[] depths(final SwitchGraph graph) {
        final int[] depths = new int[graph.switchCount()];
        final int[] queue = new int[graph.switchCount()];
        Arrays.fill(depths, -1);
        depths[root] = 0;
        queue[0] = root;
        int filled = 1;
        for (int read = 0; read < filled; read++) {
            for (int i = 0; i < graph.degree(queue[read]); i++) {
                final int next = graph.target(graph.outgoing(queue[read], i));
                if (depths[next] < 0) {
                    depths[next] = depths[queue[read]] + 1;
                    queue[filled++] = next;
                }
            }
        }
        return depths;
    }

    private static BitSet links(final int[] into) {
        final BitSet links = new BitSet();
        for (final int channel : into) {
            if (channel >= 0) {
                links.set(SwitchGraph.link(channel));
            }
        }
        return links;
    }

    private static void addLoads(
            final SwitchGraph graph,
            final int[] into,
            final int[] hosts,
            final int from,
            final long[] loads) {
        for (int to = 0; to < hosts.length; to++) {
            for (int at = to; at != from && hosts[to] > 0; at = graph.source(into[at])) {
                loads[into[at]] += (long) hosts[from] * hosts[to];
            }
        }
    }

    /** What the trees so far put on channels. Owned by one thread. */
    private static final class Loads {
        private final long[] amounts;
        private final long more;
        private final LinkWeights weights;

        /** Loads with {@code more} on what one more path takes. */
        Loads(final long[] amounts, final long more, final LinkWeights weights) {
            this.amounts = amounts;
            this.more = more;
            this.weights = weights;
        }

        long with(final int channel) {
            return weights.weigh(amounts[channel] + more, channel);
        }
    }

    /** The tree of one source, as the channel into each switch. Owned by one thread. */
    private static final class Search {
        private final SwitchGraph graph;
        private final int[] depths;
        private final Loads loads;
        private final int from;
        private final boolean isDownOnly;
        private final int[] into;
        private final int[] distances;

        Search(
                final SwitchGraph graph,
                final int[] depths,
                final Loads loads,
                final int from,
                final boolean isDownOnly) {
            this.isDownOnly = isDownOnly;
            this.graph = graph;
            this.depths = depths;
            this.loads = loads;
            this.from = from;
            this.into = new int[graph.switchCount()];
            this.distances = new int[graph.switchCount()];
        }

        int[] run() {
            Arrays.fill(into, -1);
            Arrays.fill(distances, Integer.MAX_VALUE);
            distances[from] = 0;
            final BitSet reachedByUp = climb();
            boolean isMore = true;
            for (int distance = 0; isMore; distance++) {
                isMore = false;
                for (int node = 0; node < distances.length; node++) {
                    if (distances[node] == distance) {
                        descend(node, reachedByUp);
                        isMore = true;
                    }
                }
            }
            return into;
        }

        private boolean isUp(final int channel) {
            final int a = graph.source(channel);
            final int b = graph.target(channel);
            return !isDownOnly && (depths[b] < depths[a] || (depths[b] == depths[a] && b < a));
        }

        private BitSet climb() {
            final BitSet reached = new BitSet();
            reached.set(from);
            final int[] queue = new int[distances.length];
            queue[0] = from;
            int filled = 1;
            for (int read = 0; read < filled; read++) {
                for (int i = 0; i < graph.degree(queue[read]); i++) {
                    final int channel = graph.outgoing(queue[read], i);
                    final int next = graph.target(channel);
                    if (!isUp(channel)) {
                        continue;
                    }
                    if (!reached.get(next)) {
                        reached.set(next);
                        queue[filled++] = next;
                    }
                    offer(channel);
                }
            }
            return reached;
        }

        private void descend(final int node, final BitSet reachedByUp) {
            for (int i = 0; i < graph.degree(node); i++) {
                final int channel = graph.outgoing(node, i);
                if (!isUp(channel) && !reachedByUp.get(graph.target(channel))) {
                    offer(channel);
                }
            }
        }

        /** Takes a channel into its target if that is shorter, or as short and less used. */
        private void offer(final int channel) {
            final int to = graph.target(channel);
            final int distance = distances[graph.source(channel)] + 1;
            if (distance < distances[to]
                    || (distance == distances[to] && loads.with(channel) < loads.with(into[to]))) {
                distances[to] = distance;
                into[to] = channel;
            }
        }
    }
}
