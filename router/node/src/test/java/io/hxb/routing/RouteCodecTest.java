package io.hxb.routing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.OrderConfig;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

@Tag("property")
class RouteCodecTest {
    private static final int ROOM = 32;

    @Test
    void shouldGoRoundADeadTrunkByTheOtherDimension() {
        // given
        final Shape shape = Shape.of(2, 2);
        final RouteCodec codec = new RouteCodec(shape);
        final long[] way = nodes(shape, "0,0", "0,1", "1,1", "1,0");
        // when
        final long route = codec.encode(way, way.length);
        // then
        assertTrue(Route.isDetour(route));
        assertEquals(1 << 8 | 1, codec.nextHop(route, way[0], way[3]), "y to 1");
        assertEquals(0 << 8 | 1, codec.nextHop(route, way[1], way[3]), "x to 1");
        final long passed = codec.passed(route, way[1]);
        assertEquals(1 << 8, codec.nextHop(codec.passed(passed, way[2]), way[2], way[3]), "y to 0");
        assertEquals(route, Route.start(passed));
        assertTrue(RouteCodec.isValid(passed, shape));
    }

    @Test
    void shouldWriteAMinimalWayAsTheOrderThatItFollows() {
        // given
        final Shape shape = Shape.of(3, 3, 3);
        final long[] way = nodes(shape, "0,0,0", "0,0,2", "1,0,2", "1,2,2");
        // when
        final long route = new RouteCodec(shape).encode(way, way.length);
        // then
        assertEquals(Route.ofOrder(DimensionOrder.of(2, 0, 1)), route);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3", "2x2", "3x3", "2x2x2", "3x3x3", "4x4x4", "2x3x2x2"})
    void shouldGiveEveryMinimalOrderAWayOfItsOwnThatArrives(final String text) {
        final Shape shape = Shape.parse(text);
        final RouteCodec codec = new RouteCodec(shape);
        final long[] way = new long[ROOM];
        for (int to = 1; to < shape.nodeCount(); to++) {
            final int distance = Shape.distance(0, shape.coordinates(to));
            final Set<String> ways = new HashSet<>();
            for (final int order : OrderConfig.all(shape.dimensions()).orders()) {
                // when
                final int count = codec.trace(Route.ofOrder(order), 0, shape.coordinates(to), way);
                // then
                assertEquals(distance + 1, count);
                ways.add(Arrays.toString(Arrays.copyOf(way, count)));
            }
            int permutations = 1;
            for (int i = 2; i <= distance; i++) {
                permutations *= i;
            }
            assertEquals(permutations, ways.size(), "ways to node " + to);
        }
    }

    @Test
    void shouldWriteAndFollowAnyWayWithoutLoopsAndFindTheWayBack() {
        for (long seed = 0; seed < 3_000; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final Shape shape = shape(random);
            final RouteCodec codec = new RouteCodec(shape);
            final long[] way = walk(shape, random, 1 + random.nextInt(codec.maxHops()));
            // when
            final long route = codec.encode(way, way.length);
            // then
            final long[] seen = new long[ROOM];
            final long to = way[way.length - 1];
            assertTrue(route != Route.NONE && RouteCodec.isValid(route, shape), "seed " + seed);
            assertEquals(way.length, codec.trace(route, way[0], to, seen), "seed " + seed);
            assertArrayEquals(way, Arrays.copyOf(seen, way.length), "seed " + seed);
            final int at = random.nextInt(way.length);
            final long back = codec.reverse(route, way[0], way[at], to, seen);
            assertEquals(at + 1, codec.trace(back, way[at], way[0], seen), "seed " + seed);
            for (int i = 0; i <= at; i++) {
                assertEquals(way[at - i], seen[i], "seed " + seed);
            }
        }
    }

    @Test
    void shouldBeHarmlessWithAnyRoute() {
        int right = 0;
        for (long seed = 0; seed < 20_000; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final Shape shape = shape(random);
            final RouteCodec codec = new RouteCodec(shape);
            final long from = shape.coordinates(random.nextInt(shape.nodeCount()));
            final long to = shape.coordinates(random.nextInt(shape.nodeCount()));
            final long route = Route.of(random.nextInt(), random.nextInt());
            // when
            final int count = codec.trace(route, from, to, new long[ROOM]);
            final int hop = codec.nextHop(route, from, to);
            // then
            assertTrue(count >= -1 && count <= ROOM, "seed " + seed);
            assertTrue(hop >= -1 && hop < 8 << 8, "seed " + seed);
            if (hop >= 0 && Route.isDetour(route)) {
                assertTrue((hop & 0xFF) < shape.extent(hop >> 8), "seed " + seed);
            }
            right += RouteCodec.isValid(route, shape) ? 1 : 0;
        }
        assertTrue(right < 20_000 / 2, right + " of random routes passed for right");
    }

    @Test
    void shouldRefuseRoutesWithHopsOutsideOfTheShapeOrAfterTheEnd() {
        final Shape shape = Shape.of(2, 2);
        final long good = new RouteCodec(shape).encode(nodes(shape, "0,0", "1,0", "1,1", "0,1"), 4);
        assertTrue(RouteCodec.isValid(good, shape));
        assertFalse(RouteCodec.isValid(good | 7, shape), "coordinate");
        assertFalse(RouteCodec.isValid(good & ~7L, shape), "a hop after none");
        assertFalse(RouteCodec.isValid(Route.withPosition(good, 9), shape), "place");
        assertFalse(RouteCodec.isValid(Route.of(DimensionOrder.DEFAULT, 1), shape), "reserved");
    }

    private static Shape shape(final SplittableRandom random) {
        final int[] extents = new int[2 + random.nextInt(4)];
        for (int i = 0; i < extents.length; i++) {
            extents[i] = 2 + random.nextInt(i < 2 ? 15 : 3);
        }
        return Shape.of(extents);
    }

    private static long[] walk(final Shape shape, final SplittableRandom random, final int hops) {
        final long[] way = new long[hops + 1];
        final Set<Long> seen = new HashSet<>();
        way[0] = shape.coordinates(random.nextInt(shape.nodeCount()));
        seen.add(way[0]);
        int count = 1;
        for (int tries = 0; tries < 100 && count <= hops; tries++) {
            final int dimension = random.nextInt(shape.dimensions());
            final int coordinate = random.nextInt(shape.extent(dimension));
            final long next = Shape.withCoordinate(way[count - 1], dimension, coordinate);
            if (seen.add(next)) {
                way[count++] = next;
            }
        }
        return Arrays.copyOf(way, count);
    }

    private static long[] nodes(final Shape shape, final String... texts) {
        return Arrays.stream(texts).mapToLong(shape::parseCoordinates).toArray();
    }
}
