package io.hxb.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

@Tag("property")
class PathSearchTest {
    private static final int HOP_LIMIT = 16;

    /** A hop in one direction. */
    private record Hop(long from, long to) {}

    /** Which hops do not work. */
    @FunctionalInterface
    private interface Fault {
        boolean isDead(long from, long to, int dimension);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3", "2x2", "3x3", "2x2x2", "3x3x3", "4x4x4"})
    void shouldFindAWayWheneverThereIsOneWithAnyOneNodeDead(final String text) {
        final Shape shape = Shape.parse(text);
        final PathSearch search = new PathSearch(shape);
        for (int to = 1; to < shape.nodeCount(); to++) {
            for (int dead = 1; dead < shape.nodeCount(); dead++) {
                final long node = shape.coordinates(dead);
                if (dead != to) {
                    check(search, shape, to, (from, next, d) -> next == node || from == node);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3", "2x2", "3x3", "2x2x2", "3x3x3", "4x4x4"})
    void shouldFindAWayWheneverThereIsOneWithAnyOneTrunkDead(final String text) {
        final Shape shape = Shape.parse(text);
        final PathSearch search = new PathSearch(shape);
        for (int to = 1; to < shape.nodeCount(); to++) {
            for (int at = 0; at < shape.nodeCount(); at++) {
                final long node = shape.coordinates(at);
                for (int i = 0; i < shape.dimensions(); i++) {
                    final int dead = i;
                    check(
                            search,
                            shape,
                            to,
                            (from, next, d) -> d == dead && (from == node || next == node));
                }
            }
        }
    }

    @Test
    void shouldFindAWayWheneverThereIsOneWhateverHasDied() {
        int found = 0;
        for (long seed = 0; seed < 3_000; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final Shape shape = Shape.of(2 + random.nextInt(3), 2 + random.nextInt(3), 2);
            final Set<Hop> dead = new HashSet<>();
            final int percent = random.nextInt(90);
            for (int from = 0; from < shape.nodeCount(); from++) {
                for (int to = 0; to < shape.nodeCount(); to++) {
                    if (random.nextInt(100) < percent) {
                        dead.add(new Hop(shape.coordinates(from), shape.coordinates(to)));
                    }
                }
            }
            final int to = 1 + random.nextInt(shape.nodeCount() - 1);
            try {
                found +=
                        check(
                                new PathSearch(shape),
                                shape,
                                to,
                                (from, next, d) -> dead.contains(new Hop(from, next)));
            } catch (final AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertTrue(found > 1_000 && found < 2_900, "ways were found and not: " + found);
    }

    @ParameterizedTest
    @ValueSource(strings = {"16x16x10", "2x2x2x2x2x2x2x2", "4x4x4x4x4x4x4x4", "256", "256x256x16"})
    void shouldGoRoundDeadNodesInShapesTooLargeToSearchAsAWhole(final String text) {
        final Shape shape = Shape.parse(text);
        final PathSearch search = new PathSearch(shape);
        final RouteCodec codec = new RouteCodec(shape);
        for (long seed = 0; seed < 50; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final long from = shape.coordinates(random.nextInt(shape.nodeCount()));
            final long to = shape.coordinates(random.nextInt(shape.nodeCount()));
            final long[] way = new long[HOP_LIMIT + 1];
            if (from == to) {
                continue;
            }
            final int direct = codec.trace(Route.ofOrder(DimensionOrder.DEFAULT), from, to, way);
            final Hop dead = new Hop(way[0], way[1]);
            // when
            final int count =
                    search.find(
                            from,
                            to,
                            (int) seed,
                            (one, other, d) ->
                                    one == dead.from && other == dead.to
                                            ? PathSearch.HopCosts.CLOSED
                                            : 16,
                            way);
            // then
            assertTrue(count >= direct && count <= direct + 2, "seed " + seed + ": " + count);
            final long[] seen = new long[HOP_LIMIT + 1];
            final long route = codec.encode(way, count);
            assertEquals(count, codec.trace(route, from, to, seen), "seed " + seed);
            assertTrue(seen[1] != dead.to, "seed " + seed);
        }
    }

    @Test
    void shouldPreferCheapHopsToFewHops() {
        // given
        final Shape shape = Shape.of(2, 2);
        final long to = shape.parseCoordinates("1,0");
        final long[] way = new long[5];
        // when
        final int count =
                new PathSearch(shape)
                        .find(0, to, 0, (one, other, d) -> one == 0 && d == 0 ? 100 : 16, way);
        // then
        assertEquals(4, count);
    }

    /** Checks one search against a plain one; returns 1 if there was a way. */
    private static int check(
            final PathSearch search, final Shape shape, final int toNode, final Fault fault) {
        // given
        final long to = shape.coordinates(toNode);
        final long[] way = new long[HOP_LIMIT + 1];
        // when
        final int count =
                search.find(
                        0,
                        to,
                        0,
                        (one, other, d) ->
                                fault.isDead(one, other, d) ? PathSearch.HopCosts.CLOSED : 16,
                        way);
        // then
        final int shortest = shortest(shape, to, fault);
        assertEquals(shortest, count, "nodes on the way to " + shape.format(to));
        if (count < 0) {
            return 0;
        }
        final RouteCodec codec = new RouteCodec(shape);
        final long[] seen = new long[HOP_LIMIT + 1];
        final int followed = codec.trace(codec.encode(way, count), 0, to, seen);
        assertEquals(count, followed, "nodes passed by a frame");
        assertEquals(count, Arrays.stream(seen).limit(count).distinct().count(), "no loop");
        for (int i = 1; i < count; i++) {
            final int dimension = Long.numberOfTrailingZeros(seen[i - 1] ^ seen[i]) >> 3;
            assertTrue(!fault.isDead(seen[i - 1], seen[i], dimension), "a dead hop is passed");
        }
        return 1;
    }

    private static int shortest(final Shape shape, final long to, final Fault fault) {
        final int[] counts = new int[shape.nodeCount()];
        final ArrayDeque<Long> queue = new ArrayDeque<>();
        counts[0] = 1;
        queue.add(0L);
        while (!queue.isEmpty()) {
            final long here = queue.poll();
            if (here == to) {
                return counts[shape.node(here)];
            }
            for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
                for (int i = 0; i < shape.extent(dimension); i++) {
                    final long next = Shape.withCoordinate(here, dimension, i);
                    if (counts[shape.node(next)] == 0 && !fault.isDead(here, next, dimension)) {
                        counts[shape.node(next)] = counts[shape.node(here)] + 1;
                        queue.add(next);
                    }
                }
            }
        }
        return -1;
    }
}
