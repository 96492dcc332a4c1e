package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.vlan.VlanPlan;

import java.util.Arrays;

/**
 * What is to be chosen: for each pair of hosts with traffic one of its candidates, where every
 * candidate puts loads on channels. Pairs on one switch have no choice and are left out. Immutable.
 * Candidates are shared by all pairs of two switches, so a pair takes about 40 bytes.
 */
final class VidProblem {
    private final int channelCount;
    private final int[] lows;
    private final int[] highs;
    private final double[] forward;
    private final double[] backward;
    private final double[] costs;
    private final Candidate[][] candidates;
    private final int[] given;

    /**
     * A VLAN for a pair.
     *
     * @param vlan its index.
     * @param channels those of the path at even places, each followed by that of the way back.
     */
    @SuppressWarnings("ArrayRecordComponent") // Private to this package, never compared.
    record Candidate(int vlan, int[] channels) {}

    /**
     * States a problem.
     *
     * @param vidCandidates what pairs can choose from.
     * @param pairs with traffic, and the VLANs to start from.
     * @param forward what the first host of each pair sends to the second, {@code [pairs]}.
     * @param backward what the second sends to the first.
     */
    VidProblem(
            final VidCandidates vidCandidates,
            final Pairs pairs,
            final double[] forward,
            final double[] backward) {
        this.channelCount = vidCandidates.graph().channelCount();
        this.lows = pairs.lows();
        this.highs = pairs.highs();
        this.forward = forward;
        this.backward = backward;
        this.costs = costs(vidCandidates.graph());
        this.candidates = new Candidate[lows.length][];
        this.given = new int[lows.length];
        for (int pair = 0; pair < lows.length; pair++) {
            final int vlan = pairs.vlans()[pair];
            candidates[pair] =
                    pairs.fixed()[pair]
                            ? vidCandidates.only(lows[pair], highs[pair], vlan)
                            : vidCandidates.of(lows[pair], highs[pair]);
            given[pair] = place(candidates[pair], vlan);
        }
    }

    /**
     * Pairs of hosts on different switches.
     *
     * @param lows the smaller host of each, {@code [pairs]}.
     * @param highs the larger one.
     * @param vlans index of the VLAN that each has now.
     * @param fixed whether it has to keep that.
     */
    @SuppressWarnings("ArrayRecordComponent") // Private to this package, never compared.
    record Pairs(int[] lows, int[] highs, int[] vlans, boolean[] fixed) {}

    private static int place(final Candidate[] list, final int vlan) {
        for (int i = 0; i < list.length; i++) {
            if (list[i].vlan == vlan) {
                return i;
            }
        }
        throw new IllegalArgumentException("VLAN " + vlan + " is not one to choose from");
    }

    /**
     * The problem of a plan and its traffic.
     *
     * @param plan that gives the trees, and the choice to start from.
     */
    static VidProblem of(
            final VlanPlan plan, final TrafficMatrix traffic, final AllowedPaths allowed) {
        final SwitchGraph graph = plan.graph();
        final long hosts = graph.hostCount();
        final long[] keys = new long[traffic.size()];
        int count = 0;
        for (int i = 0; i < keys.length; i++) {
            if (isBetweenSwitches(graph, traffic, i)) {
                keys[count++] = key(traffic, i, hosts);
            }
        }
        Arrays.sort(keys, 0, count);
        int size = 0;
        for (int i = 0; i < count; i++) {
            if (size == 0 || keys[size - 1] != keys[i]) {
                keys[size++] = keys[i];
            }
        }
        final int[] lows = new int[size];
        final int[] highs = new int[size];
        final int[] vlans = new int[size];
        for (int pair = 0; pair < size; pair++) {
            lows[pair] = (int) (keys[pair] / hosts);
            highs[pair] = (int) (keys[pair] % hosts);
            vlans[pair] = plan.vlanOf(lows[pair], highs[pair]);
        }
        final double[] forward = new double[size];
        final double[] backward = new double[size];
        for (int i = 0; i < traffic.size(); i++) {
            if (isBetweenSwitches(graph, traffic, i)) {
                final int pair = Arrays.binarySearch(keys, 0, size, key(traffic, i, hosts));
                final boolean isForward = traffic.source(i) < traffic.destination(i);
                (isForward ? forward : backward)[pair] += traffic.amount(i);
            }
        }
        return new VidProblem(
                new VidCandidates(plan, allowed),
                new Pairs(lows, highs, vlans, new boolean[size]),
                forward,
                backward);
    }

