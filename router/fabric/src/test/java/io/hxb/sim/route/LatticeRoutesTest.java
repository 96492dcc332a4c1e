package io.hxb.sim.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.algorithm.UpDown;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.lattice.LatticeDimensionOrder;
import io.hxb.fabric.lattice.LatticeGraph;
import io.hxb.sim.flit.RouteFunction;
import io.hxb.sim.flit.SimulationException;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/** Computed dimension order against the stored one, and without a cycle of dependencies. */
@Tag("property")
class LatticeRoutesTest {
    private static final int START = RouteFunction.FROM_HOST;

    /** Where a packet may go from a lane, and all lanes that it reaches on its way. */
    private static Set<Integer> next(
            final RouteFunction routes, final int at, final int node, final int to) {
        final int[] out = new int[routes.maxCandidates()];
        final int count = routes.route(0, at, node, to, 0, 0, out, 0);
        final Set<Integer> lanes = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            lanes.add(out[i]);
        }
        return lanes;
    }

    @ParameterizedTest
    @CsvSource({
        "mesh:4x3,    1, false",
        "mesh:4x3,    2, true",
        "torus:4x4,   2, false",
        "torus:5x3,   2, false",
        "torus:8,     4, true",
        "torus:4x2x3, 2, false",
        "torus:3x4x4, 4, false",
        "hypercube:4, 1, false"
    })
    void shouldPermitWhatTheStoredRoutingPermits(
            final String words, final int lanes, final boolean isFree) {
        // given
        final LatticeGraph lattice = LatticeGraph.of(GraphSpec.parse(words, 1));
        final RouteFunction stored =
                new AdaptiveRoutes(LatticeDimensionOrder.routing(lattice), lanes, isFree);
        final RouteFunction unkept =
                new AdaptiveRoutes(LatticeDimensionOrder.routing(lattice), lanes, isFree, 0);
        final RouteFunction computed =
                new LatticeRoutes(lattice, RingRule.DEFAULT, lanes, isFree, 1);
        // then, in every state that a packet can be in
        assertEquals(stored.copies(), computed.copies());
        final SwitchGraph graph = lattice.graph();
        for (int from = 0; from < graph.switchCount(); from++) {
            for (int to = 0; to < graph.switchCount(); to++) {
                final Deque<int[]> open = new ArrayDeque<>();
                if (from != to) {
                    open.add(new int[] {START, from});
                }
                while (!open.isEmpty()) {
                    final int[] state = open.remove();
                    final Set<Integer> expected = next(stored, state[0], state[1], to);
                    final String place = words + ": " + from + " to " + to + " at " + state[1];
                    assertEquals(expected, next(computed, state[0], state[1], to), place);
                    assertEquals(expected, next(unkept, state[0], state[1], to), place);
                    for (final int lane : expected) {
                        final int reached = graph.target(lane / lanes);
                        if (reached != to) {
                            open.add(new int[] {lane, reached});
                        }
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"torus:3", "torus:4", "torus:5", "torus:8", "torus:4x4", "torus:6x5"})
    void shouldHaveNoCycleOfDependenciesUnderAnyRule(final String words) {
        final LatticeGraph lattice = LatticeGraph.of(GraphSpec.parse(words, 1));
        final SwitchGraph graph = lattice.graph();
        for (final RingRule.Channels channels : RingRule.Channels.values()) {
            // given packets that may take either way at a tie, which covers the other rules
            final RouteFunction routes =
                    new LatticeRoutes(
                            lattice, new RingRule(RingRule.Ties.FREE, channels), 2, false, 1);
            // when
            final Set<Integer>[] follows = dependencies(graph, routes);
            // then the dependencies can be taken away one by one, those without a follower first
            assertTrue(isAcyclic(follows), words + " " + channels);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Set<Integer>[] dependencies(
            final SwitchGraph graph, final RouteFunction routes) {
        final Set<Integer>[] follows = new Set[graph.channelCount() * 2];
        java.util.Arrays.setAll(follows, lane -> new HashSet<>());
        for (int from = 0; from < graph.switchCount(); from++) {
            for (int to = 0; to < graph.switchCount(); to++) {
                final Deque<int[]> open = new ArrayDeque<>();
                if (from != to) {
                    open.add(new int[] {START, from, 0});
                }
                while (!open.isEmpty()) {
                    final int[] state = open.remove();
                    assertTrue(state[2] <= graph.switchCount(), "a packet goes round for ever");
                    for (final int lane : next(routes, state[0], state[1], to)) {
                        if (state[0] != START) {
                            follows[state[0]].add(lane);
                        }
                        final int reached = graph.target(lane / 2);
                        if (reached != to) {
                            open.add(new int[] {lane, reached, state[2] + 1});
                        }
                    }
                }
            }
        }
        return follows;
    }

    private static boolean isAcyclic(final Set<Integer>[] follows) {
        final Set<Integer> left = new HashSet<>();
        for (int lane = 0; lane < follows.length; lane++) {
            left.add(lane);
        }
        boolean isChanged = true;
        while (isChanged) {
            isChanged = left.removeIf(lane -> follows[lane].stream().noneMatch(left::contains));
        }
        return left.isEmpty();
    }

    @Test
    void shouldDrawTiesWithTheSameChanceOrGoUp() {
        // given a ring of eight, and a destination four switches away
        final LatticeGraph lattice = LatticeGraph.of(GraphSpec.parse("torus:8", 1));
        final RouteFunction random =
                new LatticeRoutes(
                        lattice,
                        new RingRule(RingRule.Ties.RANDOM, RingRule.Channels.KEEP),
                        2,
                        false,
                        7);
        final RouteFunction positive =
                new LatticeRoutes(
                        lattice,
                        new RingRule(RingRule.Ties.POSITIVE, RingRule.Channels.KEEP),
                        2,
                        false,
                        7);
        int up = 0;
        for (int i = 0; i < 1000; i++) {
            // when
            final Set<Integer> lanes = next(random, START, 1, 5);
            // then
            assertEquals(1, lanes.size());
            up += lattice.isPositive(lanes.iterator().next() / 2) ? 1 : 0;
            assertTrue(lattice.isPositive(next(positive, START, 1, 5).iterator().next() / 2));
        }
        assertTrue(up > 420 && up < 580, "up " + up);
    }

    @Test
    void shouldSeparateThePacketsThatPassTheClosingLink() {
        // given
        final LatticeGraph lattice = LatticeGraph.of(GraphSpec.parse("torus:8", 1));
        final RouteFunction keep =
                new LatticeRoutes(
                        lattice,
                        new RingRule(RingRule.Ties.FREE, RingRule.Channels.KEEP),
                        2,
                        false,
                        7);
        // then 6 to 1 passes it and keeps to channel 1, before and after it; 1 to 3 keeps to 0
        final int first = next(keep, START, 6, 1).iterator().next();
        final int second = next(keep, first, 7, 1).iterator().next();
        final int third = next(keep, second, 0, 1).iterator().next();
        assertEquals("1 1 1", first % 2 + " " + second % 2 + " " + third % 2);
        assertTrue(lattice.isWrap(second / 2));
        assertFalse(lattice.isWrap(third / 2));
        assertEquals(0, next(keep, START, 1, 3).iterator().next() % 2);
    }

    @Test
    void shouldNameTheWordsThereAre() {
        final SimulationException thrown =
                Assertions.assertThrows(
                        SimulationException.class, () -> RingRule.of("best", "keep"));
        assertEquals("--ties must be free, random or positive, not 'best'", thrown.getMessage());
    }

    @Test
    void shouldKeepAnswersOnlyWhileTheyAreSmall() {
        // given up*/down* in a torus of 16,384 switches, whose answers would take 7.5 GB
        final SwitchGraph graph = GraphSpec.parse("torus:32x32x16", 0);
        // then they are not kept in a heap of 24 GB or less
        final long bytes = AdaptiveRoutes.bytesOfAnswers(graph, 1);
        assertEquals(7_516_192_768L, bytes);
        assertTrue(bytes > (24L << 30) / 16);
        // and the function needs no such room
        final RouteFunction routes = new AdaptiveRoutes(UpDown.bfs(graph, 0), 1, false, 1 << 20);
        assertFalse(next(routes, START, 5, 0).isEmpty());
    }
}
