package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.optimise.VidProblem.Candidate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Relieves one busy channel after the other: pairs leave it, each time the one whose leaving brings
 * most, until none does. What a channel's changes bring is judged together, in every interval; too
 * little, and they are taken back. Owned by one thread.
 */
final class HotspotRelief {
    /**
     * Channels with less than this part of the load of one that cannot be relieved do not matter.
     */
    private static final double MATTERS = 0.75;

    /** A channel relieved to this part of the load of one that cannot be relieved is left alone. */
    private static final double ENOUGH = 0.9;

    /** A change that brings less is none. */
    private static final double MIN_STEP = 1e-6;

    /** Loads looked at in one run, which bounds its time to some seconds. */
    private static final long MAX_WORK = 400_000_000;

    private final VidProblem mean;
    private final VidProblem[] intervals;
    private final TableImprover.Terms terms;
    private final int[] choice;
    private final double[] loads;
    private final double[][] intervalLoads;
    private final int[] starts;
    private final int[] crossing;
    private final List<List<Integer>> arrivals = new ArrayList<>();
    private final BitSet tried = new BitSet();
    private final List<Step> steps = new ArrayList<>();
    private double stuckLoad;
    private boolean isLimited;
    private long work;

    private record Step(int pair, int from, int to, int channel, double before, double after) {}

    HotspotRelief(
            final VidProblem mean, final VidProblem[] intervals, final TableImprover.Terms terms) {
        this.mean = mean;
        this.intervals = intervals;
        this.terms = terms;
        choice = mean.given();
        loads = mean.loads(choice);
        intervalLoads = new double[intervals.length][];
        for (int i = 0; i < intervals.length; i++) {
            intervalLoads[i] = intervals[i].loads(choice);
        }
        starts = new int[mean.channelCount() + 1];
        crossing = index();
        for (int channel = 0; channel < mean.channelCount(); channel++) {
            arrivals.add(null);
        }
    }

    /** The pairs that cross each channel: those of channel c from {@code starts[c]} on. */
    private int[] index() {
        for (int pair = 0; pair < choice.length; pair++) {
            if (mean.candidates(pair).length > 1) {
                for (final int channel : mean.candidates(pair)[choice[pair]].channels()) {
                    starts[channel + 1]++;
                }
            }
        }
        for (int channel = 0; channel + 1 < starts.length; channel++) {
            starts[channel + 1] += starts[channel];
        }
        final int[] pairs = new int[starts[starts.length - 1]];
        final int[] ends = Arrays.copyOf(starts, starts.length - 1);
        for (int pair = 0; pair < choice.length; pair++) {
            if (mean.candidates(pair).length > 1) {
                for (final int channel : mean.candidates(pair)[choice[pair]].channels()) {
                    pairs[ends[channel]++] = pair;
                }
            }
        }
        return pairs;
    }

    void run() {
        while (steps.size() < terms.maxMoves() && work < MAX_WORK) {
            final int channel = busiest();
            if (channel < 0 || loads[channel] < Math.max(terms.minLoad(), stuckLoad * MATTERS)) {
                return;
            }
            tried.set(channel);
            relieve(channel);
        }
        isLimited = busiest() >= 0;
    }

    private int busiest() {
        int busiest = -1;
        for (int channel = 0; channel < loads.length; channel++) {
            if (!tried.get(channel)
                    && loads[channel] > 0
                    && (busiest < 0 || loads[channel] > loads[busiest])) {
                busiest = channel;
            }
        }
        return busiest;
    }

    private void relieve(final int channel) {
        final int first = steps.size();
        final double start = loads[channel];
        final double[] before = new double[intervals.length];
        for (int i = 0; i < before.length; i++) {
            before[i] = intervalLoads[i][channel];
        }
        Step step = next(channel);
        while (step != null
                && work < MAX_WORK
                && (steps.size() == first || loads[channel] > stuckLoad * ENOUGH)) {
            steps.add(step);
            take(step, step.to);
            step = next(channel);
        }
        if (steps.size() > first && !isWorthIt(first, channel, before)) {
            back(first);
        }
        if (steps.size() == first) {
            stuckLoad = Math.max(stuckLoad, start);
        } else if (steps.size() > terms.maxMoves()) {
            back(terms.maxMoves());
            isLimited = true;
        }
    }

