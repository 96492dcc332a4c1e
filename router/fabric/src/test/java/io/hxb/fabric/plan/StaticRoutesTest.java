package io.hxb.fabric.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SampleGraphs;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.generate.RandomGraphs;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.verify.Verification;
import io.hxb.fabric.verify.Verifier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Paths that go into static tables: each alone, without the choices of an adaptive routing. */
@Tag("property")
class StaticRoutesTest {
    private static List<SwitchGraph> graphs() {
        final List<SwitchGraph> graphs = new ArrayList<>();
        for (final String name :
                List.of("irr16_0", "irr32_0", "irr64_0", "clos8x4", "torus8x8", "mesh4x4")) {
            graphs.add(SampleGraphs.read(name));
        }
        for (final String words :
                List.of(
                        "torus:4x4",
                        "torus:5x3",
                        "torus:4x4x4",
                        "torus:9",
                        "mesh:2x2",
                        "mesh:5x4",
                        "mesh:3x3x3",
                        "hypercube:4",
                        "hyper-crossbar:3x3",
                        "hyperx:4x4",
                        "fat-tree:2,4,2",
                        "myrinet-clos:3",
                        "dragonfly:3,1",
                        "tree:12,3")) {
            graphs.add(GraphSpec.parse(words, 1));
        }
        for (int seed = 0; seed < 30; seed++) {
            graphs.add(RandomGraphs.connected(4 + seed, 3 * seed / 2, seed % 2 == 0, 1, seed));
        }
        return graphs;
    }

    @Test
    void shouldMakeTablesThatDeliverAndCannotDeadlock() {
        final Set<RoutingAlgorithm> applied = EnumSet.noneOf(RoutingAlgorithm.class);
        final Set<RoutingAlgorithm> cyclic = EnumSet.noneOf(RoutingAlgorithm.class);
        for (final SwitchGraph graph : graphs()) {
            for (final RoutingAlgorithm algorithm : RoutingAlgorithm.values()) {
                for (final PathSelection selection :
                        List.of(PathSelection.LOW_PORT, PathSelection.HIGH_PHYSICAL)) {
                    final Routing routing;
                    try {
                        routing = algorithm.routing(graph, RoutingOptions.DEFAULTS);
                    } catch (final GraphException e) {
                        // A mesh only, or another algorithm that does not suit the graph.
                        continue;
                    }
                    // when
                    final RouteSet tables = routing.staticRoutes(selection, 1);
                    final Verification found = Verifier.verify(tables);
                    // then
                    final String what = algorithm + " on " + graph + ": " + found.problem();
                    assertTrue(found.isConnected(), what);
                    assertTrue(found.isAcyclic() || algorithm == RoutingAlgorithm.MINIMAL, what);
                    assertTrue(routing.hasEscapePaths() || tables.sumLinks() > 0, what);
                    applied.add(algorithm);
                    if (!Verifier.verify(routing.routes(selection, 1)).isAcyclic()) {
                        cyclic.add(algorithm);
                    }
                }
            }
        }
        assertEquals(EnumSet.allOf(RoutingAlgorithm.class), applied);
        // The paths of unblocked packets would deadlock for these, which is why they are not used.
        assertEquals(
                EnumSet.of(
                        RoutingAlgorithm.MINIMAL,
                        RoutingAlgorithm.SILLA,
                        RoutingAlgorithm.OPT_Y,
                        RoutingAlgorithm.DUATO,
                        RoutingAlgorithm.DIMENSION_REVERSAL_DYNAMIC),
                cyclic);
    }

    @Test
    void shouldReportWhichAlgorithmsLeavePacketsAChoice() {
        // given
        final SwitchGraph mesh = GraphSpec.parse("mesh:4x4", 1);
        for (final RoutingAlgorithm algorithm :
                EnumSet.complementOf(EnumSet.of(RoutingAlgorithm.FAT_TREE))) {
            // when
            final Routing routing = algorithm.routing(mesh, RoutingOptions.DEFAULTS);
            // then
            final boolean isStored =
                    Set.of(
                                    RoutingAlgorithm.LASH,
                                    RoutingAlgorithm.IN_TRANSIT,
                                    RoutingAlgorithm.DFSSSP)
                            .contains(algorithm);
            assertEquals(!isStored, routing.isAdaptive(), algorithm.routingName());
        }
    }

    @Test
    void shouldNameTheRootsThatWereChosen() {
        // given a graph whose best root for depth-first trees is not switch 0
        final SwitchGraph graph = SampleGraphs.read("irr32_0");
        // when
        final int[] chosen =
                RoutingAlgorithm.UPDOWN_DFS.routing(graph, RoutingOptions.DEFAULTS).roots();
        final int[] given =
                RoutingAlgorithm.UPDOWN_DFS
                        .routing(graph, RoutingOptions.DEFAULTS.withRoot(3))
                        .roots();
        // then
        assertEquals(1, chosen.length);
        assertFalse(chosen[0] == 0, "the choice is one that a user cannot guess");
        assertEquals(3, given[0]);
        assertEquals(
                3,
                RoutingAlgorithm.MULTI_TREE.routing(graph, RoutingOptions.DEFAULTS).roots().length);
        assertEquals(
                0, RoutingAlgorithm.MINIMAL.routing(graph, RoutingOptions.DEFAULTS).roots().length);
        assertEquals(0, RoutingAlgorithm.SILLA.routing(graph, RoutingOptions.DEFAULTS).roots()[0]);
    }
}
