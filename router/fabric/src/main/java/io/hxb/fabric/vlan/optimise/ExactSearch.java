package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.vlan.optimise.VidProblem.Candidate;

/**
 * Branch and bound: takes the pair with the fewest candidates that would still beat the best choice
 * known, tries them, and turns back as soon as a pair has none. Ends with the optimum, or when it
 * has taken too many steps. Owned by one thread.
 */
final class ExactSearch {
    private static final long MAX_STEPS = 40_000_000;

    private final VidProblem problem;
    private final double[] loads;
    private final int[] choice;
    private final double tolerance;
    private int[] best;
    private double least;
    private final double bound;
    private long steps;

    /**
     * Starts.
     *
     * @param known a choice to beat.
     * @param bound where to stop, since nothing can be better.
     */
    ExactSearch(final VidProblem problem, final int[] known, final double bound) {
        this.problem = problem;
        this.loads = new double[problem.channelCount()];
        this.choice = new int[problem.size()];
        this.best = known.clone();
        this.least = VidProblem.busiest(problem.loads(known));
        this.bound = bound;
        this.tolerance = 1e-9 * problem.scale();
        java.util.Arrays.fill(choice, -1);
    }

    /** Whether it went through everything, so that {@link #best()} is the optimum. */
    boolean run() {
        search(0);
        return steps <= MAX_STEPS;
    }

    /** The best choice known. */
    int[] best() {
        return best.clone();
    }

    private boolean isOver() {
        return steps > MAX_STEPS || least <= bound + tolerance;
    }

    private void search(final int depth) {
        if (depth == choice.length) {
            best = choice.clone();
            least = VidProblem.busiest(loads);
            return;
        }
        final int pair = tightest();
        if (pair < 0) {
            return;
        }
        final Candidate[] candidates = problem.candidates(pair);
        for (int i = 0; i < candidates.length && !isOver(); i++) {
            final Candidate candidate = candidates[i];
            if (isBetter(pair, candidate)) {
                choice[pair] = i;
                problem.add(loads, pair, candidate, 1);
                search(depth + 1);
                problem.add(loads, pair, candidate, -1);
                choice[pair] = -1;
            }
        }
    }

    /** The open pair with the fewest candidates left, -1 if one has none. */
    private int tightest() {
        int tightest = -1;
        int fewest = Integer.MAX_VALUE;
        for (int pair = 0; pair < choice.length && fewest > 1; pair++) {
            if (choice[pair] < 0) {
                int count = 0;
                for (final Candidate candidate : problem.candidates(pair)) {
                    count += isBetter(pair, candidate) ? 1 : 0;
                }
                if (count < fewest) {
                    fewest = count;
                    tightest = pair;
                }
            }
        }
        return fewest == 0 ? -1 : tightest;
    }

    private boolean isBetter(final int pair, final Candidate candidate) {
        steps += candidate.channels().length;
        for (int i = 0; i < candidate.channels().length; i++) {
            if (loads[candidate.channels()[i]] + problem.load(pair, candidate, i)
                    >= least - tolerance) {
                return false;
            }
        }
        return true;
    }
}
