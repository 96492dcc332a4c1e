package io.hxb.tool.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linkstate.NodeGraph;

import org.jgrapht.alg.StoerWagnerMinimumCut;
import org.jgrapht.alg.connectivity.ConnectivityInspector;
import org.jgrapht.graph.DefaultWeightedEdge;
import org.jgrapht.graph.SimpleWeightedGraph;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** The best next cable, on graphs made by hand and against trying every cable. */
@Tag("unit")
class CableAdviceTest {
    private static final int GRAPHS = 400;

    private static CableAdvice best(final MadeUpMap map) {
        return CableAdvice.best(map.graph()).orElseThrow();
    }

    @Test
    void shouldCloseAChain() {
        final CableAdvice advice = best(new MadeUpMap(4, "0-1", "1-2", "2-3"));

        assertEquals(
                "the best next cable is 0-3: mean hops 1.67 before, 1.33 after; smallest number of"
                        + " ways without a common cable between two nodes 1 before, 2 after",
                advice.sentence());
        assertEquals(0, advice.report().get("one"));
        assertEquals(2, advice.report().get("ways_after"));
        assertEquals(false, advice.report().get("joins"));
    }

    @Test
    void shouldJoinWhatIsApartFirst() {
        final CableAdvice advice = best(new MadeUpMap(5, "0-1", "1-2", "3-4"));

        assertTrue(advice.isJoining());
        assertEquals(1, advice.one());
        assertEquals(3, advice.other());
        assertEquals(new CableAdvice.State(5.0 / 4, 4, 0), advice.before());
        assertEquals(1, advice.after().ways());
        assertEquals(10, advice.after().pairs());
        assertTrue(advice.sentence().contains("is 1-3: it joins nodes that do not reach each"));
    }

    @Test
    void shouldBeginAtTheEndsOfAStar() {
        final CableAdvice advice = best(new MadeUpMap(5, "0-1", "0-2", "0-3", "0-4"));

        assertEquals("1-2", advice.one() + "-" + advice.other());
        assertEquals(1, advice.after().ways());
        assertTrue(advice.after().meanHops() < advice.before().meanHops());
    }

    @Test
    void shouldShortenARing() {
        final CableAdvice advice = best(new MadeUpMap(6, "0-1", "1-2", "2-3", "3-4", "4-5", "0-5"));

        // Shorter for three pairs; 0-3 saves two hops of one pair.
        assertEquals("0-2", advice.one() + "-" + advice.other());
        assertEquals(1.6, advice.after().meanHops(), 1e-9);
    }

    @Test
    void shouldDoubleTheOnlyCableOfTwoNodesAndLeaveTwoAlone() {
        final CableAdvice advice = best(new MadeUpMap(2, "0-1"));

        assertEquals("0-1", advice.one() + "-" + advice.other());
        assertEquals(2, advice.after().ways());
        assertEquals(
                Optional.empty(),
                CableAdvice.best(new MadeUpMap(3, "0-1", "1-2", "0-2").graph()),
                "only more of the same");
        assertEquals(Optional.empty(), CableAdvice.best(new MadeUpMap(1).graph()));
    }

    @Test
    void shouldPassOverFullNodes() {
        // given: ends of the chain that have no room
        final MadeUpMap chain =
                new MadeUpMap(5, "1-2", "2-3").join("0-1", 8, 1_500, 1).join("3-4", 1, 1_500, 1);
        // when
        final CableAdvice advice = best(chain);
        // then
        assertTrue(advice.one() > 1, advice::sentence);
        assertEquals(
                Optional.empty(),
                CableAdvice.best(new MadeUpMap(2).join("0-1", 8, 1_500, 1).graph()));
    }