    /** Takes back the steps from one on. */
    private void back(final int first) {
        while (steps.size() > first) {
            final Step step = steps.removeLast();
            take(step, step.from);
        }
    }

    private void take(final Step step, final int to) {
        final Candidate old = mean.candidates(step.pair)[choice[step.pair]];
        final Candidate now = mean.candidates(step.pair)[to];
        mean.add(loads, step.pair, old, -1);
        mean.add(loads, step.pair, now, 1);
        for (int i = 0; i < intervals.length; i++) {
            intervals[i].add(intervalLoads[i], step.pair, old, -1);
            intervals[i].add(intervalLoads[i], step.pair, now, 1);
        }
        choice[step.pair] = to;
        for (final int channel : now.channels()) {
            if (arrivals.get(channel) == null) {
                arrivals.set(channel, new ArrayList<>());
            }
            arrivals.get(channel).add(step.pair);
        }
    }

    /** True if all channels of the changes have, in every interval, that much less than before. */
    private boolean isWorthIt(final int first, final int channel, final double[] before) {
        for (int i = 0; i < intervals.length; i++) {
            double after = intervalLoads[i][channel];
            for (final Step step : steps.subList(first, steps.size())) {
                for (final int other : mean.candidates(step.pair)[step.to].channels()) {
                    after = Math.max(after, intervalLoads[i][other]);
                }
            }
            if (after > before[i] * (1 - terms.minGain()) || before[i] <= 0) {
                return false;
            }
        }
        return true;
    }

    /** The change that leaves the least load on the channel and those of the new path. */
    private Step next(final int channel) {
        Step best = null;
        for (int i = starts[channel]; i < starts[channel + 1]; i++) {
            best = better(best, crossing[i], channel);
        }
        if (arrivals.get(channel) != null) {
            for (final int pair : arrivals.get(channel)) {
                best = better(best, pair, channel);
            }
        }
        return best;
    }

    private Step better(final Step best, final int pair, final int channel) {
        final Candidate[] candidates = mean.candidates(pair);
        final Candidate now = candidates[choice[pair]];
        if (!crosses(now, channel)) {
            return best;
        }
        Step found = best;
        final double before = loads[channel];
        double least = best == null ? before * (1 - MIN_STEP) : best.after;
        work += (long) candidates.length * now.channels().length;
        mean.add(loads, pair, now, -1);
        for (int i = 0; i < candidates.length; i++) {
            double after = loads[channel];
            for (int hop = 0; hop < candidates[i].channels().length && after < least; hop++) {
                after =
                        Math.max(
                                after,
                                loads[candidates[i].channels()[hop]]
                                        + mean.load(pair, candidates[i], hop));
            }
            if (after < least && i != choice[pair]) {
                least = after;
                found = new Step(pair, choice[pair], i, channel, before, after);
            }
        }
        mean.add(loads, pair, now, 1);
        return found;
    }

    private static boolean crosses(final Candidate candidate, final int channel) {
        for (final int other : candidate.channels()) {
            if (other == channel) {
                return true;
            }
        }
        return false;
    }

    /** Loads of all channels with the changes. */
    double[] loads() {
        return mean.loads(choice);
    }

    /** Whether more would be worth changing than the terms allow. */
    boolean isLimited() {
        return isLimited;
    }

    /** The changes, each pair once. */
    List<Improvement.Move> moves() {
        final int[] given = mean.given();
        final BitSet seen = new BitSet();
        final List<Improvement.Move> moves = new ArrayList<>();
        for (final Step step : steps) {
            if (choice[step.pair] != given[step.pair] && !seen.get(step.pair)) {
                seen.set(step.pair);
                final VlanPlan.Pair hosts = mean.pair(step.pair);
                moves.add(
                        new Improvement.Move(
                                hosts.low(),
                                hosts.high(),
                                mean.candidates(step.pair)[given[step.pair]].vlan(),
                                mean.candidates(step.pair)[choice[step.pair]].vlan(),
                                step.channel,
                                step.before,
                                step.after));
            }
        }
        return moves;
    }
}
