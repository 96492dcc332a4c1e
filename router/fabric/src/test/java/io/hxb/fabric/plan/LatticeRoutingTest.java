package io.hxb.fabric.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.algorithm.Minimal;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.verify.Verification;
import io.hxb.fabric.verify.Verifier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Meshes, tori and hypercubes of several shapes. */
@Tag("property")
class LatticeRoutingTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "mesh:4x4",
                "mesh:2x3",
                "mesh:3x3x3",
                "torus:3x3",
                "torus:4x4",
                "torus:5x2x4",
                "torus:8x8",
                "cube:4,3",
                "hypercube:4",
                "mesh:7",
                "torus:7"
            })
    void shouldRouteMinimallyWithoutDeadlock(final String words) {
        // given
        final SwitchGraph graph = GraphSpec.parse(words, 1);
        final long minimal = Minimal.paths(graph).routes(PathSelection.LOW_PORT, 0).sumLinks();
        int applied = 0;
        for (final RoutingAlgorithm algorithm : RoutingAlgorithm.values()) {
            for (final PathSelection selection : PathSelection.values()) {
                if (!algorithm.isForLattices()) {
                    continue;
                }
                final Routing routing;
                try {
                    routing = algorithm.routing(graph, RoutingOptions.DEFAULTS);
                } catch (final GraphException e) {
                    assertTrue(e.getMessage().contains("is for meshes"), e.getMessage());
                    continue;
                }
                // when
                final RouteSet routes = routing.routes(selection, 1);
                // then
                final Verification found = Verifier.verify(routing, routes);
                assertTrue(found.isOk(), () -> algorithm + " " + found);
                assertEquals(minimal, routes.sumLinks(), algorithm.toString());
                applied++;
            }
        }
        assertTrue(applied >= 16, "only " + applied);
    }

    @ParameterizedTest
    @ValueSource(strings = {"duato", "dimension-reversal-static", "dimension-reversal-dynamic"})
    void shouldReportWhatToDoWithoutEnoughChannels(final String name) {
        // given
        final SwitchGraph torus = GraphSpec.parse("torus:4x4", 1);
        final RoutingOptions few = RoutingOptions.DEFAULTS.withVirtualChannels(1);
        // then
        assertThrows(GraphException.class, () -> RoutingAlgorithm.of(name).routing(torus, few));
    }
}
