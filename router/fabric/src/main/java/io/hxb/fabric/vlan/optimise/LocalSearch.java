package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.vlan.optimise.VidProblem.Candidate;

import java.util.Arrays;
import java.util.Random;

/**
 * Looks for a good choice: largest pairs first, each where it hurts least; then pairs move off busy
 * channels as long as that helps, with some thrown at random and moved again. Deterministic for a
 * seed. Owned by one thread.
 */
final class LocalSearch {
    private static final int MAX_KICKS = 60;
    private static final long MAX_STEPS = 40_000_000;

    private final VidProblem problem;
    private final Random random;
    private final double scale;
    private final double inverse;
    private final double bound;
    private final int[] choice;
    private double[] loads;

    /** {@link #power} of each load, so that one candidate costs one power a channel, not two. */
    private final double[] powers;

    private long steps;

    /**
     * Starts.
     *
     * @param bound where to stop, since nothing can be better.
     */
    LocalSearch(final VidProblem problem, final double bound, final long seed) {
        this.problem = problem;
        this.bound = bound;
        this.random = new Random(seed);
        this.scale = Math.max(problem.scale(), Double.MIN_NORMAL);
        this.choice = problem.given();
        this.inverse = 1 / scale;
        this.powers = new double[problem.channelCount()];
        recount();
    }

    private void recount() {
        loads = problem.loads(choice);
        for (int channel = 0; channel < powers.length; channel++) {
            powers[channel] = power(loads[channel] * inverse);
        }
    }

    private void add(final int pair, final Candidate candidate, final double times) {
        problem.add(loads, pair, candidate, times);
        for (final int channel : candidate.channels()) {
            powers[channel] = power(loads[channel] * inverse);
        }
    }

    /** The best choice found, {@code [pairs]}; never worse than the given one. */
    int[] run() {
        return run(true);
    }

    /** As {@link #run}, from the given choice on, so that what is found is close to it. */
    int[] runFromGiven() {
        return run(false);
    }

    private int[] run(final boolean isFresh) {
        int[] best = problem.given();
        double least = busiest();
        if (isFresh) {
            greedy();
        }
        descend();
        for (int kick = 0; ; kick++) {
            final double now = busiest();
            if (now < least - 1e-9 * scale) {
                least = now;
                best = choice.clone();
            }
            if (least <= bound + 1e-9 * scale || kick == MAX_KICKS || steps > MAX_STEPS) {
                return best;
            }
            System.arraycopy(best, 0, choice, 0, best.length);
            recount();
            perturb();
            descend();
        }
    }

    private double busiest() {
        return VidProblem.busiest(loads);
    }

    private void greedy() {
        Arrays.fill(loads, 0);
        Arrays.fill(powers, 0);
        for (final long entry : largestFirst()) {
            final int pair = (int) entry;
            choice[pair] = minHarm(pair);
            add(pair, problem.candidates(pair)[choice[pair]], 1);
        }
    }

    /** The pairs in the lower halves; the upper ones fall with the load. */
    private long[] largestFirst() {
        final long[] order = new long[problem.size()];
        for (int pair = 0; pair < order.length; pair++) {
            final double largest = problem.largest(pair, problem.candidates(pair)[0]) * inverse;
            final long falling = (long) Integer.MAX_VALUE - Float.floatToIntBits((float) largest);
            order[pair] = falling << Integer.SIZE | pair;
        }
        Arrays.sort(order);
        return order;
    }

    /** The candidate of a pair that is not counted in the loads now. */
    private int minHarm(final int pair) {
        final Candidate[] candidates = problem.candidates(pair);
        int best = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < candidates.length; i++) {
            final double harm = harm(pair, candidates[i]);
            if (harm < least) {
                least = harm;
                best = i;
            }
        }
        return best;
    }

    /** By how much a candidate raises the sum of powers. */
    private double harm(final int pair, final Candidate candidate) {
        final int[] channels = candidate.channels();
        double harm = 0;
        for (int i = 0; i < channels.length; i++) {
            final int channel = channels[i];
            final double after = loads[channel] + problem.load(pair, candidate, i);
            harm += power(after * inverse) - powers[channel];
        }
        steps += channels.length;
        return harm;
    }

    /** Loads count by their eighth power, so that the busiest channels matter most. */
    private static double power(final double load) {
        final double second = load * load;
        final double fourth = second * second;
        return fourth * fourth;
    }

    /** Moves pairs one by one until no move helps. */
    private void descend() {
        boolean hasMoved = true;
        while (hasMoved && steps <= MAX_STEPS) {
            hasMoved = false;
            for (int pair = 0; pair < problem.size(); pair++) {
                final Candidate[] candidates = problem.candidates(pair);
                if (candidates.length < 2) {
                    continue;
                }
                final Candidate now = candidates[choice[pair]];
                add(pair, now, -1);
                final int better = minHarm(pair);
                final boolean isBetter =
                        harm(pair, candidates[better]) < harm(pair, now) * (1 - 1e-12) - 1e-15;
                choice[pair] = isBetter ? better : choice[pair];
                hasMoved |= isBetter;
                add(pair, candidates[choice[pair]], 1);
            }
        }
        // Sums of differences drift, so recompute them.
        recount();
    }

    private void perturb() {
        for (int i = 0; i < Math.max(2, problem.size() / 20); i++) {
            final int pair = random.nextInt(problem.size());
            final Candidate[] candidates = problem.candidates(pair);
            add(pair, candidates[choice[pair]], -1);
            choice[pair] = random.nextInt(candidates.length);
            add(pair, candidates[choice[pair]], 1);
        }
    }
}
