package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.PlanQuality;
import io.hxb.fabric.vlan.VlanPlan;

import java.util.Map;

/**
 * Chooses the VID of each pair of hosts for given traffic. A plan that cannot deadlock stays so.
 * Deterministic for a seed. Stateless.
 */
public final class VidOptimiser {
    /**
     * Maximum number of pairs for which the best choice is searched for exactly, by branch and
     * bound.
     */
    public static final int MAX_PAIRS_EXACT = 256;

    private VidOptimiser() {}

    /**
     * Makes a better plan of the same VLANs.
     *
     * @param plan a host-tagged one.
     * @param seed of the local search.
     * @throws GraphException if the switches tag: then a host has one VID only.
     */
    public static OptimisedPlan optimise(
            final VlanPlan plan, final TrafficMatrix traffic, final long seed) {
        if (plan.kind() != PlanKind.HOST_TAGGED) {
            throw new GraphException(
                    "VIDs can be chosen for each pair only where hosts tag; plan it with --kind"
                            + " host-tagged");
        }
        final AllowedPaths allowed = new AllowedPaths(plan);
        final VidProblem problem = VidProblem.of(plan, traffic, allowed);
        final double bound = LowerBound.of(problem);
        final double tolerance = 1e-9 * problem.scale();
        int[] choice = new LocalSearch(problem, bound, seed).run();
        boolean isOptimal = VidProblem.busiest(problem.loads(choice)) <= bound + tolerance;
        if (!isOptimal && problem.size() <= MAX_PAIRS_EXACT) {
            final ExactSearch exact = new ExactSearch(problem, choice, bound);
            isOptimal = exact.run();
            choice = exact.best();
        }
        return new OptimisedPlan(
                table(plan, allowed.isDeadlockFree(), problem, choice),
                problem.size(),
                VidProblem.busiest(problem.loads(problem.given())),
                VidProblem.busiest(problem.loads(choice)),
                bound,
                isOptimal);
    }

    /** As many pairs as possible by default VIDs, the others as exceptions. */
    private static VlanPlan table(
            final VlanPlan plan,
            final boolean isDeadlockFree,
            final VidProblem problem,
            final int[] choice) {
        final int[] wanted = new int[choice.length];
        for (int i = 0; i < choice.length; i++) {
            wanted[i] = problem.candidates(i)[choice[i]].vlan();
        }
        final VlanPlan byDefaults =
                withExceptions(plan, defaults(plan, problem, wanted), problem, wanted);
        final boolean isSafe = !isDeadlockFree || PlanQuality.of(byDefaults).isDeadlockFree();
        return isSafe ? byDefaults : withExceptions(plan, plan.trees().ofHosts(), problem, wanted);
    }

    /** Each host's own VLAN: the one that most of the pairs want for which this host decides. */
    private static int[] defaults(
            final VlanPlan plan, final VidProblem problem, final int[] wanted) {
        final int[] defaults = plan.trees().ofHosts();
        final int[][] votes = new int[defaults.length][plan.vlanCount()];
        for (int i = 0; i < wanted.length; i++) {
            final int low = problem.low(i);
            final int high = problem.high(i);
            votes[plan.rank(low) < plan.rank(high) ? low : high][
                    plan.ownVlanFor(low, high, wanted[i])]++;
        }
        for (int host = 0; host < defaults.length; host++) {
            int most = votes[host][defaults[host]];
            for (int vlan = 0; vlan < votes[host].length; vlan++) {
                if (votes[host][vlan] > most) {
                    most = votes[host][vlan];
                    defaults[host] = vlan;
                }
            }
        }
        return defaults;
    }

    private static VlanPlan withExceptions(
            final VlanPlan plan,
            final int[] defaults,
            final VidProblem problem,
            final int[] wanted) {
        final VlanPlan bare = plan.withTable(defaults, Map.of());
        final Map<VlanPlan.Pair, Integer> exceptions = plan.exceptions();
        for (int i = 0; i < wanted.length; i++) {
            if (!exceptions.isEmpty()
                    || bare.vlanOf(problem.low(i), problem.high(i)) != wanted[i]) {
                exceptions.put(problem.pair(i), wanted[i]);
            }
        }
        exceptions
                .entrySet()
                .removeIf(
                        entry ->
                                bare.vlanOf(entry.getKey().low(), entry.getKey().high())
                                        == entry.getValue());
        return plan.withTable(defaults, exceptions);
    }
}
