package io.hxb.fabric.vlan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.RandomGraphs;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.vlan.tree.RouteTrees;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Random;

@Tag("property")
class PathPackingTest {
    private static final VlanPlanner PLANNER = VlanPlanner.of(PlanKind.HOST_TAGGED, 4000);

    private static RouteSet routes(final RoutingAlgorithm algorithm, final SwitchGraph graph) {
        final RoutingOptions options = RoutingOptions.DEFAULTS;
        return algorithm.routing(graph, options).routes(options.selection(), options.seed());
    }

    @Test
    void shouldGiveEveryPairItsRouteInATreeThatReachesAll() {
        final long seed = System.nanoTime();
        System.out.println("PathPackingTest seed " + seed);
        final Random random = new Random(seed);
        for (int i = 0; i < 40; i++) {
            // given
            final SwitchGraph graph =
                    RandomGraphs.regular(4 + 2 * random.nextInt(10), 3, 2, random.nextInt(1000));
            final RouteSet routes = routes(RoutingAlgorithm.L_TURN_ALPHA, graph);
            // when
            final VlanPlan plan = PathPacking.plan(PLANNER, routes, "l-turn-alpha");
            // then
            for (int low = 0; low < graph.hostCount(); low++) {
                for (int high = low + 1; high < graph.hostCount(); high++) {
                    final int from = Math.min(graph.hostSwitch(low), graph.hostSwitch(high));
                    final int to = Math.max(graph.hostSwitch(low), graph.hostSwitch(high));
                    assertArrayEquals(
                            routes.channels(from, to),
                            plan.tree(plan.vlanOf(high, low)).path(from, to));
                    assertEquals(plan.vlanOf(low, high), plan.vlanOf(high, low));
                }
            }
            for (int vlan = 0; vlan < plan.vlanCount(); vlan++) {
                assertEquals(graph.switchCount() - 1, plan.tree(vlan).linkCount());
            }
        }
    }

    @Test
    void shouldReportWhenSwitchesCannotTagWhatARoutingWants() {
        // given: some random graph whose shortest paths part and meet again
        final VlanPlanner planner = VlanPlanner.of(PlanKind.SWITCH_TAGGED, 4000);
        int refused = 0;
        for (int seed = 1; seed <= 20; seed++) {
            final SwitchGraph graph = RandomGraphs.regular(16, 4, 1, seed);
            final RouteSet routes = routes(RoutingAlgorithm.L_TURN_ALPHA, graph);
            // when
            try {
                planner.plan(graph, new RouteTrees(routes, "l-turn-alpha"), "l-turn-alpha");
            } catch (final GraphException e) {
                refused++;
                // then
                assertTrue(e.getMessage().contains("part and meet again"), e.getMessage());
                assertTrue(e.getMessage().contains("updown-tree"), e.getMessage());
                assertTrue(e.getMessage().contains("host-tagged"), e.getMessage());
            }
        }
        assertTrue(refused > 0, "no graph showed it");
    }

    @Test
    void shouldReportHowManyVlansAreNeeded() {
        final SwitchGraph graph = RandomGraphs.regular(16, 4, 1, 1);
        final RouteSet routes = routes(RoutingAlgorithm.MINIMAL, graph);
        final VlanPlanner planner = VlanPlanner.of(PlanKind.HOST_TAGGED, 2);

        final GraphException e =
                assertThrows(
                        GraphException.class, () -> PathPacking.plan(planner, routes, "minimal"));

        assertTrue(e.getMessage().contains("only 2 are allowed"), e.getMessage());
    }
}