    @Test
    void shouldAddAWayWheneverAnyCableDoes() {
        final long seed = Long.getLong("hxb.test.adviceSeed", System.nanoTime());
        final Random random = new Random(seed);
        int adding = 0;
        for (int i = 0; i < GRAPHS; i++) {
            // given
            final int nodes = 2 + random.nextInt(7);
            final List<NodeGraph.Edge> edges = edges(nodes, random);
            final CableGraph graph =
                    new CableGraph(IntStream.range(0, nodes).boxed().toList(), edges);
            final int before = fewest(nodes, edges, -1, -1);
            final String replay = edges + ", replay with -Dhxb.test.adviceSeed=" + seed;
            assertEquals(before, graph.fewestWays(), replay);
            // when
            final Optional<CableAdvice> advice = CableAdvice.best(graph);
            // then
            int best = 0;
            for (int one = 0; one < nodes; one++) {
                for (int other = one + 1; other < nodes; other++) {
                    if (graph.cables(one) < 8 && graph.cables(other) < 8) {
                        best = Math.max(best, fewest(nodes, edges, one, other));
                    }
                }
            }
            if (best > before) {
                assertEquals(best, advice.orElseThrow().after().ways(), replay);
                adding++;
            }
            advice.ifPresent(
                    found -> {
                        assertEquals(
                                fewest(nodes, edges, found.one(), found.other()),
                                found.after().ways(),
                                replay);
                        assertEquals(
                                meanHops(nodes, edges, found.one(), found.other()),
                                found.after().meanHops(),
                                1e-9,
                                replay);
                        assertTrue(!found.after().equals(found.before()), replay);
                    });
        }
        assertTrue(adding > GRAPHS / 20, adding + " of " + GRAPHS);
    }

    private static List<NodeGraph.Edge> edges(final int nodes, final Random random) {
        final List<NodeGraph.Edge> edges = new ArrayList<>();
        final int density = 2 + random.nextInt(3);
        for (int one = 0; one < nodes; one++) {
            for (int other = one + 1; other < nodes; other++) {
                if (random.nextInt(density) == 0 || (other == one + 1 && random.nextInt(8) > 0)) {
                    edges.add(new NodeGraph.Edge(one, other, 1 + random.nextInt(2), 1_500, 1));
                }
            }
        }
        return edges;
    }

    private static SimpleWeightedGraph<Integer, DefaultWeightedEdge> graph(
            final int nodes, final List<NodeGraph.Edge> edges, final int one, final int other) {
        final SimpleWeightedGraph<Integer, DefaultWeightedEdge> graph =
                new SimpleWeightedGraph<>(DefaultWeightedEdge.class);
        IntStream.range(0, nodes).forEach(graph::addVertex);
        edges.forEach(
                edge -> graph.setEdgeWeight(graph.addEdge(edge.one(), edge.other()), edge.links()));
        if (one >= 0) {
            final DefaultWeightedEdge there = graph.getEdge(one, other);
            final double links = there == null ? 0 : graph.getEdgeWeight(there);
            graph.setEdgeWeight(there == null ? graph.addEdge(one, other) : there, links + 1);
        }
        return graph;
    }

    // By an algorithm that is not the one under test.
    private static int fewest(
            final int nodes, final List<NodeGraph.Edge> edges, final int one, final int other) {
        final var graph = graph(nodes, edges, one, other);
        return new ConnectivityInspector<>(graph).isConnected()
                ? (int) new StoerWagnerMinimumCut<>(graph).minCutWeight()
                : 0;
    }

    private static double meanHops(
            final int nodes, final List<NodeGraph.Edge> edges, final int one, final int other) {
        final List<NodeGraph.Edge> all = new ArrayList<>(edges);
        if (edges.stream().noneMatch(edge -> edge.one() == one && edge.other() == other)) {
            all.add(new NodeGraph.Edge(one, other, 1, 1_500, 1));
        }
        final int[][] hops = new CableGraph(IntStream.range(0, nodes).boxed().toList(), all).hops();
        long sum = 0;
        int pairs = 0;
        for (int from = 0; from < nodes; from++) {
            for (int to = from + 1; to < nodes; to++) {
                sum += Math.max(0, hops[from][to]);
                pairs += hops[from][to] < 0 ? 0 : 1;
            }
        }
        return (double) sum / pairs;
    }
}
