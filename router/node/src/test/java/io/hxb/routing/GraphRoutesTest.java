package io.hxb.routing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jgrapht.Graph;
import org.jgrapht.alg.flow.EdmondsKarpMFImpl;
import org.jgrapht.alg.shortestpath.BFSShortestPath;
import org.jgrapht.alg.shortestpath.SuurballeKDisjointShortestPaths;
import org.jgrapht.graph.DefaultEdge;
import org.jgrapht.graph.DefaultWeightedEdge;
import org.jgrapht.graph.DirectedWeightedPseudograph;
import org.jgrapht.graph.SimpleGraph;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

@Tag("property")
class GraphRoutesTest {
    private static final int GRAPHS = 150;
    private static final int MAX_PATHS = 6;

    /** Edges of a graph, each with two ends and a capacity. */
    private record Edges(int nodes, List<int[]> all) {
        GraphRoutes routes() {
            return GraphRoutes.of(nodes, column(0), column(1), column(2));
        }

        private int[] column(final int index) {
            return all.stream().mapToInt(edge -> edge[index]).toArray();
        }

        int capacity(final int one, final int other) {
            return all.stream()
                    .filter(edge -> isBetween(edge, one, other))
                    .mapToInt(edge -> edge[2])
                    .findAny()
                    .orElse(0);
        }

        Edges without(final int... path) {
            final List<int[]> rest = new ArrayList<>(all);
            for (int i = 1; i < path.length; i++) {
                final int one = path[i - 1];
                final int other = path[i];
                rest.removeIf(edge -> isBetween(edge, one, other));
            }
            return new Edges(nodes, rest);
        }

        private static boolean isBetween(final int[] edge, final int one, final int other) {
            return (edge[0] == one && edge[1] == other) || (edge[0] == other && edge[1] == one);
        }
    }

    private static Edges of(final int nodes, final int... ends) {
        final List<int[]> all = new ArrayList<>();
        for (int i = 0; i < ends.length; i += 2) {
            all.add(new int[] {ends[i], ends[i + 1], 1_000});
        }
        return new Edges(nodes, all);
    }

    private static Edges random(final Random random, final int maxNodes) {
        final int nodes = 1 + random.nextInt(maxNodes);
        final List<int[]> all = new ArrayList<>();
        final Set<Integer> taken = new HashSet<>();
        final int tries = random.nextInt(3 * nodes + 1);
        for (int i = 0; i < tries; i++) {
            final int one = random.nextInt(nodes);
            final int other = random.nextInt(nodes);
            if (one != other && taken.add(Math.min(one, other) * 256 + Math.max(one, other))) {
                all.add(new int[] {one, other, 1_000 << random.nextInt(3)});
            }
        }
        return new Edges(nodes, all);
    }

    private static Graph<Integer, DefaultEdge> graph(final Edges edges) {
        final Graph<Integer, DefaultEdge> graph = new SimpleGraph<>(DefaultEdge.class);
        for (int node = 0; node < edges.nodes(); node++) {
            graph.addVertex(node);
        }
        edges.all().forEach(edge -> graph.addEdge(edge[0], edge[1]));
        return graph;
    }

    // Each edge both ways, as the flow of a path takes one of them.
    private static Graph<Integer, DefaultWeightedEdge> arcs(final Edges edges) {
        final Graph<Integer, DefaultWeightedEdge> arcs =
                new DirectedWeightedPseudograph<>(DefaultWeightedEdge.class);
        for (int node = 0; node < edges.nodes(); node++) {
            arcs.addVertex(node);
        }
        for (final int[] edge : edges.all()) {
            arcs.addEdge(edge[0], edge[1]);
            arcs.addEdge(edge[1], edge[0]);
        }
        return arcs;
    }

