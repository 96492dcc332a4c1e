package io.hxb.fabric.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.verify.Verification;
import io.hxb.fabric.verify.Verifier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;

/** Fat trees: whole, numbered at random, irregular and with failed links; seeds are in messages. */
@Tag("property")
class FatTreeTest {
    private static RouteSet routes(final SwitchGraph graph) {
        return FatTree.routing(graph).routes(PathSelection.LOW_PORT, 0);
    }

    private static long maxHostPaths(final RouteSet routes) {
        return Arrays.stream(ChannelLoads.hostPaths(routes)).max().orElse(0);
    }

    private static void assertCarriesAllShifts(final RouteSet routes) {
        final int hosts = routes.graph().hostCount();
        for (int shift = 1; shift < hosts; shift++) {
            final TrafficMatrix.Builder traffic = new TrafficMatrix.Builder();
            for (int host = 0; host < hosts; host++) {
                traffic.add(host, (host + shift) % hosts, 1);
            }
            assertEquals(1, ChannelLoads.of(routes, traffic.build()).throughput(), "by " + shift);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"clos:8,4", "fat-tree:4,4,2", "fat-tree:4,4,3", "fat-tree:2,2,4"})
    void shouldCarryUniformTrafficAndAllShifts(final String words) {
        // when
        final RouteSet routes = routes(GraphSpec.parse(words, 4));
        // then
        assertTrue(Verifier.verify(routes).isOk());
        assertEquals(1, routes.virtualChannels());
        assertTrue(ChannelLoads.uniform(routes).throughput() >= 1, words);
        assertCarriesAllShifts(routes);
    }

    @Test
    void shouldCarryAllShiftsOf648Hosts() {
        // given 36 leaves and 18 spines of 36 ports
        final RouteSet routes = routes(Trees.leafSpine(36, 18, 18));
        // then
        assertEquals(630, maxHostPaths(routes));
        assertCarriesAllShifts(routes);
    }

    @Test
    void shouldSendEveryHostsTrafficDownTheSameWay() {
        // given
        final RouteSet routes = routes(SampleGraphs.read("ftree4ary3"));
        final SwitchGraph graph = routes.graph();
        for (int host = 0; host < graph.hostCount(); host++) {
            final int[] next = new int[graph.switchCount()];
            Arrays.fill(next, -1);
            for (int from = 0; from < graph.switchCount(); from++) {
                for (int i = 0; i < routes.length(from, host); i++) {
                    final int channel = routes.channel(from, host, i);
                    final int node = graph.source(channel);
                    // then a table by destination holds the paths
                    assertTrue(next[node] < 0 || next[node] == channel, "host " + host);
                    next[node] = channel;
                }
            }
        }
    }

    @Test
    void shouldRecogniseATreeByItsStructure() {
        for (long seed = 1; seed <= 10; seed++) {
            // given
            final SwitchGraph graph = FailedLinks.shuffled(SampleGraphs.read("ftree4ary3"), seed);
            // when
            final RouteSet routes = routes(graph);
            // then
            assertTrue(Verifier.verify(routes).isOk(), "seed " + seed);
            assertEquals(60, maxHostPaths(routes), "seed " + seed);
        }
    }

    @Test
    void shouldKeepToTheTreeWhenLinksFail() {
        final SwitchGraph whole = SampleGraphs.read("ftree4ary3");
        for (long seed = 1; seed <= 40; seed++) {
            final int failed = 1 + (int) (seed % 6);
            // given
            final SwitchGraph graph = FailedLinks.without(whole, failed, seed);
            // when
            final RouteSet routes = routes(graph);
            // then
            final Verification found = Verifier.verify(routes);
            assertTrue(found.isOk(), "seed " + seed + ": " + found.problem());
            // a leaf of four hosts shares the links that are left; twice that above it
            int fewest = 4;
            for (int leaf = 0; leaf < 16; leaf++) {
                fewest = Math.min(fewest, graph.degree(leaf));
            }
            assertTrue(
                    maxHostPaths(routes) <= 2 * 240 / fewest,
                    "seed " + seed + ": " + maxHostPaths(routes));
        }
    }

    @Test
    void shouldRouteIrregularTrees() {
        // given leaves of 1 to 5 hosts with two cables to the first spine and one to two others,
        // and a host on the first spine
        final SwitchGraphBuilder builder = new SwitchGraphBuilder().addSwitches(8);
        for (int leaf = 0; leaf < 5; leaf++) {
            builder.addLink(leaf, 5).addLink(leaf, 5).addLink(leaf, 6).addLink(leaf, 7);
            builder.addHosts(leaf, 1 + leaf);
        }
        // when
        final RouteSet routes = routes(builder.addHosts(5, 1).build());
        // then
        assertTrue(Verifier.verify(routes).isOk());
        final long[] paths = ChannelLoads.hostPaths(routes);
        assertTrue(Arrays.stream(paths).filter(count -> count == 0).count() <= 4, "idle links");
    }

    @ParameterizedTest
    @ValueSource(strings = {"torus:4x4", "hyperx:3x3", "dragonfly:3,1", "mesh:2x2"})
    void shouldRefuseOtherNetworks(final String words) {
        final GraphException thrown =
                assertThrows(
                        GraphException.class, () -> FatTree.routing(GraphSpec.parse(words, 1)));
        assertTrue(thrown.getMessage().contains("is not a fat tree"), thrown.getMessage());
        assertTrue(thrown.getMessage().contains("use dfsssp"), thrown.getMessage());
    }

    @Test
    void shouldRefuseWhatHasNoHostsOrNoCommonSwitch() {
        // given
        final SwitchGraph bare = new SwitchGraphBuilder().addSwitches(2).addLink(0, 1).build();
        // leaves 0 and 2 have no spine in common: 0 - 3 - 1 - 4 - 2
        final SwitchGraph split =
                new SwitchGraphBuilder()
                        .addSwitches(5)
                        .addLink(0, 3)
                        .addLink(1, 3)
                        .addLink(1, 4)
                        .addLink(2, 4)
                        .addHosts(0, 1)
                        .addHosts(1, 1)
                        .addHosts(2, 1)
                        .build();
        // then
        assertTrue(
                assertThrows(GraphException.class, () -> FatTree.routing(bare))
                        .getMessage()
                        .contains("fat-tree needs hosts"));
        assertTrue(
                assertThrows(GraphException.class, () -> FatTree.routing(split))
                        .getMessage()
                        .contains("no legal path leads from switch"));
    }
}
