package io.hxb.fabric.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.algorithm.LrTurn;
import io.hxb.fabric.algorithm.Minimal;
import io.hxb.fabric.generate.RandomGraphs;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.verify.Verification;
import io.hxb.fabric.verify.Verifier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/** What must hold of every algorithm on every connected graph; a failure prints the seed. */
@Tag("property")
@Tag("search")
class RandomGraphsPropertyTest {
    private static final int TIMES = Integer.getInteger("hxb.test.searchTimes", 1);
    private static final int GRAPHS = 300 * TIMES;

    /** Algorithms for any graph. */
    private static final List<RoutingAlgorithm> GENERAL =
            Arrays.stream(RoutingAlgorithm.values())
                    .filter(algorithm -> !algorithm.isForLattices())
                    .filter(algorithm -> algorithm != RoutingAlgorithm.FAT_TREE)
                    .toList();

    /**
     * Mostly small graphs, up to 200 switches: trees, sparse, dense up to all switches joined with
     * all, with parallel links.
     */
    private static SwitchGraph graph(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final int most = random.nextInt(100) == 0 ? 200 : random.nextInt(12) == 0 ? 60 : 14;
        final int switches = 2 + random.nextInt(most - 1);
        final boolean isDense = switches <= 20 && random.nextInt(4) == 0;
        final int maxExtra = isDense ? switches * switches : 2 * switches;
        final int extra = random.nextInt(4) == 0 ? 0 : random.nextInt(maxExtra + 1);
        return RandomGraphs.connected(switches, extra, random.nextBoolean(), 1, seed);
    }

    private static PathSelection selection(final long seed) {
        return switch ((int) (seed % 5)) {
            case 0 -> PathSelection.LOW_PORT;
            case 1 -> PathSelection.RANDOM;
            case 2 -> PathSelection.SANCHO;
            case 3 -> PathSelection.BALANCED;
            default -> PathSelection.HIGH_PHYSICAL;
        };
    }

    private static void forSeeds(final int count, final LongConsumer check) {
        LongStream.range(0, count).parallel().forEach(check);
    }

    @Test
    void shouldConnectAllPairsWithoutCycles() {
        forSeeds(
                GRAPHS,
                seed -> {
                    // given
                    final SwitchGraph graph = graph(seed);
                    for (int i = 0; i < 4; i++) {
                        final RoutingAlgorithm algorithm =
                                GENERAL.get((int) ((seed * 4 + i) % GENERAL.size()));
                        final RoutingOptions options =
                                RoutingOptions.DEFAULTS.withSelection(selection(seed));
                        // when
                        final Routing routing = algorithm.routing(graph, options);
                        final RouteSet routes = routing.routes(options.selection(), seed);
                        // then
                        final String what = "seed " + seed + " " + algorithm + " " + graph;
                        final Verification found = Verifier.verify(routing, routes);
                        assertTrue(found.isConnected() && found.isLegal(), () -> what + found);
                        assertTrue(
                                found.isAcyclic() || algorithm == RoutingAlgorithm.MINIMAL,
                                () -> what + found);
                        assertTrue(routes.sumLinks() >= minimalSum(graph), what);
                    }
                });
    }

    @Test
    void shouldRefuseGraphsInParts() {
        for (long seed = 0; seed < 500; seed++) {
            // given two parts without a link between them
            final SwitchGraph first = graph(seed);
            final SwitchGraph second = graph(seed + 1);
            final SwitchGraphBuilder both = new SwitchGraphBuilder();
            both.addSwitches(first.switchCount() + second.switchCount());
            addLinks(first, both, 0);
            addLinks(second, both, first.switchCount());
            // then
            final GraphException thrown =
                    assertThrows(GraphException.class, both::build, "seed " + seed);
            assertTrue(thrown.getMessage().contains("not connected"), thrown.getMessage());
        }
    }

    private static void addLinks(
            final SwitchGraph from, final SwitchGraphBuilder to, final int offset) {
        for (int channel = 0; channel < from.channelCount(); channel += 2) {
            to.addLink(from.source(channel) + offset, from.target(channel) + offset);
        }
    }

