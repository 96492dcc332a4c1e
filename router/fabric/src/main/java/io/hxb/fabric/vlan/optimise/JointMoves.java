package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.optimise.VidProblem.Candidate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Changes that belong together: those of a better choice without which it would not be better.
 * Owned by one thread.
 */
final class JointMoves {
    /** What the busiest channel may carry more if that saves a change. */
    private static final double TOLERANCE = 1.01;

    private final VidProblem problem;
    private final int[] given;
    private final int[] choice;
    private final double[] loads;

    /**
     * Leaves out what is not needed.
     *
     * @param target a choice better than the given one.
     */
    JointMoves(final VidProblem problem, final int[] target) {
        this.problem = problem;
        given = problem.given();
        choice = target.clone();
        loads = problem.loads(choice);
        final double limit = VidProblem.busiest(loads) * TOLERANCE;
        for (final int pair : changed()) {
            final Candidate back = problem.candidates(pair)[given[pair]];
            final Candidate now = problem.candidates(pair)[choice[pair]];
            problem.add(loads, pair, now, -1);
            if (isBelow(pair, back, limit)) {
                choice[pair] = given[pair];
                problem.add(loads, pair, back, 1);
            } else {
                problem.add(loads, pair, now, 1);
            }
        }
    }

    private boolean isBelow(final int pair, final Candidate candidate, final double limit) {
        for (int i = 0; i < candidate.channels().length; i++) {
            if (loads[candidate.channels()[i]] + problem.load(pair, candidate, i) > limit) {
                return false;
            }
        }
        return true;
    }

    /** Pairs that change, those with the least traffic first. */
    private List<Integer> changed() {
        final List<Integer> pairs = new ArrayList<>();
        for (int pair = 0; pair < choice.length; pair++) {
            if (choice[pair] != given[pair]) {
                pairs.add(pair);
            }
        }
        pairs.sort(
                Comparator.comparingDouble(
                        pair -> problem.largest(pair, problem.candidates(pair)[given[pair]])));
        return pairs;
    }

    /** The choice with these changes only. */
    int[] choice() {
        return choice;
    }

    /** The changes, each with the busiest channel that it leaves. */
    List<Improvement.Move> moves() {
        final double[] before = problem.loads(given);
        final double[] after = problem.loads(choice);
        final List<Improvement.Move> moves = new ArrayList<>();
        for (final int pair : changed().reversed()) {
            final Candidate old = problem.candidates(pair)[given[pair]];
            final Candidate now = problem.candidates(pair)[choice[pair]];
            int cause = old.channels()[0];
            for (final int channel : old.channels()) {
                cause = before[channel] > before[cause] ? channel : cause;
            }
            double expected = after[cause];
            for (final int channel : now.channels()) {
                expected = Math.max(expected, after[channel]);
            }
            final VlanPlan.Pair hosts = problem.pair(pair);
            moves.add(
                    new Improvement.Move(
                            hosts.low(),
                            hosts.high(),
                            old.vlan(),
                            now.vlan(),
                            cause,
                            before[cause],
                            expected));
        }
        return moves;
    }
}
