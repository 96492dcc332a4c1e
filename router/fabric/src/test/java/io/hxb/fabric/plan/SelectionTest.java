package io.hxb.fabric.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SampleGraphs;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.analysis.ChannelLoads;
import io.hxb.fabric.generate.RandomGraphs;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

@Tag("unit")
class SelectionTest {
    private static int maxPaths(final RouteSet routes) {
        return Arrays.stream(ChannelLoads.paths(routes)).max().orElse(0);
    }

    @Test
    void shouldThinOutTheBusiestChannels() {
        for (final String name : new String[] {"irr16_0", "irr32_0", "irr64_0", "torus8x8"}) {
            // given
            final Routing routing =
                    RoutingAlgorithm.DL_MUTUAL.routing(
                            SampleGraphs.read(name), RoutingOptions.DEFAULTS);
            final RouteSet first = routing.routes(PathSelection.LOW_PORT, 1);
            for (final PathSelection selection :
                    new PathSelection[] {PathSelection.SANCHO, PathSelection.HIGH_PHYSICAL}) {
                // when
                final RouteSet chosen = routing.routes(selection, 1);
                // then
                assertEquals(first.sumLinks(), chosen.sumLinks(), name);
                assertTrue(maxPaths(chosen) <= maxPaths(first), name + " " + selection);
            }
        }
    }

    @Test
    void shouldChooseOneOfTwoEqualWays() {
        // given a square: from 0 to 3 there are two ways, and from 1 to 2
        final SwitchGraph square = SampleGraphs.read("mesh4x4");
        final Routing minimal =
                RoutingAlgorithm.STRUCTURED.routing(square, RoutingOptions.DEFAULTS);
        // when
        final int busiest = maxPaths(minimal.routes(PathSelection.HIGH_PHYSICAL, 1));
        // then a bisection of the mesh has 64 pairs over 4 channels
        assertTrue(busiest >= 16 && busiest <= 20, "busiest " + busiest);
    }

    @Test
    void shouldNeedFewLayers() {
        for (long seed = 1; seed <= 5; seed++) {
            // given
            final SwitchGraph graph = RandomGraphs.regular(64, 4, 1, seed);
            // when
            final Routing lash = RoutingAlgorithm.LASH.routing(graph, RoutingOptions.DEFAULTS);
            // then
            assertTrue(lash.virtualChannels() <= 5, "layers " + lash.virtualChannels());
        }
    }

    @Test
    void shouldRefuseWhatAnAlgorithmCannotDo() {
        // given
        final SwitchGraph graph = SampleGraphs.read("irr32_0");
        final SwitchGraph bare = new SwitchGraphBuilder().addSwitches(2).addLink(0, 1).build();
        // then
        assertMessage("lash needs more than 1", "lash", graph, 1, -1);
        assertMessage("structured channels need more", "structured", graph, 3, -1);
        assertMessage("silla needs at least 2", "silla", graph, 1, -1);
        assertMessage("in-transit needs hosts", "in-transit", bare, 0, -1);
        assertMessage("the root must be a switch 0..31: 32", "updown-bfs", graph, 0, 32);
        assertMessage("multi-tree needs 1 to 32", "multi-tree", graph, 33, -1);
        assertMessage("is not a mesh or torus", "duato", graph, 0, -1);
        assertThrows(GraphException.class, () -> RoutingAlgorithm.of("updown"));
    }

    private static void assertMessage(
            final String expected,
            final String name,
            final SwitchGraph graph,
            final int channels,
            final int root) {
        final RoutingOptions options =
                RoutingOptions.DEFAULTS.withVirtualChannels(channels).withRoot(root);
        final GraphException thrown =
                assertThrows(
                        GraphException.class,
                        () -> RoutingAlgorithm.of(name).routing(graph, options));
        assertTrue(thrown.getMessage().contains(expected), thrown.getMessage());
    }

    @Test
    void shouldRouteASingleSwitch() {
        // given
        final SwitchGraph one = new SwitchGraphBuilder().addSwitches(1).addHosts(3).build();
        for (final RoutingAlgorithm algorithm : RoutingAlgorithm.values()) {
            if (!algorithm.isForLattices()) {
                // when
                final RouteSet routes =
                        algorithm
                                .routing(one, RoutingOptions.DEFAULTS)
                                .routes(PathSelection.HIGH_PHYSICAL, 1);
                // then
                assertEquals(0, routes.sumLinks());
            }
        }
    }
}