    private static long minimalSum(final SwitchGraph graph) {
        return Minimal.paths(graph).routes(PathSelection.LOW_PORT, 0).sumLinks();
    }

    @Test
    void shouldFindTheShortestPathsWhereTheAlgorithmPromisesThem() {
        for (long seed = 0; seed < 300; seed++) {
            // given
            final SwitchGraph graph = graph(seed);
            final long minimal = minimalSum(graph);
            for (final RoutingAlgorithm algorithm :
                    new RoutingAlgorithm[] {
                        RoutingAlgorithm.LASH,
                        RoutingAlgorithm.DFSSSP,
                        RoutingAlgorithm.STRUCTURED,
                        RoutingAlgorithm.SILLA,
                        RoutingAlgorithm.IN_TRANSIT
                    }) {
                // when
                final RouteSet routes =
                        algorithm
                                .routing(graph, RoutingOptions.DEFAULTS)
                                .routes(PathSelection.LOW_PORT, 0);
                // then
                assertEquals(minimal, routes.sumLinks(), "seed " + seed + " " + algorithm);
            }
        }
    }

    @Test
    void shouldMakeTheSameRoutesAgain() {
        forSeeds(
                30 * TIMES,
                seed -> {
                    for (final RoutingAlgorithm algorithm : GENERAL) {
                        // when
                        final RouteSet first = routes(graph(seed), algorithm, seed);
                        final RouteSet second = routes(graph(seed), algorithm, seed);
                        // then
                        assertNull(difference(first, second), "seed " + seed + " " + algorithm);
                    }
                });
    }

    private static RouteSet routes(
            final SwitchGraph graph, final RoutingAlgorithm algorithm, final long seed) {
        final RoutingOptions options = RoutingOptions.DEFAULTS.withSelection(selection(seed));
        return algorithm.routing(graph, options).routes(options.selection(), seed);
    }

    private static String difference(final RouteSet first, final RouteSet second) {
        final int switches = first.graph().switchCount();
        for (int from = 0; from < switches; from++) {
            for (int to = 0; to < switches; to++) {
                if (!first.describe(from, to).equals(second.describe(from, to))) {
                    return first.describe(from, to) + " and " + second.describe(from, to);
                }
            }
        }
        return null;
    }

    @Test
    void shouldReverseLeftTurnsToRightTurns() {
        for (long seed = 0; seed < 400; seed++) {
            // given
            final SwitchGraph graph = graph(seed);
            // when
            final RouteSet left =
                    LrTurn.L_TURN_ALPHA.routing(graph, 0, false).routes(PathSelection.LOW_PORT, 0);
            final RouteSet right =
                    LrTurn.R_TURN_ALPHA.routing(graph, 0, false).routes(PathSelection.LOW_PORT, 0);
            // then
            for (int from = 0; from < graph.switchCount(); from++) {
                for (int to = 0; to < graph.switchCount(); to++) {
                    assertEquals(left.length(from, to), right.length(to, from), "seed " + seed);
                }
            }
        }
    }

    @Test
    void shouldLeadAdaptivePacketsToTheirDestination() {
        forSeeds(
                50 * TIMES,
                seed -> {
                    // given
                    final SwitchGraph graph = graph(seed);
                    final SplittableRandom random = new SplittableRandom(seed);
                    for (final RoutingAlgorithm algorithm : GENERAL) {
                        final Routing routing = algorithm.routing(graph, RoutingOptions.DEFAULTS);
                        final int[] out = new int[graph.maxDegree() * routing.virtualChannels()];
                        for (int packet = 0; packet < 20; packet++) {
                            final int from = random.nextInt(graph.switchCount());
                            final int to = random.nextInt(graph.switchCount());
                            int at = Routing.INJECTED;
                            int node = from;
                            // when
                            for (int links = 0; node != to; links++) {
                                final int count = routing.next(from, at, to, out);
                                assertFalse(
                                        count == 0 || links > 1000,
                                        "seed " + seed + " " + algorithm);
                                at = out[random.nextInt(count)];
                                // then
                                assertEquals(node, graph.source(at / routing.virtualChannels()));
                                node = graph.target(at / routing.virtualChannels());
                            }
                        }
                    }
                });
    }
}
