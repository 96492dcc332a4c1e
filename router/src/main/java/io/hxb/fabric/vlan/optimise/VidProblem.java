package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.vlan.VlanPlan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is to be chosen: for each pair of hosts with traffic one of its candidates, where every
 * candidate puts loads on channels. Pairs on one switch have no choice and are left out. Immutable.
 */
final class VidProblem {
    private final int channelCount;
    private final List<VlanPlan.Pair> pairs = new ArrayList<>();
    private final List<List<Candidate>> candidates = new ArrayList<>();
    private final int[] given;

    /**
     * A VLAN for a pair.
     *
     * @param vlan its index.
     * @param channels those of the path and of the way back.
     * @param loads what each of them carries then, relative to its rate.
     */
    @SuppressWarnings("ArrayRecordComponent") // Private to this package, never compared.
    record Candidate(int vlan, int[] channels, double[] loads) {}

    /**
     * States the problem.
     *
     * @param plan that gives the trees, and the choice to start from.
     */
    VidProblem(final VlanPlan plan, final TrafficMatrix traffic, final AllowedPaths allowed) {
        final SwitchGraph graph = plan.graph();
        this.channelCount = graph.channelCount();
        final Map<VlanPlan.Pair, double[]> amounts = new TreeMap<>();
        for (int i = 0; i < traffic.size(); i++) {
            final int from = traffic.source(i);
            final int to = traffic.destination(i);
            if (graph.hostSwitch(from) != graph.hostSwitch(to)) {
                amounts.computeIfAbsent(VlanPlan.Pair.of(from, to), key -> new double[2])[
                                from < to ? 0 : 1] +=
                        traffic.amount(i);
            }
        }
        final double[] capacities = capacities(graph);
        final List<Integer> starts = new ArrayList<>();
        amounts.forEach(
                (pair, both) -> {
                    pairs.add(pair);
                    final int now = plan.vlanOf(pair.low(), pair.high());
                    final List<Candidate> list = new ArrayList<>();
                    for (final int vlan :
                            allowed.vlans(
                                    graph.hostSwitch(pair.low()),
                                    graph.hostSwitch(pair.high()),
                                    now)) {
                        list.add(candidate(plan, pair, vlan, both, capacities));
                        if (vlan == now) {
                            starts.add(list.size() - 1);
                        }
                    }
                    candidates.add(List.copyOf(list));
                });
        this.given = starts.stream().mapToInt(Integer::intValue).toArray();
    }

    private static Candidate candidate(
            final VlanPlan plan,
            final VlanPlan.Pair pair,
            final int vlan,
            final double[] both,
            final double[] capacities) {
        final int[] path =
                plan.tree(vlan)
                        .path(
                                plan.graph().hostSwitch(pair.low()),
                                plan.graph().hostSwitch(pair.high()));
        final int[] channels = new int[2 * path.length];
        final double[] loads = new double[channels.length];
        for (int i = 0; i < path.length; i++) {
            channels[2 * i] = path[i];
            channels[2 * i + 1] = SwitchGraph.opposite(path[i]);
            loads[2 * i] = both[0] / capacities[path[i]];
            loads[2 * i + 1] = both[1] / capacities[path[i]];
        }
        return new Candidate(vlan, channels, loads);
    }

    /** Rates relative to the fastest link; all 1 when any is not known. */
    private static double[] capacities(final SwitchGraph graph) {
        final double[] capacities = new double[graph.channelCount()];
        long fastest = 0;
        boolean isKnown = true;
        for (int link = 0; link < graph.linkCount(); link++) {
            fastest = Math.max(fastest, graph.linkRateBps(link));
            isKnown &= graph.linkRateBps(link) > 0;
        }
        for (int channel = 0; channel < capacities.length; channel++) {
            capacities[channel] =
                    isKnown ? (double) graph.linkRateBps(SwitchGraph.link(channel)) / fastest : 1;
        }
        return capacities;
    }

    /** Number of pairs. */
    int size() {
        return pairs.size();
    }

    /** Number of channels of the graph. */
    int channelCount() {
        return channelCount;
    }

    /** The hosts of a pair. */
    VlanPlan.Pair pair(final int index) {
        return pairs.get(index);
    }

    /** What a pair can choose from, at least one. */
    List<Candidate> candidates(final int pair) {
        return candidates.get(pair);
    }

    /** Index of the candidate that each pair has in the given plan, {@code [pairs]}. */
    int[] given() {
        return given.clone();
    }

    /** Loads of all channels under a choice, {@code [channels]}. */
    double[] loads(final int[] choice) {
        final double[] loads = new double[channelCount];
        for (int pair = 0; pair < choice.length; pair++) {
            add(loads, candidates.get(pair).get(choice[pair]), 1);
        }
        return loads;
    }

    /** Adds a candidate's loads {@code times} times. */
    static void add(final double[] loads, final Candidate candidate, final double times) {
        for (int i = 0; i < candidate.channels.length; i++) {
            loads[candidate.channels[i]] += times * candidate.loads[i];
        }
    }

    /** The largest load, 0 without channels. */
    static double busiest(final double[] loads) {
        return Arrays.stream(loads).max().orElse(0);
    }

    /** The largest load of one pair alone: a measure of what counts as equal. */
    double scale() {
        double scale = 0;
        for (final List<Candidate> list : candidates) {
            for (final double load : list.getFirst().loads) {
                scale = Math.max(scale, load);
            }
        }
        return scale;
    }
}
