package io.hxb.routing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Routes of frames between nodes that are cabled in any way. */
@Tag("unit")
class CablingRouteTest {
    private static final int NODES = 12;
    private static final Shape SHAPE = Shape.ofAnyCabling(NODES);

    private final CablingMap map = new CablingMap(NODES);
    private final RouteCodec codec = new RouteCodec(SHAPE, map);

    private void ring() {
        final int[] one = new int[NODES];
        final int[] other = new int[NODES];
        final int[] megabits = new int[NODES];
        Arrays.setAll(one, i -> i);
        Arrays.setAll(other, i -> (i + 1) % NODES);
        Arrays.fill(megabits, 1_000);
        map.replace(GraphRoutes.of(NODES, one, other, megabits));
    }

    private long[] walk(final long route, final long from, final long to) {
        final long[] nodes = new long[NODES];
        final int count = codec.trace(route, from, to, nodes);
        return count < 0 ? new long[0] : Arrays.copyOf(nodes, count);
    }

    @Test
    void shouldFollowTheMapWithoutAList() {
        ring();
        final long route = Route.ofOrder(DimensionOrder.DEFAULT);
        assertArrayEquals(new long[] {0, 1, 2, 3}, walk(route, 0, 3));
        assertArrayEquals(new long[] {0, 11, 10, 9}, walk(route, 0, 9));
        assertEquals(1, codec.nextHop(route, 0, 3));
        assertEquals(RouteCodec.HERE, codec.nextHop(route, 3, 3));
    }

    @Test
    void shouldHaveNoHopWhereTheMapHasNoWay() {
        final long route = Route.ofOrder(DimensionOrder.DEFAULT);
        assertEquals(RouteCodec.NO_HOP, codec.nextHop(route, 0, 3));
        assertEquals(RouteCodec.NO_HOP, codec.firstHop(route, 0, 3));
        assertEquals(0, walk(route, 0, 3).length);
    }

    @Test
    void shouldWriteAWayThatNeedsOneHopAsAnOrder() {
        ring();
        // The other way round to the opposite node: from the second node on it is the shortest.
        final long[] path = {0, 11, 10, 9, 8, 7, 6};
        final long route = codec.encode(path, path.length);
        assertFalse(Route.isDetour(route));
        assertTrue(RouteCodec.isValid(route, SHAPE));
        assertEquals(11, codec.firstHop(route, 0, 6));
        assertArrayEquals(path, walk(route, 0, 6));
    }

    @Test
    void shouldListTheHopsOfALongerWay() {
        ring();
        final long[] path = {0, 11, 10, 9, 8, 7, 6, 5, 4};
        final long route = codec.encode(path, path.length);
        assertTrue(Route.isDetour(route));
        assertTrue(RouteCodec.isValid(route, SHAPE));
        assertArrayEquals(path, walk(route, 0, 4));
        final long[] back = {4, 5, 6, 7, 8, 9, 10, 11, 0};
        assertArrayEquals(back, walk(codec.reverse(route, 0, 4, 4, new long[NODES]), 4, 0));
    }

    @Test
    void shouldRefuseOtherOrdersThanThoseOfThisShape() {
        assertTrue(RouteCodec.isValid(Route.ofOrder(DimensionOrder.DEFAULT), SHAPE));
        assertTrue(RouteCodec.isValid(Route.ofOrder(DimensionOrder.DEFAULT ^ NODES), SHAPE));
        assertFalse(RouteCodec.isValid(Route.ofOrder(DimensionOrder.DEFAULT ^ NODES + 1), SHAPE));
        assertFalse(RouteCodec.isValid(Route.ofOrder(0), SHAPE));
        assertFalse(RouteCodec.isValid(Route.of(DimensionOrder.DEFAULT, 1), SHAPE));
    }

    @Test
    void shouldFollowEachPathThatItHasWritten() {
        final long seed = System.nanoTime();
        final SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 200; round++) {
            final int edges = NODES + random.nextInt(NODES);
            final boolean[][] isEdge = new boolean[NODES][NODES];
            final int[] one = new int[edges];
            final int[] other = new int[edges];
            final int[] megabits = new int[edges];
            int count = 0;
            while (count < edges) {
                final int low = random.nextInt(NODES);
                final int high = random.nextInt(NODES);
                if (low < high && !isEdge[low][high]) {
                    isEdge[low][high] = true;
                    one[count] = low;
                    other[count] = high;
                    megabits[count++] = 1 + random.nextInt(1_000);
                }
            }
            map.replace(GraphRoutes.of(NODES, one, other, megabits));
            final int from = random.nextInt(NODES);
            final int to = (from + 1 + random.nextInt(NODES - 1)) % NODES;
            for (final int[] path : map.routes().paths(from, to, 6)) {
                final long[] nodes = Arrays.stream(path).asLongStream().toArray();
                final long route = codec.encode(nodes, nodes.length);
                if (route != Route.NONE) {
                    assertArrayEquals(nodes, walk(route, from, to), "seed " + seed);
                    assertTrue(RouteCodec.isValid(route, SHAPE), "seed " + seed);
                }
            }
        }
    }
}
