package io.hxb.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.analysis.ChannelLoads;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.PlanQuality;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.tree.SourceTrees;
import io.hxb.fabric.vlan.tree.TopTrees;
import io.hxb.fabric.vlan.tree.TreeMaker;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Two leaves with eight hosts of 10 Gbit/s each, a spine of 25 and one of 100 Gbit/s. */
@Tag("unit")
class LinkWeightsTest {
    private static final long GBPS = 1_000_000_000L;

    private static SwitchGraph leavesAndSpines(final long slowBps, final long fastBps) {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        builder.addSwitches(4);
        for (int leaf = 0; leaf < 2; leaf++) {
            builder.addLink(leaf, null, 2, null, slowBps);
            builder.addLink(leaf, null, 3, null, fastBps);
        }
        for (int host = 0; host < 16; host++) {
            builder.addHost("h" + host, host / 8, null, 0, 10 * GBPS);
        }
        return builder.build();
    }

    @Test
    void shouldWeighSlowLinksMore() {
        // when
        final LinkWeights weights = LinkWeights.of(leavesAndSpines(25 * GBPS, 100 * GBPS));
        // then
        assertEquals(64, weights.weight(0));
        assertEquals(16, weights.weight(1));
        for (final SwitchGraph even :
                List.of(
                        leavesAndSpines(GBPS, GBPS),
                        leavesAndSpines(0, 0),
                        leavesAndSpines(0, GBPS))) {
            assertTrue(LinkWeights.of(even).areEven());
            assertEquals(1, LinkWeights.of(even).weight(0));
        }
    }

    @Test
    void shouldRouteOverTheFastSpine() {
        // given
        final SwitchGraph graph = leavesAndSpines(25 * GBPS, 100 * GBPS);
        for (final PathSelection selection :
                List.of(PathSelection.SANCHO, PathSelection.HIGH_PHYSICAL)) {
            final RoutingOptions options = RoutingOptions.DEFAULTS.withSelection(selection);
            for (final RoutingAlgorithm algorithm :
                    List.of(
                            RoutingAlgorithm.MINIMAL,
                            RoutingAlgorithm.UPDOWN_BFS,
                            RoutingAlgorithm.SILLA,
                            RoutingAlgorithm.LASH)) {
                // when
                final Routing routing = algorithm.routing(graph, options);
                final RouteSet routes = routing.routes(selection, 1);
                // then
                assertEquals(
                        1.0,
                        ChannelLoads.uniform(routes).throughput(),
                        1e-9,
                        algorithm + " " + selection);
            }
        }
    }

    @Test
    void shouldUseTreesAsOftenAsTheyAreFast() {
        // given
        final SwitchGraph graph = leavesAndSpines(25 * GBPS, 100 * GBPS);
        // when
        final VlanPlan plan = plan(graph, new TopTrees());
        // then: of 80 Gbit/s of a leaf, the slow spine carries 10 and 20
        final long[] paths = PlanQuality.pathsPerChannel(plan);
        assertEquals(8, paths[0]);
        assertEquals(56, paths[2]);
        assertEquals(16, paths[4]);
        assertEquals(48, paths[6]);
        assertEquals("s2 -> s0", graph.channelName(PlanQuality.of(plan).busiestChannel()));
        // and equal spines carry the same
        final long[] even =
                PlanQuality.pathsPerChannel(plan(leavesAndSpines(GBPS, GBPS), new TopTrees()));
        assertEquals(32, even[0]);
    }

    @Test
    void shouldGrowTreesAlongFastLinks() {
        // given
        final SwitchGraph graph = leavesAndSpines(25 * GBPS, 100 * GBPS);
        // when
        final long[] paths = PlanQuality.pathsPerChannel(plan(graph, SourceTrees.shortest()));
        // then
        assertEquals(0, paths[0]);
        assertEquals(64, paths[2]);
    }

    private static VlanPlan plan(final SwitchGraph graph, final TreeMaker maker) {
        return VlanPlanner.of(PlanKind.SWITCH_TAGGED, 4094).plan(graph, maker, "test");
    }
}