    private static boolean isBetweenSwitches(
            final SwitchGraph graph, final TrafficMatrix traffic, final int i) {
        return graph.hostSwitch(traffic.source(i)) != graph.hostSwitch(traffic.destination(i));
    }

    private static long key(final TrafficMatrix traffic, final int i, final long hosts) {
        final int from = traffic.source(i);
        final int to = traffic.destination(i);
        return Math.min(from, to) * hosts + Math.max(from, to);
    }

    /**
     * What an amount of 1 loads each channel with: 1 on the fastest, and on all if any is unknown.
     */
    private static double[] costs(final SwitchGraph graph) {
        final double[] costs = new double[graph.channelCount()];
        final long fastest = fastestBps(graph);
        for (int channel = 0; channel < costs.length; channel++) {
            costs[channel] =
                    fastest == 0
                            ? 1
                            : (double) fastest / graph.linkRateBps(SwitchGraph.link(channel));
        }
        return costs;
    }

    /** Rate of the fastest link; 0 when the rate of any is not known. */
    static long fastestBps(final SwitchGraph graph) {
        long fastest = 0;
        for (int link = 0; link < graph.linkCount(); link++) {
            if (graph.linkRateBps(link) <= 0) {
                return 0;
            }
            fastest = Math.max(fastest, graph.linkRateBps(link));
        }
        return fastest;
    }

    /** The same pairs with other traffic. */
    VidProblem with(final double[] newForward, final double[] newBackward) {
        assert newForward.length == lows.length && newBackward.length == lows.length;
        return new VidProblem(this, newForward, newBackward);
    }

    private VidProblem(final VidProblem like, final double[] forward, final double[] backward) {
        this.channelCount = like.channelCount;
        this.lows = like.lows;
        this.highs = like.highs;
        this.forward = forward;
        this.backward = backward;
        this.costs = like.costs;
        this.candidates = like.candidates;
        this.given = like.given;
    }

    /** Number of pairs. */
    int size() {
        return lows.length;
    }

    /** Number of channels of the graph. */
    int channelCount() {
        return channelCount;
    }

    /** The hosts of a pair. */
    VlanPlan.Pair pair(final int index) {
        return new VlanPlan.Pair(lows[index], highs[index]);
    }

    /** The smaller host of a pair. */
    int low(final int index) {
        return lows[index];
    }

    /** The larger host of a pair. */
    int high(final int index) {
        return highs[index];
    }

    /** What the smaller host of a pair sends to the larger one. */
    double forward(final int pair) {
        return forward[pair];
    }

    /** What the larger host of a pair sends to the smaller one. */
    double backward(final int pair) {
        return backward[pair];
    }

    /** What an amount of 1 loads a channel with, more than 0. */
    double cost(final int channel) {
        return costs[channel];
    }

    /** What a pair can choose from, at least one; shared, not to be changed. */
    Candidate[] candidates(final int pair) {
        return candidates[pair];
    }

    /** What a pair puts on the {@code i}-th channel of a candidate, relative to its rate. */
    double load(final int pair, final Candidate candidate, final int i) {
        return ((i & 1) == 0 ? forward[pair] : backward[pair]) * costs[candidate.channels[i]];
    }

    /** Index of the candidate that each pair has in the given plan, {@code [pairs]}. */
    int[] given() {
        return given.clone();
    }

    /** Loads of all channels under a choice, {@code [channels]}. */
    double[] loads(final int[] choice) {
        final double[] loads = new double[channelCount];
        for (int pair = 0; pair < choice.length; pair++) {
            add(loads, pair, candidates[pair][choice[pair]], 1);
        }
        return loads;
    }

    /** Adds a candidate's loads {@code times} times. */
    void add(final double[] loads, final int pair, final Candidate candidate, final double times) {
        for (int i = 0; i < candidate.channels.length; i++) {
            loads[candidate.channels[i]] += times * load(pair, candidate, i);
        }
    }

    /** The largest load, 0 without channels. */
    static double busiest(final double[] loads) {
        double busiest = 0;
        for (final double load : loads) {
            busiest = Math.max(busiest, load);
        }
        return busiest;
    }

    /** The largest load that a candidate of a pair puts on a channel. */
    double largest(final int pair, final Candidate candidate) {
        double largest = 0;
        for (int i = 0; i < candidate.channels.length; i++) {
            largest = Math.max(largest, load(pair, candidate, i));
        }
        return largest;
    }

    /** The largest load of one pair alone: a measure of what counts as equal. */
    double scale() {
        double scale = 0;
        for (int pair = 0; pair < lows.length; pair++) {
            scale = Math.max(scale, largest(pair, candidates[pair][0]));
        }
        return scale;
    }
}
