package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.vlan.optimise.VidProblem.Candidate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.DoubleBinaryOperator;

/**
 * A load that no choice can stay below. With prices on channels that add up to 1, every pair pays
 * at least its cheapest candidate, and the busiest channel carries at least what all pay together;
 * prices grow on busy channels round by round, and the best sum counts. Where all amounts are
 * multiples of one, the bound is rounded up to a multiple. Stateless.
 */
final class LowerBound {
    private static final int ROUNDS = 300;
    private static final long MAX_STEPS = 60_000_000;

    private final VidProblem problem;

    /** The lists of candidates, each once, however many pairs choose from it. */
    private final List<Candidate[]> lists = new ArrayList<>();

    /** The list of each pair, {@code [pairs]}. */
    private final int[] listOf;

    /** Where the candidates of each list begin in the arrays below, {@code [lists + 1]}. */
    private final int[] starts;

    /** Price of an amount of 1 there and back, and what all pairs put there and back. */
    private final double[] there;

    private final double[] back;
    private final double[] amountsThere;
    private final double[] amountsBack;

    private LowerBound(final VidProblem problem) {
        this.problem = problem;
        listOf = new int[problem.size()];
        final IdentityHashMap<Candidate[], Integer> known = new IdentityHashMap<>();
        for (int pair = 0; pair < listOf.length; pair++) {
            final Candidate[] list = problem.candidates(pair);
            final Integer number = known.get(list);
            listOf[pair] = number == null ? lists.size() : number;
            if (number == null) {
                known.put(list, lists.size());
                lists.add(list);
            }
        }
        starts = new int[lists.size() + 1];
        for (int list = 0; list < lists.size(); list++) {
            starts[list + 1] = starts[list] + lists.get(list).length;
        }
        final int candidates = starts[lists.size()];
        there = new double[candidates];
        back = new double[candidates];
        amountsThere = new double[candidates];
        amountsBack = new double[candidates];
    }

    static double of(final VidProblem problem) {
        return new LowerBound(problem).find();
    }

    private double find() {
        price((sum, next) -> Math.max(sum, next), null);
        double best = 0;
        for (int pair = 0; pair < problem.size(); pair++) {
            best = Math.max(best, alone(pair));
        }
        long steps = 0;
        for (int pair = 0; pair < problem.size(); pair++) {
            for (final Candidate candidate : problem.candidates(pair)) {
                steps += candidate.channels().length;
            }
        }
        final int rounds = (int) Math.max(20, Math.min(ROUNDS, MAX_STEPS / Math.max(1, steps)));
        return roundUp(problem, Math.max(best, byPrices(rounds)));
    }

    /**
     * Computes {@link #there} and {@link #back} of all candidates.
     *
     * @param sum joins the channels of a path.
     * @param prices of the channels; null for 1 each.
     */
    private void price(final DoubleBinaryOperator sum, final double[] prices) {
        int index = 0;
        for (final Candidate[] list : lists) {
            for (final Candidate candidate : list) {
                final int[] channels = candidate.channels();
                double forward = 0;
                double backward = 0;
                for (int i = 0; i < channels.length; i += 2) {
                    forward = sum.applyAsDouble(forward, price(prices, channels[i]));
                    backward = sum.applyAsDouble(backward, price(prices, channels[i + 1]));
                }
                there[index] = forward;
                back[index++] = backward;
            }
        }
    }

    private double price(final double[] prices, final int channel) {
        return prices == null ? problem.cost(channel) : problem.cost(channel) * prices[channel];
    }

    /** The minimum load that a pair puts on its busiest channel. */
    private double alone(final int pair) {
        double least = Double.POSITIVE_INFINITY;
        for (int i = starts[listOf[pair]]; i < starts[listOf[pair] + 1]; i++) {
            least =
                    Math.min(
                            least,
                            Math.max(
                                    problem.forward(pair) * there[i],
                                    problem.backward(pair) * back[i]));
        }
        return least;
    }

    private double byPrices(final int rounds) {
        final double[] prices = new double[problem.channelCount()];
        final double[] loads = new double[prices.length];
        Arrays.fill(prices, 1.0 / Math.max(1, prices.length));
        double best = 0;
        for (int round = 0; round < rounds; round++) {
            price(Double::sum, prices);
            best = Math.max(best, assignCheapest());
            load(loads);
            final double busiest = VidProblem.busiest(loads);
            if (busiest == 0) {
                return best;
            }
            raise(prices, loads, busiest, 0.5 / Math.sqrt(1 + round / 4.0));
        }
        return best;
    }

    /** What all pairs pay together, each for its cheapest candidate, and what that carries then. */
    private double assignCheapest() {
        Arrays.fill(amountsThere, 0);
        Arrays.fill(amountsBack, 0);
        double paid = 0;
        for (int pair = 0; pair < listOf.length; pair++) {
            final double forward = problem.forward(pair);
            final double backward = problem.backward(pair);
            final int end = starts[listOf[pair] + 1];
            int cheapest = starts[listOf[pair]];
            double least = Double.POSITIVE_INFINITY;
            for (int i = cheapest; i < end; i++) {
                final double price = forward * there[i] + backward * back[i];
                if (price < least) {
                    least = price;
                    cheapest = i;
                }
            }
            amountsThere[cheapest] += forward;
            amountsBack[cheapest] += backward;
            paid += least;
        }
        return paid;
    }

    private void load(final double[] loads) {
        Arrays.fill(loads, 0);
        int index = 0;
        for (final Candidate[] list : lists) {
            for (final Candidate candidate : list) {
                final int[] channels = candidate.channels();
                for (int i = 0; i < channels.length; i += 2) {
                    loads[channels[i]] += amountsThere[index] * problem.cost(channels[i]);
                    loads[channels[i + 1]] += amountsBack[index] * problem.cost(channels[i + 1]);
                }
                index++;
            }
        }
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
