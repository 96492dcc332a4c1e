package io.hxb.fabric.vlan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.traffic.TrafficPatterns;
import io.hxb.fabric.vlan.optimise.OptimisedPlan;
import io.hxb.fabric.vlan.optimise.VidOptimiser;
import io.hxb.fabric.vlan.tree.TopTrees;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** NPB Kernel-CG on 16 hosts of a VBFT of 4 + 4 switches. Source: Miura et al. 2007, 2.4. */
@Tag("unit")
class KernelCgTest {
    private static final List<VlanPlan.Pair> HEAVY =
            List.of(pair(1, 4), pair(2, 8), pair(3, 12), pair(6, 9), pair(7, 13), pair(11, 14));

    private static VlanPlan.Pair pair(final int a, final int b) {
        return VlanPlan.Pair.of(a, b);
    }

    private static VlanPlan cyclic() {
        final VlanPlanner planner =
                new VlanPlanner(
                        PlanKind.HOST_TAGGED, 4, VlanIds.parse("1-4"), new BitSet(), "no switch");
        return planner.plan(Trees.vbft(4, 4, 4), new TopTrees(), "tops");
    }

    private static List<Integer> vids(final VlanPlan plan) {
        return HEAVY.stream().map(p -> plan.vid(plan.vlanOf(p.low(), p.high()))).toList();
    }

    /** Groups of heavy pairs that share a channel in some direction. */
    private static Set<String> collisions(final VlanPlan plan) {
        final TreeMap<Integer, List<String>> users = new TreeMap<>();
        for (final VlanPlan.Pair p : HEAVY) {
            for (final int channel : plan.path(p.low(), p.high())) {
                users.computeIfAbsent(channel, key -> new ArrayList<>())
                        .add(p.low() + "-" + p.high());
            }
            for (final int channel : plan.path(p.high(), p.low())) {
                users.computeIfAbsent(channel, key -> new ArrayList<>())
                        .add(p.low() + "-" + p.high());
            }
        }
        final TreeSet<String> collisions = new TreeSet<>();
        users.values().stream()
                .filter(list -> list.size() > 1)
                .forEach(list -> collisions.add(String.join(" ", list)));
        return collisions;
    }

    @Test
    void shouldExchangeWithTheTransposedProcess() {
        // when
        final TrafficMatrix traffic = TrafficPatterns.of("kernel-cg", cyclic().graph());
        // then
        final TreeSet<VlanPlan.Pair> pairs = new TreeSet<>();
        for (int i = 0; i < traffic.size(); i++) {
            pairs.add(pair(traffic.source(i), traffic.destination(i)));
        }
        assertEquals(new TreeSet<>(HEAVY), pairs);
        assertEquals(12, traffic.size());
    }

    @Test
    void shouldCollideWithCyclicVidsAsInThePaper() {
        // when
        final VlanPlan plan = cyclic();
        // then
        assertEquals(List.of(2, 3, 4, 3, 4, 4), vids(plan));
        final Set<String> collisions = collisions(plan);
        assertTrue(collisions.contains("2-8 6-9"), collisions::toString);
        final String all = collisions.toString();
        assertTrue(all.contains("3-12 7-13") || all.contains("3-12 11-14"), all);
        for (final String text : collisions) {
            assertTrue(
                    List.of("2-8", "6-9").containsAll(List.of(text.split(" ", -1)))
                            || List.of("3-12", "7-13", "11-14")
                                    .containsAll(List.of(text.split(" ", -1))),
                    all);
        }
    }

    @Test
    void shouldShareNoLinkWhenOptimised() {
        // given
        final VlanPlan plan = cyclic();
        // when
        final OptimisedPlan better =
                VidOptimiser.optimise(plan, TrafficPatterns.of("kernel-cg", plan.graph()), 1);
        // then
        assertEquals(3, better.loadBefore());
        assertEquals(1, better.load());
        assertEquals(1, better.lowerBound());
        assertTrue(better.isOptimal());
        assertEquals(new TreeSet<>(), collisions(better.plan()));
        assertTrue(better.plan().exceptions().isEmpty(), "one row a host is enough");
        assertTrue(PlanQuality.of(better.plan()).isDeadlockFree());
    }
}
