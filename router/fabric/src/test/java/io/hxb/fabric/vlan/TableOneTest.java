package io.hxb.fabric.vlan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.vlan.tree.DoubleStarTrees;
import io.hxb.fabric.vlan.tree.LatticeTrees;
import io.hxb.fabric.vlan.tree.SourceTrees;
import io.hxb.fabric.vlan.tree.TopTrees;
import io.hxb.fabric.vlan.tree.TreeMaker;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Table 1 of the switch-tagged paper: 16 hosts, switches, links, VLANs, average and largest number
 * of switches passed, most paths on a channel. Four figures of the paper cannot be right; the tests
 * of those rows explain why. Source: Otsuka et al. 2006, table 1.
 */
@Tag("unit")
class TableOneTest {
    private static final int[] XY = {0, 1};

    private static VlanPlan plan(final SwitchGraph graph, final TreeMaker maker) {
        return VlanPlanner.of(PlanKind.SWITCH_TAGGED, 100).plan(graph, maker, "test");
    }

    private static TreeMaker table(final Lattice lattice) {
        return LatticeTrees.of(lattice, XY, LatticeTrees.Ties.TABLE);
    }

    /** Switches, links, VLANs, AH with two decimals, MH, CP. */
    private static String row(final VlanPlan plan) {
        final PlanQuality quality = PlanQuality.of(plan);
        assertEquals(16, plan.graph().hostCount());
        return "%d %d %d %.2f %d %d"
                .formatted(
                        plan.graph().switchCount(),
                        plan.graph().linkCount(),
                        plan.vlanCount(),
                        quality.averageSwitches(),
                        quality.maxSwitches(),
                        quality.maxPaths());
    }

    @Test
    void shouldPlanTheMeshOfTwoByFour() {
        // given
        final Lattice mesh = Lattice.mesh(2, 4);
        // when
        final VlanPlan plan = plan(mesh.graph(2), table(mesh));
        // then: half of the hosts send to the other half over two links, 64 paths each way, so
        // that the 24 of the paper are impossible.
        assertEquals("8 10 4 2.75 5 32", row(plan));
    }

    @Test
    void shouldPlanTheTorusOfTwoByFour() {
        // given
        final Lattice torus = Lattice.torus(2, 4);
        // when
        final VlanPlan plan = plan(torus.graph(2), table(torus));
        // then: three links apart are four switches, not three; the paper's 32 belongs to the mesh.
        assertEquals("8 12 4 2.50 4 24", row(plan));
    }

    @Test
    void shouldPlanMyrinetClos() {
        // given
        final SwitchGraph graph = Trees.myrinetClos(4, 2);
        // when
        final VlanPlan four = plan(graph, new DoubleStarTrees(1));
        final VlanPlan eight = plan(graph, new DoubleStarTrees(2));
        // then: the paper's 12 needs both hosts of a switch in VLANs of their own.
        assertEquals("8 16 4 2.25 3 16", row(four));
        assertEquals("8 16 8 2.25 3 12", row(eight));
    }

    @Test
    void shouldPlanTheTreeOfOneMeshVlan() {
        // given: VL(-, 0) of the 4 x 4 mesh
        final Lattice mesh = Lattice.mesh(4, 4);
        final VlanPlan whole = plan(mesh.graph(1), table(mesh));
        final io.hxb.fabric.SwitchGraphBuilder builder =
                new io.hxb.fabric.SwitchGraphBuilder().addSwitches(16);
        for (final int link : whole.tree(0).links()) {
            builder.addLink(whole.graph().source(2 * link), whole.graph().target(2 * link));
        }
        // when
        final VlanPlan plan = plan(builder.addHosts(1).build(), SourceTrees.upDown(0));
        // then
        assertEquals("16 15 1 4.81 10 64", row(plan));
    }

    @Test
    void shouldPlanTheMeshOfFourByFour() {
        // given
        final Lattice mesh = Lattice.mesh(4, 4);
        // when
        final VlanPlan plan = plan(mesh.graph(1), table(mesh));
        // then
        assertEquals("16 24 4 3.50 7 16", row(plan));
        assertTrue(PlanQuality.of(plan).isDeadlockFree());
    }

    @Test
    void shouldPlanTheTorusOfFourByFour() {
        // given
        final Lattice torus = Lattice.torus(4, 4);
        // when
        final VlanPlan plan = plan(torus.graph(1), table(torus));
        // then: two halves of each ring need trees of their own, so eight VLANs instead of four.
        assertEquals("16 32 8 3.00 5 12", row(plan));
        assertTrue(PlanQuality.of(plan).isDeadlockFree());
    }

    @Test
    void shouldPlanTheFatTree() {
        // when
        final VlanPlan plan = plan(Trees.fatTree(2, 4, 2), new TopTrees());
        // then
        assertEquals("14 24 4 3.75 5 16", row(plan));
        assertArrayEquals(new int[] {4, 4, 4, 4}, plan.trees().hostCounts());
        assertTrue(PlanQuality.of(plan).isDeadlockFree());
    }

    @Test
    void shouldLoadATorusLessThanThePaperByBalancedTies() {
        // given
        final Lattice torus = Lattice.torus(4, 4);
        // when
        final VlanPlan plan =
                plan(torus.graph(1), LatticeTrees.of(torus, XY, LatticeTrees.Ties.BALANCED));
        // then
        assertEquals("16 32 8 3.00 5 8", row(plan));
        assertTrue(PlanQuality.of(plan).isDeadlockFree());
    }
}
