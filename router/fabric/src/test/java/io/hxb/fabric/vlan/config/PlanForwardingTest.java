package io.hxb.fabric.vlan.config;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.generate.Crossbars;
import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.PlanQuality;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.tree.DoubleStarTrees;
import io.hxb.fabric.vlan.tree.LatticeTrees;
import io.hxb.fabric.vlan.tree.SourceTrees;
import io.hxb.fabric.vlan.tree.TopTrees;
import io.hxb.fabric.vlan.tree.TreeMaker;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Switches set up by a plan carry every frame along its planned path and nowhere else. */
@Tag("property")
class PlanForwardingTest {
    private static final int RANDOM_GRAPHS = 150;

    private static void check(
            final SwitchGraph graph, final TreeMaker maker, final boolean isDeadlockFree) {
        for (final PlanKind kind : PlanKind.values()) {
            final VlanPlan plan = VlanPlanner.of(kind, 4000).plan(graph, maker, "test");
            checkForwarding(plan);
            if (isDeadlockFree) {
                assertEquals(List.of(), PlanQuality.of(plan).cycle(), () -> plan.toString());
            }
        }
    }

    private static void checkForwarding(final VlanPlan plan) {
        final SwitchSimulation switches = new SwitchSimulation(plan);
        final SwitchGraph graph = plan.graph();
        final boolean isTagging = plan.kind() == PlanKind.HOST_TAGGED;
        for (int from = 0; from < graph.hostCount(); from++) {
            for (int to = 0; to < graph.hostCount(); to++) {
                if (from == to) {
                    continue;
                }
                final int vid = plan.vid(plan.vlanOf(from, to));
                final SwitchSimulation.Outcome outcome =
                        switches.send(from, to, isTagging ? vid : SwitchSimulation.NO_TAG);
                assertArrayEquals(
                        plan.path(from, to),
                        outcome.channels().stream().mapToInt(Integer::intValue).toArray(),
                        () -> plan + ": " + outcome);
                assertEquals(Map.of(to, isTagging ? vid : 0), outcome.arrivals());
                assertEquals(0, outcome.floods());
                if (isTagging) {
                    assertEquals(plan.vlanOf(from, to), plan.vlanOf(to, from));
                }
            }
            checkBroadcast(plan, switches, from);
        }
    }

    private static void checkBroadcast(
            final VlanPlan plan, final SwitchSimulation switches, final int from) {
        final boolean isTagging = plan.kind() == PlanKind.HOST_TAGGED;
        final int vid = isTagging ? plan.vid(plan.vlanOf(from)) : 0;
        final Map<Integer, Integer> all = new TreeMap<>();
        for (int host = 0; host < plan.graph().hostCount(); host++) {
            if (host != from) {
                all.put(host, vid);
            }
        }
        assertEquals(all, new TreeMap<>(switches.broadcast(from, vid).arrivals()));
    }

    @Test
    void shouldForwardInLatticesOfAllOrders() {
        for (final int[] extents :
                List.of(
                        new int[] {4, 4},
                        new int[] {2, 4},
                        new int[] {5, 3},
                        new int[] {3, 2, 4},
                        new int[] {6, 4},
                        new int[] {1, 5})) {
            final int[] order = new int[extents.length];
            for (int i = 0; i < order.length; i++) {
                order[i] = order.length - 1 - i;
            }
            for (final LatticeTrees.Ties ties : LatticeTrees.Ties.values()) {
                final Lattice mesh = Lattice.mesh(extents);
                final Lattice torus = Lattice.torus(extents);
                check(mesh.graph(1), LatticeTrees.of(mesh, order, ties), extents.length == 1);
                check(torus.graph(2), LatticeTrees.of(torus, order, ties), false);
            }
        }
    }

    @Test
    void shouldForwardInHyperCrossbars() {
        for (final int[] extents : List.of(new int[] {4, 4}, new int[] {3, 2, 4})) {
            final int[] order = extents.length == 2 ? new int[] {0, 1} : new int[] {2, 0, 1};
            final Lattice nodes = Lattice.mesh(extents);
            final SwitchGraph graph = Crossbars.hyperCrossbar(extents);
            final VlanPlan plan =
                    VlanPlanner.of(PlanKind.SWITCH_TAGGED, 100)
                            .plan(graph, LatticeTrees.ofCrossbar(nodes, order), "test");

            checkForwarding(plan);

            assertEquals(nodes.switchCount() / extents[order[0]], plan.vlanCount());
            assertTrue(PlanQuality.of(plan).isDeadlockFree());
        }
    }

    @Test
    void shouldForwardInTreesOfLevels() {
        check(Trees.fatTree(2, 4, 2), new TopTrees(), true);
        check(Trees.fatTree(2, 2, 3), new TopTrees(), true);
        check(Trees.vbft(4, 4, 4), new TopTrees(), true);
        check(Trees.vbft(5, 3, 2), new TopTrees(), true);
        check(Trees.myrinetClos(4, 3), new DoubleStarTrees(1), false);
        check(Trees.myrinetClos(4, 3), new DoubleStarTrees(3), false);
    }

    @Test
    void shouldForwardWithoutDeadlockInAnyGraph() {
        final long seed = System.nanoTime();
        System.out.println("PlanForwardingTest seed " + seed);
        final Random random = new Random(seed);
        for (int i = 0; i < RANDOM_GRAPHS; i++) {
            final SwitchGraph graph = randomGraph(random);
            check(graph, SourceTrees.upDown(random.nextInt(graph.switchCount())), true);
            check(graph, SourceTrees.shortest(), false);
        }
    }

    /** 1 to 16 switches, parallel links and switches without hosts included. */
    private static SwitchGraph randomGraph(final Random random) {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        final int switches = 1 + random.nextInt(16);
        builder.addSwitches(switches);
        for (int node = 1; node < switches; node++) {
            builder.addLink(node, random.nextInt(node));
        }
        for (int extra = random.nextInt(2 * switches); extra > 0 && switches > 1; extra--) {
            final int a = random.nextInt(switches);
            final int b = random.nextInt(switches);
            if (a != b) {
                builder.addLink(a, b);
            }
        }
        builder.addHosts(random.nextInt(switches), 2);
        for (int node = 0; node < switches; node++) {
            builder.addHosts(node, random.nextInt(3));
        }
        return builder.build();
    }
}
