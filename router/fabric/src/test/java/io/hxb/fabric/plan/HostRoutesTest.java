package io.hxb.fabric.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.RouteSetBuilder;
import io.hxb.fabric.SampleGraphs;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.analysis.ChannelLoads;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.generate.RandomGraphs;
import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.verify.Verification;
import io.hxb.fabric.verify.Verifier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Paths for each host: weights by hosts, parallel links, and the loads that remain. */
@Tag("unit")
class HostRoutesTest {
    private static RouteSet balanced(final RoutingAlgorithm algorithm, final SwitchGraph graph) {
        return algorithm.routing(graph, RoutingOptions.DEFAULTS).routes(PathSelection.BALANCED, 1);
    }

    private static long maxHostPaths(final RouteSet routes) {
        return Arrays.stream(ChannelLoads.hostPaths(routes)).max().orElse(0);
    }

    /** The largest load of a channel when every host sends to the host {@code shift} further on. */
    static double shiftLoad(final RouteSet routes, final int shift) {
        final int hosts = routes.graph().hostCount();
        final TrafficMatrix.Builder traffic = new TrafficMatrix.Builder();
        for (int host = 0; host < hosts; host++) {
            traffic.add(host, (host + shift) % hosts, 1);
        }
        final ChannelLoads loads = ChannelLoads.of(routes, traffic.build());
        return loads.load(loads.busiest());
    }

    /** Two switches, eight cables between them, eight hosts on each. */
    private static SwitchGraph eightCables() {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder().addSwitches(2);
        for (int cable = 0; cable < 8; cable++) {
            builder.addLink(0, 1);
        }
        return builder.addHosts(8).build();
    }

    @Test
    void shouldUseAllCablesBetweenTwoSwitches() {
        // given
        final SwitchGraph graph = eightCables();
        for (final RoutingAlgorithm algorithm :
                new RoutingAlgorithm[] {
                    RoutingAlgorithm.MINIMAL,
                    RoutingAlgorithm.UPDOWN_BFS,
                    RoutingAlgorithm.DL_MUTUAL
                }) {
            // when
            final RouteSet routes = balanced(algorithm, graph);
            // then
            final long[] paths = ChannelLoads.hostPaths(routes);
            assertTrue(Arrays.stream(paths).allMatch(count -> count == 8), algorithm.name());
            assertEquals(1, ChannelLoads.uniform(routes).throughput(), 1e-9);
            for (int shift = 1; shift < 16; shift++) {
                assertEquals(1, shiftLoad(routes, shift), 1e-9, algorithm + " shift " + shift);
            }
        }
    }

    @Test
    void shouldUseParallelCablesToEachSpine() {
        // given four leaves of eight hosts, four cables to each of two spines
        final SwitchGraphBuilder builder = new SwitchGraphBuilder().addSwitches(6);
        for (int leaf = 0; leaf < 4; leaf++) {
            for (int cable = 0; cable < 8; cable++) {
                builder.addLink(leaf, 4 + cable % 2);
            }
        }
        for (int leaf = 0; leaf < 4; leaf++) {
            builder.addHosts(leaf, 8);
        }
        // when
        final RouteSet routes = balanced(RoutingAlgorithm.MINIMAL, builder.build());
        // then
        assertEquals(24, maxHostPaths(routes));
        assertEquals(1, ChannelLoads.uniform(routes).throughput(), 1e-9);
        for (int shift = 1; shift < 32; shift++) {
            assertTrue(shiftLoad(routes, shift) <= 1, "shift " + shift);
        }
    }

    @Test
    void shouldCarryAllShiftsOnAFatTreeOf648Hosts() {
        // given 36 leaves and 18 spines of 36 ports
        final SwitchGraph graph = Trees.leafSpine(36, 18, 18);
        // when
        final RouteSet routes = balanced(RoutingAlgorithm.UPDOWN_BFS, graph);
        // then
        assertEquals(648, graph.hostCount());
        assertEquals(630, maxHostPaths(routes));
        final ChannelLoads uniform = ChannelLoads.uniform(routes);
        assertTrue(uniform.load(uniform.busiest()) <= 1, "" + uniform.load(uniform.busiest()));
        for (int shift = 1; shift < 648; shift++) {
            assertTrue(shiftLoad(routes, shift) <= 1, "shift " + shift);
        }
    }

