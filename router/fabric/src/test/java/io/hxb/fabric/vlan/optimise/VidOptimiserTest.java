package io.hxb.fabric.vlan.optimise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.traffic.TrafficPatterns;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.PlanQuality;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.tree.SourceTrees;
import io.hxb.fabric.vlan.tree.TopTrees;
import io.hxb.fabric.vlan.tree.TreeMaker;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Random;

@Tag("property")
class VidOptimiserTest {
    private static VlanPlan plan(final SwitchGraph graph, final TreeMaker maker) {
        return VlanPlanner.of(PlanKind.HOST_TAGGED, 4000).plan(graph, maker, "test");
    }

    private static double busiest(final VlanPlan plan, final TrafficMatrix traffic) {
        final double[] loads = new double[plan.graph().channelCount()];
        for (int i = 0; i < traffic.size(); i++) {
            for (final int channel : plan.path(traffic.source(i), traffic.destination(i))) {
                loads[channel] += traffic.amount(i);
            }
        }
        return VidProblem.busiest(loads);
    }

    private static double bruteForce(final VidProblem problem, final int[] choice, final int at) {
        if (at == choice.length) {
            return VidProblem.busiest(problem.loads(choice));
        }
        double least = Double.POSITIVE_INFINITY;
        for (choice[at] = 0; choice[at] < problem.candidates(at).length; choice[at]++) {
            least = Math.min(least, bruteForce(problem, choice, at + 1));
        }
        return least;
    }

    private static TrafficMatrix random(final Random random, final int hosts, final int size) {
        final TrafficMatrix.Builder builder = new TrafficMatrix.Builder();
        for (int i = 0; i < size; i++) {
            builder.add(random.nextInt(hosts), random.nextInt(hosts), 1 + random.nextInt(4));
        }
        return builder.build();
    }

    @Test
    void shouldFindTheOptimumOfSmallProblems() {
        final long seed = System.nanoTime();
        System.out.println("VidOptimiserTest seed " + seed);
        final Random random = new Random(seed);
        for (int i = 0; i < 60; i++) {
            // given
            final VlanPlan plan = plan(Trees.vbft(4, 3, 3), new TopTrees());
            final TrafficMatrix traffic = random(random, 12, 7);
            final VidProblem problem = VidProblem.of(plan, traffic, new AllowedPaths(plan));
            // when
            final OptimisedPlan best = VidOptimiser.optimise(plan, traffic, 1);
            final double least = bruteForce(problem, new int[problem.size()], 0);
            // then
            assertTrue(best.isOptimal());
            assertEquals(least, best.load(), 1e-9);
            assertTrue(best.lowerBound() <= least + 1e-9, best + " but " + least);
            assertEquals(best.load(), busiest(best.plan(), traffic), 1e-9);
            assertEquals(best.loadBefore(), busiest(plan, traffic), 1e-9);
        }
    }

    @Test
    void shouldComeCloseToTheLowerBoundInNetworksTooLargeToSearch() {
        for (long seed = 1; seed <= 5; seed++) {
            // given: 128 hosts with 16 peers each, and ten times the traffic between some
            final VlanPlan plan = plan(Trees.vbft(8, 8, 16), new TopTrees());
            final Random random = new Random(seed);
            final TrafficMatrix.Builder builder = new TrafficMatrix.Builder();
            for (int i = 0; i < 128 * 16; i++) {
                final double amount = 0.5 + random.nextDouble();
                builder.add(
                        random.nextInt(128),
                        random.nextInt(128),
                        i % 8 == 0 ? 10 * amount : amount);
            }
            final TrafficMatrix traffic = builder.build();
            // when
            final OptimisedPlan better = VidOptimiser.optimise(plan, traffic, seed);
            // then
            assertEquals(better.load(), busiest(better.plan(), traffic), 1e-9 * better.load());
            assertTrue(better.load() < 0.75 * better.loadBefore(), better.toString());
            assertTrue(better.gap() < 0.25, seed + ": " + better + " is off by " + better.gap());
        }
    }

    @Test
    void shouldKeepPlansFreeOfDeadlockAndNeverMakeThemWorse() {
        final long seed = System.nanoTime();
        System.out.println("VidOptimiserTest seed " + seed);
        final Random random = new Random(seed);
        for (int i = 0; i < 20; i++) {
            // given
            final SwitchGraph graph =
                    io.hxb.fabric.generate.RandomGraphs.regular(12, 4, 2, random.nextInt(1000));
            final VlanPlan plan = plan(graph, SourceTrees.upDown(0));
            final TrafficMatrix traffic = random(random, 24, 40);
            // when
            final OptimisedPlan better = VidOptimiser.optimise(plan, traffic, 1);
            // then
            assertTrue(PlanQuality.of(better.plan()).isDeadlockFree());
            assertTrue(better.load() <= better.loadBefore() + 1e-9, better.toString());
            assertTrue(better.lowerBound() <= better.load() + 1e-9, better.toString());
            assertEquals(better.load(), busiest(better.plan(), traffic), 1e-9);
            assertEquals(better, VidOptimiser.optimise(plan, traffic, 1), "same seed, same plan");
        }
    }

    @Test
    void shouldComeNearTheLowerBoundOfLargeProblems() {
        // given: 256 hosts, a full fat tree
        final VlanPlan plan = plan(Trees.vbft(16, 16, 16), new TopTrees());
        for (final String pattern : new String[] {"bit-reversal", "shift:37", "all-to-all"}) {
            final TrafficMatrix traffic = TrafficPatterns.of(pattern, plan.graph());
            // when
            final OptimisedPlan better = VidOptimiser.optimise(plan, traffic, 1);
            // then
            System.out.println(
                    pattern
                            + ": "
                            + better.loadBefore()
                            + " -> "
                            + better.load()
                            + ", bound "
                            + better.lowerBound());
            assertTrue(better.load() <= better.loadBefore(), pattern);
            assertTrue(better.gap() <= 1, pattern + " " + better.gap());
        }
    }

    @Test
    void shouldRefuseSwitchTaggedPlans() {
        final VlanPlan plan =
                VlanPlanner.of(PlanKind.SWITCH_TAGGED, 4)
                        .plan(Trees.vbft(4, 4, 4), new TopTrees(), "tops");
        final GraphException e =
                assertThrows(
                        GraphException.class,
                        () ->
                                VidOptimiser.optimise(
                                        plan, TrafficPatterns.of("kernel-cg", plan.graph()), 1));
        assertTrue(e.getMessage().contains("host-tagged"), e.getMessage());
    }
}
