package io.hxb.fabric.route;

import io.hxb.fabric.HeapCheck;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.RouteSetBuilder;
import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;

/**
 * Shortest permitted paths that spread the pairs of hosts over the channels. Destinations are taken
 * one after the other; the paths to one follow the channels that the pairs of hosts before have
 * loaded least, for their rates, so that parallel links and equal switches take turns. Then each
 * destination is taken out and placed again for as long as that relieves the busiest channel. Used
 * by one thread. Source: Hoefler, Schneider, Lumsdaine 2009, SSSP routing, with hosts as weights;
 * on a fat tree the result is that of d-mod-k.
 */
public final class BalancedPaths {
    /** Rounds stop when they have looked at this many turns, about ten seconds of work. */
    private static final long MAX_TURNS = 1_000_000_000L;

    private static final int MAX_ROUNDS = 24;

    /** Share of the lane in the price of a virtual channel, beside that of its channel. */
    private static final double LANE_SHARE = 0.25;

    /** How much more a channel costs when its load doubles, by round: 2 to this power. */
    private static final int[] POWERS = {1, 2, 3, 4, 6, 8};

    private final TurnRelation relation;
    private final SwitchGraph graph;
    private final int virtualChannels;
    private final boolean isPerHost;
    private final int[] weights;
    private final DistanceTable distances;

    /** Capacity of each channel in units of the slowest, {@code [channels]}. */
    private final double[] capacities;

    /** Pairs of hosts on each channel, {@code [channels]}. */
    private final long[] loads;

    /** Pairs of hosts on each virtual channel, {@code [virtual channels]}. */
    private final long[] laneLoads;

    /** Virtual channels by links to the destination, those that reach it only. */
    private final int[] order;

    private int ordered;
    private final double[] costs;
    private final int[] next;
    private final double[] prices;

    /** Steps of the paths from all sources to a destination, {@code [destinations][steps]}. */
    private int[][] paths;

    private BalancedPaths(final TurnRelation relation, final boolean isPerHost) {
        this.relation = relation;
        this.graph = relation.graph();
        this.virtualChannels = relation.virtualChannels();
        this.isPerHost = isPerHost && graph.hostCount() > 0;
        this.weights = weights(graph);
        // The paths while they are made, and the result, and the distances.
        final long pathsBytes =
                this.isPerHost ? HeapCheck.hostPathsBytes(graph) : HeapCheck.pathsBytes(graph);
        HeapCheck.require(
                2 * pathsBytes + 2L * relation.stateCount() * graph.switchCount(),
                "the paths to be balanced");
        this.distances = new DistanceTable(relation);
        this.capacities = capacities(graph);
        this.loads = new long[graph.channelCount()];
        this.laneLoads = new long[relation.stateCount()];
        this.order = new int[relation.stateCount()];
        this.costs = new double[relation.stateCount()];
        this.next = new int[relation.stateCount()];
        this.prices = new double[relation.stateCount()];
        this.paths = new int[this.isPerHost ? graph.hostCount() : graph.switchCount()][];
    }

    /** Hosts of each switch; 1 for all where the graph has none. */
    static int[] weights(final SwitchGraph graph) {
        final int[] weights = graph.hostCounts();
        if (graph.hostCount() == 0) {
            Arrays.fill(weights, 1);
        }
        return weights;
    }

    /** Links of an unknown rate count as the slowest. */
    private static double[] capacities(final SwitchGraph graph) {
        long slowest = Long.MAX_VALUE;
        for (int link = 0; link < graph.linkCount(); link++) {
            final long rateBps = graph.linkRateBps(link);
            slowest = rateBps > 0 ? Math.min(slowest, rateBps) : slowest;
        }
        final double[] capacities = new double[graph.channelCount()];
        for (int channel = 0; channel < capacities.length; channel++) {
            final long rateBps = graph.linkRateBps(SwitchGraph.link(channel));
            capacities[channel] = rateBps > 0 ? (double) rateBps / slowest : 1;
        }
        return capacities;
    }

    /** A path from each switch with hosts to each host; between switches where there are none. */
    public static RouteSet perHost(final TurnRelation relation) {
        return new BalancedPaths(relation, true).balance();
    }

    /** A path for each pair of switches; those without hosts have no weight. */
    public static RouteSet perSwitch(final TurnRelation relation) {
        return new BalancedPaths(relation, false).balance();
    }

    private RouteSet balance() {
        place(1);
        int[][] best = paths.clone();
        double bestMax = maxLoad();
        final double bound = bound();
        final long turns = (long) paths.length * (relation.turnCount() + relation.stateCount());
        final int rounds = (int) Math.min(MAX_ROUNDS, MAX_TURNS / Math.max(1, turns));
        for (int round = 0; round < rounds && bestMax > bound; round++) {
            place(POWERS[round % POWERS.length]);
            final double max = maxLoad();
            if (max < bestMax) {
                bestMax = max;
                best = paths.clone();
            }
        }
        paths = best;
        return build();
    }

    /** No routes load every channel less: what leaves a switch shares the channels there. */
    private double bound() {
        long all = 0;
        for (final int weight : weights) {
            all += weight;
        }
        double bound = 0;
        for (int node = 0; node < weights.length; node++) {
            double capacity = 0;
            for (int i = 0; i < graph.degree(node); i++) {
                capacity += capacities[graph.outgoing(node, i)];
            }
            bound = Math.max(bound, weights[node] * (all - weights[node]) / capacity);
        }
        return bound;
    }