    @ParameterizedTest
    @CsvSource({"ftree4ary3,60", "clos8x4,28", "irr16_0,176", "irr32_0,524", "irr64_0,1180"})
    void shouldLoadNoChannelMoreThanOpenSm(final String name, final int opensm) {
        // when
        final RouteSet routes = balanced(RoutingAlgorithm.MINIMAL, SampleGraphs.read(name));
        // then
        assertTrue(maxHostPaths(routes) <= opensm, "" + maxHostPaths(routes));
    }

    @Test
    void shouldNotCountSwitchesWithoutHosts() {
        // given a ring of six switches, of which the neighbours 0 and 1 and the opposite 3 have
        // hosts
        final SwitchGraph graph =
                GraphSpec.parse("torus:6", 0).toBuilder()
                        .addHosts(0, 2)
                        .addHosts(1, 1)
                        .addHosts(3, 4)
                        .build();
        // when
        final RouteSet routes = balanced(RoutingAlgorithm.MINIMAL, graph);
        // then sources and destinations are where the hosts are
        assertTrue(routes.isSource(0) && routes.isSource(1) && routes.isSource(3));
        assertFalse(routes.isSource(2) || routes.isSource(4) || routes.isSource(5));
        assertEquals(7, routes.destinationCount());
        assertEquals(2 * 1 + 2 * 4 + 1 * 4, pairs(routes, 1) / 2);
        // then both ways round are used from 0 to 3: by one of the four hosts there beside the
        // paths from 1, by three on the other side
        final long[] paths = ChannelLoads.hostPaths(routes);
        final long clockwise = paths[channel(graph, 0, 1)];
        final long other = paths[channel(graph, 0, 5)];
        assertEquals(2 * 4 + 2, clockwise + other);
        assertEquals(4, clockwise);
    }

    /** Ordered pairs of hosts on different switches, weighed by {@code weight}. */
    private static long pairs(final RouteSet routes, final int weight) {
        long sum = 0;
        for (int from = 0; from < routes.graph().switchCount(); from++) {
            for (int to = 0; routes.isSource(from) && to < routes.destinationCount(); to++) {
                sum += routes.length(from, to) > 0 ? weight * routes.hostPairs(from, to) : 0;
            }
        }
        return sum;
    }

