package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.vlan.optimise.VidProblem.Candidate;

import java.util.Arrays;

/**
 * A load that no choice can stay below. With prices on channels that add up to 1, every pair pays
 * at least its cheapest candidate, and the busiest channel carries at least what all pay together;
 * prices grow on busy channels round by round, and the best sum counts. Where all amounts are
 * multiples of one, the bound is rounded up to a multiple. Stateless.
 */
final class LowerBound {
    private static final int ROUNDS = 300;
    private static final long MAX_STEPS = 60_000_000;

    private LowerBound() {}

    static double of(final VidProblem problem) {
        double best = 0;
        for (int pair = 0; pair < problem.size(); pair++) {
            best = Math.max(best, alone(problem, pair));
        }
        final long steps = steps(problem);
        final int rounds = (int) Math.max(20, Math.min(ROUNDS, MAX_STEPS / Math.max(1, steps)));
        best = Math.max(best, byPrices(problem, rounds));
        return roundUp(problem, best);
    }

    private static long steps(final VidProblem problem) {
        long steps = 0;
        for (int pair = 0; pair < problem.size(); pair++) {
            for (final Candidate candidate : problem.candidates(pair)) {
                steps += candidate.channels().length;
            }
        }
        return steps;
    }

    /** The minimum load that a pair puts on its busiest channel. */
    private static double alone(final VidProblem problem, final int pair) {
        double least = Double.POSITIVE_INFINITY;
        for (final Candidate candidate : problem.candidates(pair)) {
            least = Math.min(least, problem.largest(pair, candidate));
        }
        return least;
    }

    private static double byPrices(final VidProblem problem, final int rounds) {
        final double[] prices = new double[problem.channelCount()];
        Arrays.fill(prices, 1.0 / Math.max(1, prices.length));
        double best = 0;
        for (int round = 0; round < rounds; round++) {
            final double[] loads = new double[prices.length];
            double paid = 0;
            for (int pair = 0; pair < problem.size(); pair++) {
                paid += payCheapest(problem, pair, prices, loads);
            }
            best = Math.max(best, paid);
            final double busiest = VidProblem.busiest(loads);
            if (busiest == 0) {
                return best;
            }
            raise(prices, loads, busiest, 0.5 / Math.sqrt(1 + round / 4.0));
        }
        return best;
    }

    private static double payCheapest(
            final VidProblem problem, final int pair, final double[] prices, final double[] loads) {
        double least = Double.POSITIVE_INFINITY;
        Candidate cheapest = null;
        for (final Candidate candidate : problem.candidates(pair)) {
            double price = 0;
            for (int i = 0; i < candidate.channels().length; i++) {
                price += prices[candidate.channels()[i]] * problem.load(pair, candidate, i);
            }
            if (price < least) {
                least = price;
                cheapest = candidate;
            }
        }
        problem.add(loads, pair, cheapest, 1);
        return least;
    }

    private static void raise(
            final double[] prices, final double[] loads, final double busiest, final double step) {
        double sum = 0;
        for (int channel = 0; channel < prices.length; channel++) {
            prices[channel] *= Math.exp(step * loads[channel] / busiest);
            sum += prices[channel];
        }
        for (int channel = 0; channel < prices.length; channel++) {
            prices[channel] /= sum;
        }
    }

    /** Rounds up to the next multiple of the smallest load, if all loads are multiples of it. */
    private static double roundUp(final VidProblem problem, final double bound) {
        double unit = Double.POSITIVE_INFINITY;
        for (int pair = 0; pair < problem.size(); pair++) {
            for (final Candidate candidate : problem.candidates(pair)) {
                for (int i = 0; i < candidate.channels().length; i++) {
                    final double load = problem.load(pair, candidate, i);
                    unit = load > 0 ? Math.min(unit, load) : unit;
                }
            }
        }
        for (int pair = 0; pair < problem.size(); pair++) {
            for (final Candidate candidate : problem.candidates(pair)) {
                for (int i = 0; i < candidate.channels().length; i++) {
                    final double load = problem.load(pair, candidate, i);
                    if (Math.abs(load / unit - Math.rint(load / unit)) > 1e-9) {
                        return bound;
                    }
                }
            }
        }
        return problem.size() == 0 ? 0 : unit * Math.ceil(bound / unit - 1e-9);
    }
}
