package io.hxb.fabric.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.FailedLinks;
import io.hxb.fabric.GraphException;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SampleGraphs;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.analysis.ChannelLoads;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.generate.RandomGraphs;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.verify.Verification;
import io.hxb.fabric.verify.Verifier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;

/** Paths in layers: dfsssp, and lash with balanced paths. Seeds are in messages. */
@Tag("property")
class LayeredPathsTest {
    private static RouteSet routes(final Routing routing) {
        return routing.routes(PathSelection.LOW_PORT, 0);
    }

    private static long maxHostPaths(final RouteSet routes) {
        return Arrays.stream(ChannelLoads.hostPaths(routes)).max().orElse(0);
    }

    /** Every path arrives, no cycle, and every path keeps to one layer. */
    private static void assertSafe(final RouteSet routes, final String what) {
        final Verification found = Verifier.verify(routes);
        assertTrue(found.isOk(), what + ": " + found.problem());
        final int layers = routes.virtualChannels();
        for (int from = 0; from < routes.graph().switchCount(); from++) {
            for (int to = 0; to < routes.destinationCount(); to++) {
                for (int i = 1; i < routes.length(from, to); i++) {
                    assertEquals(
                            routes.step(from, to, 0) % layers,
                            routes.step(from, to, i) % layers,
                            what);
                }
            }
        }
    }

    /** Pairs of hosts times links in each layer. */
    private static long[] shares(final RouteSet routes) {
        final long[] shares = new long[routes.virtualChannels()];
        for (int from = 0; from < routes.graph().switchCount(); from++) {
            for (int to = 0; to < routes.destinationCount(); to++) {
                for (int i = 0; i < routes.length(from, to); i++) {
                    shares[routes.step(from, to, i) % shares.length] += routes.hostPairs(from, to);
                }
            }
        }
        return shares;
    }

    @ParameterizedTest
    @CsvSource({
        "irr16_0,176,2",
        "irr32_0,524,3",
        "irr64_0,1180,5",
        "ftree4ary3,60,1",
        "clos8x4,28,1",
        "torus4x4,144,4"
    })
    void shouldBalanceChannelsAndLayers(final String name, final int most, final int layers) {
        // when
        final RouteSet routes = routes(Dfsssp.routing(SampleGraphs.read(name), 0, 0));
        // then
        assertSafe(routes, name);
        assertTrue(maxHostPaths(routes) <= most, "" + maxHostPaths(routes));
        assertTrue(routes.virtualChannels() <= layers, "" + routes.virtualChannels());
        assertAlike(shares(routes));
    }

    /** No layer carries a quarter more than its share. */
    private static void assertAlike(final long[] shares) {
        final double share = Arrays.stream(shares).average().orElse(0);
        assertTrue(Arrays.stream(shares).max().orElse(0) <= 1.25 * share, Arrays.toString(shares));
    }

    @ParameterizedTest
    @ValueSource(strings = {"irr32_0", "irr64_0"})
    void shouldBalanceTheLayersOfLash(final String name) {
        // given
        final SwitchGraph graph = SampleGraphs.read(name);
        final RouteSet plain = routes(Lash.routing(graph, 0, 0));
        // when
        final RouteSet balanced = routes(Lash.balanced(graph, 0, 0));
        // then
        assertSafe(balanced, name);
        assertFalse(balanced.isPerHost());
        assertEquals(plain.sumLinks(), balanced.sumLinks());
        assertTrue(maxHostPaths(balanced) < maxHostPaths(plain));
        assertAlike(shares(balanced));
        final long[] before = shares(plain);
        assertTrue(before[0] > 2 * before[before.length - 1], "what there was to balance");
    }

    @Test
    void shouldUseExactlyTheLayersAskedFor() {
        for (long seed = 1; seed <= 12; seed++) {
            final SwitchGraph graph =
                    RandomGraphs.connected(
                            6 + 3 * (int) seed, 4 * (int) seed, seed % 2 == 0, 2, seed);
            long before = Long.MAX_VALUE;
            for (int layers = 1; layers <= 4; layers++) {
                // when
                final RouteSet routes = routes(Dfsssp.routing(graph, 0, layers));
                // then
                final String what = "seed " + seed + " layers " + layers;
                assertEquals(layers, routes.virtualChannels(), what);
                assertSafe(routes, what);
                assertTrue(routes.sumLinks() <= before, what);
                before = routes.sumLinks();
            }
        }
    }

    @Test
    void shouldRouteWhenLinksFail() {
        final SwitchGraph whole = SampleGraphs.read("torus8x8");
        final long healthy = maxHostPaths(routes(Dfsssp.routing(whole, 0, 0)));
        for (long seed = 1; seed <= 6; seed++) {
            // given
            final SwitchGraph graph = FailedLinks.without(whole, (int) seed, seed);
            // when
            final RouteSet routes = routes(Dfsssp.routing(graph, 0, 0));
            // then
            assertSafe(routes, "seed " + seed);
            assertTrue(
                    maxHostPaths(routes) <= 1.5 * healthy,
                    "seed " + seed + ": " + maxHostPaths(routes) + " after " + healthy);
        }
    }

    @Test
    void shouldUseParallelLinksByHosts() {
        // given a ring of five switches with three cables each, three hosts on each switch
        final SwitchGraphBuilder builder = new SwitchGraphBuilder().addSwitches(5);
        for (int node = 0; node < 5; node++) {
            builder.addLink(node, (node + 1) % 5);
            builder.addLink(node, (node + 1) % 5);
            builder.addLink(node, (node + 1) % 5);
        }
        final SwitchGraph graph = builder.addHosts(3).build();
        for (final Routing routing :
                new Routing[] {Dfsssp.routing(graph, 0, 0), Lash.balanced(graph, 0, 0)}) {
            // when
            final RouteSet routes = routes(routing);
            // then each of the three carries a third
            assertSafe(routes, routing.name());
            assertTrue(routes.isPerHost(), routing.name());
            assertEquals(9, maxHostPaths(routes), routing.name());
        }
    }

    @Test
    void shouldRefuseWhatLashCannotDo() {
        final GraphException thrown =
                assertThrows(
                        GraphException.class,
                        () -> Lash.balanced(SampleGraphs.read("irr32_0"), 0, 1));
        assertTrue(thrown.getMessage().contains("lash needs more than 1"), thrown.getMessage());
    }

    @Test
    void shouldRouteBetweenSwitchesWithoutHosts() {
        // given
        final SwitchGraph graph = GraphSpec.parse("torus:3x3", 0);
        // when
        final RouteSet routes = routes(Dfsssp.routing(graph, 0, 0));
        // then
        assertSafe(routes, "torus without hosts");
        assertEquals(9, routes.destinationCount());
    }
}