    @Test
    void shouldFollowAShortestPathTowardsEveryNodeAndNeverLoop() {
        for (long seed = 0; seed < GRAPHS; seed++) {
            // given
            final Edges edges = random(new Random(seed), 40);
            final BFSShortestPath<Integer, DefaultEdge> reference =
                    new BFSShortestPath<>(graph(edges));
            // when
            final GraphRoutes routes = edges.routes();
            // then
            for (int from = 0; from < edges.nodes(); from++) {
                for (int to = 0; to < edges.nodes(); to++) {
                    final String what = from + " to " + to + ", seed " + seed;
                    final double hops = reference.getPathWeight(from, to);
                    final int[] path = routes.path(from, to);
                    assertEquals(Double.isInfinite(hops) ? 0 : (int) hops + 1, path.length, what);
                    assertEquals(path.length > 1, routes.next(from, to) >= 0, what);
                    for (int i = 1; i < path.length; i++) {
                        assertTrue(edges.capacity(path[i - 1], path[i]) > 0, what);
                    }
                }
            }
        }
    }

    @Test
    void shouldTakeTheWidestOfTheShortestPathsAndOfTheseTheLowestNumber() {
        for (long seed = 0; seed < GRAPHS; seed++) {
            // given
            final Edges edges = random(new Random(seed), 12);
            final GraphRoutes routes = edges.routes();
            for (int from = 0; from < edges.nodes(); from++) {
                for (int to = 0; to < edges.nodes(); to++) {
                    // when
                    final int[] path = routes.path(from, to);
                    // then
                    if (path.length > 1) {
                        final int[] best = widest(edges, routes, from, to);
                        final String what = from + " to " + to + ", seed " + seed;
                        assertEquals(best[0], width(edges, path), what);
                        assertEquals(best[1], path[1], what);
                    }
                }
            }
        }
    }

    private static int width(final Edges edges, final int... path) {
        int width = Integer.MAX_VALUE;
        for (int i = 1; i < path.length; i++) {
            width = Math.min(width, edges.capacity(path[i - 1], path[i]));
        }
        return width;
    }

    // Width of the widest shortest path, and its first hop, by trying all of them.
    private static int[] widest(
            final Edges edges, final GraphRoutes routes, final int from, final int to) {
        if (from == to) {
            return new int[] {Integer.MAX_VALUE, to};
        }
        final int[] best = {0, -1};
        for (int next = 0; next < edges.nodes(); next++) {
            final int capacity = edges.capacity(from, next);
            if (capacity > 0 && routes.path(next, to).length == routes.path(from, to).length - 1) {
                final int width = Math.min(capacity, widest(edges, routes, next, to)[0]);
                if (width > best[0]) {
                    best[0] = width;
                    best[1] = next;
                }
            }
        }
        return best;
    }

    @Test
    void shouldFindAsManyPathsAsTheMaximumFlowWithoutACommonEdge() {
        int several = 0;
        for (long seed = 0; seed < GRAPHS; seed++) {
            // given
            final Random random = new Random(seed);
            final Edges edges = random(random, 40);
            final GraphRoutes routes = edges.routes();
            final EdmondsKarpMFImpl<Integer, DefaultWeightedEdge> flow =
                    new EdmondsKarpMFImpl<>(arcs(edges));
            for (int i = 0; i < 30; i++) {
                final int from = random.nextInt(edges.nodes());
                final int to = random.nextInt(edges.nodes());
                if (from == to) {
                    continue;
                }
                final int max = 1 + random.nextInt(MAX_PATHS);
                // when
                final int[][] paths = routes.paths(from, to, max);
                // then
                final String what = from + " to " + to + ", seed " + seed;
                final int most = (int) flow.getMaximumFlowValue(from, to);
                assertEquals(Math.min(max, most), paths.length, what);
                checkPaths(edges, from, to, what, paths);
                several += paths.length > 1 ? 1 : 0;
            }
        }
        assertTrue(several > 500, several + " with several paths");
    }