    private double maxLoad() {
        double max = 0;
        for (int channel = 0; channel < loads.length; channel++) {
            max = Math.max(max, loads[channel] / capacities[channel]);
        }
        return max;
    }

    private int destinationSwitch(final int destination) {
        return isPerHost ? graph.hostSwitch(destination) : destination;
    }

    private int receivers(final int destination) {
        return isPerHost ? 1 : weights[destination];
    }

    private boolean isSource(final int node) {
        return !isPerHost || weights[node] > 0;
    }

    /** Places all destinations, each instead of its paths before. */
    private void place(final int power) {
        int sorted = -1;
        for (int destination = 0; destination < paths.length; destination++) {
            final int node = destinationSwitch(destination);
            final char[] links = distances.to(node);
            if (node != sorted) {
                sort(links);
                sorted = node;
            }
            if (paths[destination] != null) {
                count(destination, -1);
            }
            price(power);
            spread(links);
            paths[destination] = walk(node, links);
            count(destination, 1);
        }
    }

    private void price(final int power) {
        final double laneWeight = virtualChannels > 1 ? LANE_SHARE * virtualChannels : 0;
        for (int state = 0; state < prices.length; state++) {
            final int channel = state / virtualChannels;
            final double load =
                    (loads[channel] + laneWeight * laneLoads[state]) / capacities[channel];
            double price = load;
            for (int i = 1; i < power; i++) {
                price *= load;
            }
            prices[state] = price;
        }
    }

    /** Sorts the virtual channels by links to the destination, by counting. */
    private void sort(final char[] links) {
        int most = 0;
        for (final char count : links) {
            most = count == DistanceTable.NEVER ? most : Math.max(most, count);
        }
        final int[] starts = new int[most + 2];
        ordered = 0;
        for (final char count : links) {
            if (count != DistanceTable.NEVER) {
                starts[count + 1]++;
                ordered++;
            }
        }
        for (int i = 0; i <= most; i++) {
            starts[i + 1] += starts[i];
        }
        for (int state = 0; state < links.length; state++) {
            if (links[state] != DistanceTable.NEVER) {
                order[starts[links[state]]++] = state;
            }
        }
    }

    /** Finds the cheapest way on from each virtual channel, nearest to the destination first. */
    private void spread(final char[] links) {
        final int[] followers = relation.followers();
        for (int i = 0; i < ordered; i++) {
            final int state = order[i];
            final int left = links[state] - 1;
            double best = 0;
            int chosen = -1;
            final int end = left == 0 ? 0 : relation.nextStart(state + 1);
            for (int j = left == 0 ? 0 : relation.nextStart(state); j < end; j++) {
                final int to = followers[j];
                if (links[to] == left && (chosen < 0 || costs[to] < best)) {
                    best = costs[to];
                    chosen = to;
                }
            }
            next[state] = chosen;
            costs[state] = best + prices[state];
        }
    }

    private int[] walk(final int destination, final char[] links) {
        int[] steps = new int[4 * graph.switchCount()];
        int count = 0;
        for (int from = 0; from < graph.switchCount(); from++) {
            int state =
                    isSource(from) && from != destination ? start(from, destination, links) : -1;
            for (; state >= 0; state = next[state]) {
                if (count == steps.length) {
                    steps = Arrays.copyOf(steps, 2 * count);
                }
                steps[count++] = state;
            }
        }
        return Arrays.copyOf(steps, count);
    }

    private int start(final int from, final int to, final char[] links) {
        int best = -1;
        for (int i = 0; i < graph.degree(from); i++) {
            final int first = graph.outgoing(from, i) * virtualChannels;
            for (int state = first + virtualChannels - 1; state >= first; state--) {
                if (relation.isStart(state)
                        && links[state] != DistanceTable.NEVER
                        && (best < 0
                                || links[state] < links[best]
                                || (links[state] == links[best] && costs[state] < costs[best]))) {
                    best = state;
                }
            }
        }
        if (best < 0) {
            throw ShortestPaths.unreachable(graph, from, to);
        }
        return best;
    }

    /** Adds the pairs of hosts on the paths to a destination, or takes them away. */
    private void count(final int destination, final int sign) {
        final int node = destinationSwitch(destination);
        long pairs = 0;
        int at = node;
        for (final int step : paths[destination]) {
            final int channel = step / virtualChannels;
            if (at == node) {
                pairs = (long) weights[graph.source(channel)] * receivers(destination);
            }
            loads[channel] += sign * pairs;
            laneLoads[step] += sign * pairs;
            at = graph.target(channel);
        }
    }

    private RouteSet build() {
        final RouteSetBuilder builder = new RouteSetBuilder(graph, virtualChannels, isPerHost);
        final int[] positions = new int[paths.length];
        for (int from = 0; from < graph.switchCount(); from++) {
            for (int to = 0; isSource(from) && to < paths.length; to++) {
                for (int at = from; at != destinationSwitch(to); ) {
                    final int step = paths[to][positions[to]++];
                    builder.step(step);
                    at = graph.target(step / virtualChannels);
                }
                builder.endPath();
            }
        }
        return builder.build();
    }
}