    private static int channel(final SwitchGraph graph, final int from, final int to) {
        return IntStream.range(0, graph.degree(from))
                .map(i -> graph.outgoing(from, i))
                .filter(channel -> graph.target(channel) == to)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"clos:8,4|48", "fat-tree:4,4,3|112"})
    void shouldThinOutByPairsOfHosts(final String words, final int most) {
        // given a tree whose upper switches have no hosts
        final SwitchGraph graph = GraphSpec.parse(words, 4);
        // when
        final RouteSet routes =
                RoutingAlgorithm.MINIMAL
                        .routing(graph, RoutingOptions.DEFAULTS)
                        .routes(PathSelection.HIGH_PHYSICAL, 1);
        // then the busiest channel has 64 and 224 when paths to the upper switches count, too
        assertTrue(maxHostPaths(routes) <= most, "" + maxHostPaths(routes));
    }

    @Test
    void shouldLeaveEqualNumbersOfHostsAsTheyWere() {
        // given the same graph with none, one and four hosts on every switch
        final SwitchGraph[] graphs =
                IntStream.of(0, 1, 4)
                        .mapToObj(hosts -> RandomGraphs.regular(16, 4, hosts, 3))
                        .toArray(SwitchGraph[]::new);
        for (final PathSelection selection :
                new PathSelection[] {PathSelection.SANCHO, PathSelection.HIGH_PHYSICAL}) {
            // when
            final RouteSet[] routes =
                    Arrays.stream(graphs)
                            .map(
                                    graph ->
                                            RoutingAlgorithm.DL_MUTUAL
                                                    .routing(graph, RoutingOptions.DEFAULTS)
                                                    .routes(selection, 1))
                            .toArray(RouteSet[]::new);
            // then
            for (int pair = 0; pair < 256; pair++) {
                final String first = routes[0].describe(pair / 16, pair % 16);
                assertEquals(first, routes[1].describe(pair / 16, pair % 16));
                assertEquals(first, routes[2].describe(pair / 16, pair % 16));
            }
        }
    }

    @Test
    void shouldPreferTheFasterLink() {
        // given two switches, a cable of 100 Gbit/s and one of 25 Gbit/s, ten hosts on each
        final SwitchGraph graph =
                new SwitchGraphBuilder()
                        .addSwitches(2)
                        .addLink(0, "fast", 1, "fast", 100_000_000_000L)
                        .addLink(0, "slow", 1, "slow", 25_000_000_000L)
                        .addHosts(10)
                        .build();
        // when
        final long[] paths = ChannelLoads.hostPaths(balanced(RoutingAlgorithm.MINIMAL, graph));
        // then
        assertEquals(80, paths[0]);
        assertEquals(20, paths[2]);
    }

    @Test
    void shouldNameCableAndHostInWords() {
        // when
        final RouteSet routes = balanced(RoutingAlgorithm.MINIMAL, eightCables());
        // then
        assertNotEquals(routes.describe(0, 8), routes.describe(0, 9));
        assertTrue(routes.describe(0, 8).endsWith(" -> s1 -> h8"), routes.describe(0, 8));
        assertTrue(routes.describe(0, 8).startsWith("s0."), routes.describe(0, 8));
    }

    @Test
    void shouldRefusePathsThatDoNotReachTheirHost() {
        // given
        final SwitchGraph graph = eightCables();
        final RouteSetBuilder builder = new RouteSetBuilder(graph, 1, true);
        for (int host = 0; host < 8; host++) {
            builder.endPath();
        }
        // then the path to host 8 has to cross a cable
        assertThrows(IllegalArgumentException.class, builder::endPath);
        assertThrows(IllegalStateException.class, builder::build);
    }

    @Test
    void shouldFallBackToSwitchesWithoutHosts() {
        // when
        final SwitchGraph graph = GraphSpec.parse("torus:4x4", 1);
        final SwitchGraphBuilder bare = new SwitchGraphBuilder().addSwitches(16);
        for (int channel = 0; channel < graph.channelCount(); channel += 2) {
            bare.addLink(graph.source(channel), graph.target(channel));
        }
        final RouteSet routes = balanced(RoutingAlgorithm.UPDOWN_BFS, bare.build());
        // then
        assertFalse(routes.isPerHost());
        assertEquals(16, routes.destinationCount());
        assertTrue(Verifier.verify(routes).isOk());
    }

    @Test
    void shouldDeliverWithoutCyclesOnEveryGraph() {
        for (long seed = 0; seed < 60; seed++) {
            // given hosts on some switches, parallel links in half of the graphs
            final int switches = 2 + (int) (seed * 7 % 30);
            final SwitchGraphBuilder builder =
                    RandomGraphs.connected(switches, (int) seed, seed % 2 == 0, 0, seed)
                            .toBuilder();
            for (int node = (int) (seed % 2); node < switches; node += 1 + (int) (seed % 3)) {
                builder.addHosts(node, 1 + node % 3);
            }
            final SwitchGraph graph = builder.build();
            for (final RoutingAlgorithm algorithm :
                    new RoutingAlgorithm[] {
                        RoutingAlgorithm.UPDOWN_BFS,
                        RoutingAlgorithm.UPDOWN_DFS,
                        RoutingAlgorithm.L_TURN_ALPHA,
                        RoutingAlgorithm.DL_MUTUAL,
                        RoutingAlgorithm.MULTI_TREE,
                        RoutingAlgorithm.SILLA
                    }) {
                final Routing routing = algorithm.routing(graph, RoutingOptions.DEFAULTS);
                // when
                final RouteSet routes = routing.staticRoutes(PathSelection.BALANCED, 1);
                // then
                final Verification found = Verifier.verify(routes);
                assertTrue(found.isOk(), "seed " + seed + " " + algorithm + found.problem());
                final RouteSet unblocked = routing.routes(PathSelection.BALANCED, 1);
                final Verification legal = Verifier.verify(routing, unblocked);
                assertTrue(legal.isOk(), "seed " + seed + " " + algorithm + legal.problem());
            }
        }
    }
}