    private static void checkPaths(
            final Edges edges,
            final int from,
            final int to,
            final String what,
            final int[]... paths) {
        final GraphRoutes routes = edges.routes();
        final Set<Integer> crossed = new HashSet<>();
        for (int i = 0; i < paths.length; i++) {
            final int[] path = paths[i];
            assertEquals(from, path[0], what);
            assertEquals(to, path[path.length - 1], what);
            assertEquals(path.length, Arrays.stream(path).distinct().count(), what);
            // The first is the default path, or the shortest.
            assertTrue(i < 2 || path.length >= paths[i - 1].length, what);
            for (int hop = 1; hop < path.length; hop++) {
                assertTrue(edges.capacity(path[hop - 1], path[hop]) > 0, what);
                final int low = Math.min(path[hop - 1], path[hop]);
                final int high = Math.max(path[hop - 1], path[hop]);
                assertTrue(crossed.add(low * 256 + high), () -> what + " share an edge");
            }
            checkListed(routes, what, path);
        }
    }

    private static void checkListed(
            final GraphRoutes routes, final String what, final int... path) {
        final int listed = routes.listedHops(path);
        final int[] rest = Arrays.copyOfRange(path, listed, path.length);
        assertArrayEquals(rest, routes.path(path[listed], path[path.length - 1]), what);
        assertTrue(
                listed == 0 || routes.next(path[listed - 1], rest[rest.length - 1]) != path[listed],
                what);
    }

    @Test
    void shouldHaveAsFewHopsAsPossibleTogether() {
        int beside = 0;
        int without = 0;
        for (long seed = 0; seed < 2 * GRAPHS; seed++) {
            // given
            final Random random = new Random(seed);
            final Edges edges = random(random, 16);
            final GraphRoutes routes = edges.routes();
            for (int i = 0; i < 20; i++) {
                final int from = random.nextInt(edges.nodes());
                final int to = random.nextInt(edges.nodes());
                // when
                final int[][] paths = routes.paths(from, to, 3);
                // then
                final String what = from + " to " + to + ", seed " + seed;
                final int[] first = routes.path(from, to);
                final int hops = Arrays.stream(paths).mapToInt(path -> path.length - 1).sum();
                if (paths.length < 2) {
                    continue;
                }
                if (Arrays.equals(paths[0], first)) {
                    final int rest = fewest(edges.without(first), from, to, paths.length - 1);
                    assertEquals(first.length - 1 + rest, hops, what);
                    beside++;
                } else {
                    assertEquals(fewest(edges, from, to, paths.length), hops, what);
                    without++;
                }
            }
        }
        assertTrue(beside > 500 && without > 0, beside + " beside, " + without + " without");
    }

    private static int fewest(final Edges edges, final int from, final int to, final int paths) {
        return new SuurballeKDisjointShortestPaths<>(arcs(edges))
                .getPaths(from, to, paths).stream().mapToInt(path -> path.getLength()).sum();
    }

    @Test
    void shouldPutTheDefaultPathFirstWhereItCostsNoOther() {
        // given: a ring of six nodes
        final GraphRoutes routes = of(6, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0).routes();
        // when
        final int[][] paths = routes.paths(0, 2, MAX_PATHS);
        // then
        assertArrayEquals(new int[][] {{0, 1, 2}, {0, 5, 4, 3, 2}}, paths);
        assertEquals(0, routes.listedHops(paths[0]));
        // From 4 both ways are as long, and 3 is the lower number.
        assertEquals(1, routes.listedHops(paths[1]) - 1);
    }

    @Test
    void shouldLeaveOutTheDefaultPathWhereItCostsAnother() {
        // given: the shortest path takes an edge of each of two others
        final GraphRoutes routes =
                of(8, 0, 1, 1, 2, 2, 7, 0, 3, 3, 4, 4, 2, 1, 5, 5, 6, 6, 7).routes();
        assertArrayEquals(new int[] {0, 1, 2, 7}, routes.path(0, 7));
        // when
        final int[][] paths = routes.paths(0, 7, MAX_PATHS);
        // then
        assertArrayEquals(new int[][] {{0, 1, 5, 6, 7}, {0, 3, 4, 2, 7}}, paths);
        assertArrayEquals(new int[][] {{0, 1, 2, 7}}, routes.paths(0, 7, 1));
    }

