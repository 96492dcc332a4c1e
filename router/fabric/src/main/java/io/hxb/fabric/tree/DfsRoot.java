package io.hxb.fabric.tree;

import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The choice of a root for Sancho's trees: the smallest crossing path (the largest number of
 * ordered pairs with a shortest legal path through one channel), among equals the smallest average
 * distance, then the smallest number. Used by one thread. Source: Koibuchi 2002, section 3.3.1.2.
 */
public final class DfsRoot {
    /** Maximum number of roots that are tried; all in graphs up to this size. */
    private static final int MAX_ROOTS = 128;

    /** Minimum number of roots that are tried, where there are that many switches. */
    private static final int FEWEST_ROOTS = 16;

    private final SwitchGraph graph;
    private final int[] upLinks;
    private final int[] downLinks;
    private final int[] order;
    private final int[] crossing;
    private final char[] distance;
    private long sumLinks;

    private DfsRoot(final SwitchGraph graph) {
        this.graph = graph;
        this.upLinks = new int[graph.switchCount()];
        this.downLinks = new int[graph.switchCount()];
        this.order = new int[2 * graph.switchCount()];
        this.crossing = new int[graph.channelCount()];
        this.distance = new char[graph.switchCount()];
    }

    /**
     * The best root; in graphs of more than 128 switches the best of those with the most links: of
     * 128 up to 362 switches, of 16 from 1,024 on, so that the choice takes seconds.
     */
    public static int choose(final SwitchGraph graph) {
        final char[][] distances = DfsTree.distances(graph);
        final DfsRoot roots = new DfsRoot(graph);
        final int[] tried =
                IntStream.range(0, graph.switchCount())
                        .boxed()
                        .sorted((a, b) -> Integer.compare(graph.degree(b), graph.degree(a)))
                        .limit(roots(graph.switchCount()))
                        .mapToInt(Integer::intValue)
                        .sorted()
                        .toArray();
        int best = tried[0];
        long bestCrossing = Long.MAX_VALUE;
        long bestSum = Long.MAX_VALUE;
        for (final int root : tried) {
            final int crossing = roots.crossingPath(DfsTree.directions(graph, root, distances));
            if (crossing < bestCrossing || (crossing == bestCrossing && roots.sumLinks < bestSum)) {
                best = root;
                bestCrossing = crossing;
                bestSum = roots.sumLinks;
            }
        }
        return best;
    }

    /** The time for one root grows with the square of the number of switches. */
    private static int roots(final int switches) {
        return Math.clamp((1L << 24) / ((long) switches * switches), FEWEST_ROOTS, MAX_ROOTS);
    }

    /** The largest number of pairs that may use one channel; also adds the links up. */
    private int crossingPath(final Directions directions) {
        Arrays.fill(crossing, 0);
        sumLinks = 0;
        for (int from = 0; from < graph.switchCount(); from++) {
            search(directions, from);
            for (int to = 0; to < graph.switchCount(); to++) {
                sumLinks += distance[to];
            }
            countPairs(directions);
        }
        return Arrays.stream(crossing).max().orElse(0);
    }

    private static final int FAR = Character.MAX_VALUE;

    /** Breadth-first over (switch, has gone down): state 2n while only up, 2n + 1 afterwards. */
    private void search(final Directions directions, final int from) {
        Arrays.fill(upLinks, FAR);
        Arrays.fill(downLinks, FAR);
        upLinks[from] = 0;
        order[0] = 2 * from;
        int queued = 1;
        for (int i = 0; i < queued; i++) {
            final int node = order[i] >> 1;
            final boolean isDown = (order[i] & 1) != 0;
            final int links = (isDown ? downLinks[node] : upLinks[node]) + 1;
            for (int j = 0; j < graph.degree(node); j++) {
                final int channel = graph.outgoing(node, j);
                final int next = graph.target(channel);
                final int[] reached = directions.isUp(channel) ? upLinks : downLinks;
                if ((isDown && directions.isUp(channel)) || reached[next] != FAR) {
                    continue;
                }
                reached[next] = links;
                order[queued++] = 2 * next + (directions.isUp(channel) ? 0 : 1);
            }
        }
        for (int node = 0; node < distance.length; node++) {
            distance[node] = (char) Math.min(upLinks[node], downLinks[node]);
        }
    }

    /**
     * For the source searched from, adds to each channel the number of destinations with a shortest
     * path through it: destinations as bit sets, gathered from the farthest states to the nearest.
     */
    private void countPairs(final Directions directions) {
        final int words = (graph.switchCount() + 63) >> 6;
        final long[][] through = new long[2 * graph.switchCount()][];
        final int states = reachedStates();
        for (int i = states - 1; i >= 0; i--) {
            final int node = order[i] >> 1;
            final int links = (order[i] & 1) != 0 ? downLinks[node] : upLinks[node];
            final long[] own = through[order[i]] == null ? new long[words] : through[order[i]];
            if (links == distance[node]) {
                own[node >> 6] |= 1L << node;
            }
            through[order[i]] = own;
        }
        final long[][] byChannel = new long[graph.channelCount()][];
        for (int i = states - 1; i >= 0; i--) {
            gather(directions, order[i], through, byChannel);
        }
        for (int channel = 0; channel < byChannel.length; channel++) {
            if (byChannel[channel] != null) {
                for (final long word : byChannel[channel]) {
                    crossing[channel] += Long.bitCount(word);
                }
            }
        }
    }

    private int reachedStates() {
        int states = 0;
        for (int node = 0; node < upLinks.length; node++) {
            states += (upLinks[node] != FAR ? 1 : 0) + (downLinks[node] != FAR ? 1 : 0);
        }
        return states;
    }

    /** Passes the destinations after a state back over the channels that lead to it. */
    private void gather(
            final Directions directions,
            final int state,
            final long[][] through,
            final long[][] byChannel) {
        final int node = state >> 1;
        final boolean isDown = (state & 1) != 0;
        final int links = isDown ? downLinks[node] : upLinks[node];
        for (int j = 0; j < graph.degree(node); j++) {
            final int channel = graph.outgoing(node, j) ^ 1;
            if (directions.isUp(channel) == isDown) {
                continue;
            }
            final int before = graph.source(channel);
            if (upLinks[before] + 1 == links) {
                pass(through[state], channel, 2 * before, through, byChannel);
            }
            if (isDown && downLinks[before] + 1 == links) {
                pass(through[state], channel, 2 * before + 1, through, byChannel);
            }
        }
    }

    private static void pass(
            final long[] destinations,
            final int channel,
            final int before,
            final long[][] through,
            final long[][] byChannel) {
        if (byChannel[channel] == null) {
            byChannel[channel] = new long[destinations.length];
        }
        for (int word = 0; word < destinations.length; word++) {
            byChannel[channel][word] |= destinations[word];
            through[before][word] |= destinations[word];
        }
    }
}
