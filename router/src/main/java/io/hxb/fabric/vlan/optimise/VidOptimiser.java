package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.PlanQuality;
import io.hxb.fabric.vlan.VlanPlan;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

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
        final VidProblem problem = VidProblem.of(plan, traffic, new AllowedPaths(plan));
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
                table(plan, problem, choice),
                problem.size(),
                VidProblem.busiest(problem.loads(problem.given())),
                VidProblem.busiest(problem.loads(choice)),
                bound,
                isOptimal);
    }

    /** As many pairs as possible by default VIDs, the others as exceptions. */
    private static VlanPlan table(
            final VlanPlan plan, final VidProblem problem, final int[] choice) {
        final Map<VlanPlan.Pair, Integer> wanted = new TreeMap<>();
        for (int i = 0; i < choice.length; i++) {
            wanted.put(problem.pair(i), problem.candidates(i)[choice[i]].vlan());
        }
        final VlanPlan byDefaults = withDefaults(plan, wanted);
        final boolean isSafe =
                !PlanQuality.of(plan).isDeadlockFree()
                        || PlanQuality.of(byDefaults).isDeadlockFree();
        return isSafe ? byDefaults : withExceptions(plan, plan.trees().ofHosts(), wanted);
    }

    private static VlanPlan withDefaults(
            final VlanPlan plan, final Map<VlanPlan.Pair, Integer> wanted) {
        final int[] defaults = plan.trees().ofHosts();
        final Map<Integer, Map<Integer, Integer>> votes = new HashMap<>();
        wanted.forEach(
                (pair, vlan) -> {
                    final int decides =
                            plan.rank(pair.low()) < plan.rank(pair.high())
                                    ? pair.low()
                                    : pair.high();
                    votes.computeIfAbsent(decides, key -> new TreeMap<>())
                            .merge(vlan, 1, Integer::sum);
                });
        votes.forEach(
                (host, counts) -> {
                    int most = counts.getOrDefault(defaults[host], 0);
                    for (final Map.Entry<Integer, Integer> entry : counts.entrySet()) {
                        if (entry.getValue() > most) {
                            most = entry.getValue();
                            defaults[host] = entry.getKey();
                        }
                    }
                });
        return withExceptions(plan, defaults, wanted);
    }

    private static VlanPlan withExceptions(
            final VlanPlan plan, final int[] defaults, final Map<VlanPlan.Pair, Integer> wanted) {
        final Map<VlanPlan.Pair, Integer> exceptions = new TreeMap<>(plan.exceptions());
        exceptions.putAll(wanted);
        final VlanPlan bare = plan.withTable(defaults, Map.of());
        exceptions
                .entrySet()
                .removeIf(
                        entry ->
                                bare.vlanOf(entry.getKey().low(), entry.getKey().high())
                                        == entry.getValue());
        return plan.withTable(defaults, exceptions);
    }
}