    @Test
    void shouldChooseTheSameWhateverTheOrderOfTheEdges() {
        for (long seed = 0; seed < 50; seed++) {
            // given
            final Random random = new Random(seed);
            final Edges edges = random(random, 30);
            final List<int[]> shuffled = new ArrayList<>();
            for (final int[] edge : edges.all()) {
                final boolean isTurned = random.nextBoolean();
                shuffled.add(
                        random.nextInt(shuffled.size() + 1),
                        isTurned ? new int[] {edge[1], edge[0], edge[2]} : edge);
            }
            // when
            final GraphRoutes one = edges.routes();
            final GraphRoutes other = new Edges(edges.nodes(), shuffled).routes();
            // then
            for (int from = 0; from < edges.nodes(); from++) {
                for (int to = 0; to < edges.nodes(); to++) {
                    assertEquals(one.next(from, to), other.next(from, to), "seed " + seed);
                    assertArrayEquals(
                            one.paths(from, to, MAX_PATHS), other.paths(from, to, MAX_PATHS));
                }
            }
        }
    }

    @Test
    void shouldTakeAbsurdCapacitiesAsTheNearestOnes() {
        // given: 0 to 3 over 1 with nothing, or over 2 with more than there is
        final List<int[]> all =
                List.of(
                        new int[] {0, 1, Integer.MIN_VALUE},
                        new int[] {1, 3, 0},
                        new int[] {0, 2, Integer.MAX_VALUE},
                        new int[] {2, 3, 5});
        // when
        final GraphRoutes routes = new Edges(4, all).routes();
        // then
        assertEquals(2, routes.next(0, 3));
        assertEquals(1, routes.next(0, 1));
    }

    @Test
    void shouldHaveRoutesOfTheLargestGraphsAndTheSmallest() {
        // given: each node is cabled to the six nearest of a ring
        final int nodes = GraphRoutes.MAX_NODES;
        final Edges edges = new Edges(nodes, new ArrayList<>());
        for (int node = 0; node < nodes; node++) {
            for (int step = 1; step <= 3; step++) {
                edges.all().add(new int[] {node, (node + step) % nodes, 1_000});
            }
        }
        // when
        final GraphRoutes routes = edges.routes();
        // then
        assertEquals(254, routes.next(0, 254));
        assertEquals(0, routes.next(254, 0));
        assertEquals(MAX_PATHS, routes.paths(0, 127, MAX_PATHS).length);
        assertEquals(44, routes.path(0, 127).length);
        final GraphRoutes one = GraphRoutes.of(1, new int[0], new int[0], new int[0]);
        assertEquals(GraphRoutes.NONE, one.next(0, 0));
        assertArrayEquals(new int[] {0}, one.path(0, 0));
        assertEquals(0, one.paths(0, 0, MAX_PATHS).length);
    }

    @Test
    void shouldRefuseWhatIsNoGraph() {
        final Set<String> texts = new TreeSet<>();
        for (final Edges wrong :
                List.of(
                        of(0),
                        of(256),
                        of(2, 0, 2),
                        of(2, -1, 0),
                        of(2, 1, 1),
                        of(3, 0, 1, 1, 2, 1, 0))) {
            texts.add(assertThrows(IllegalArgumentException.class, wrong::routes).getMessage());
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> GraphRoutes.of(2, new int[1], new int[1], new int[0]));
        assertThrows(IllegalArgumentException.class, () -> of(2, 0, 1).routes().next(2, 0));
        assertEquals(
                Set.of(
                        "nodes must be 1..255: 0",
                        "nodes must be 1..255: 256",
                        "node must be 0..1, the last of the graph: 2",
                        "node must be 0..1, the last of the graph: -1",
                        "edges must be between two nodes, one for each two: 1 to 1",
                        "edges must be between two nodes, one for each two: 1 to 0"),
                texts);
    }
}
