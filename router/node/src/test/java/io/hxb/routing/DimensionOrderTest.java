package io.hxb.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.longs;

import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

@Tag("property")
class DimensionOrderTest {
    /** A channel: the way from one node to a neighbour. */
    private record Channel(long from, long to) {}

    private static List<Integer> orders(final int dimensions) {
        final List<Integer> orders = new ArrayList<>();
        permute(new ArrayList<>(), dimensions, orders);
        return orders;
    }

    private static void permute(
            final List<Integer> chosen, final int dimensions, final List<Integer> orders) {
        if (chosen.size() == dimensions) {
            orders.add(DimensionOrder.of(chosen.stream().mapToInt(d -> d).toArray()));
        }
        for (int dimension = 0; dimension < dimensions; dimension++) {
            if (!chosen.contains(dimension)) {
                final List<Integer> longer = new ArrayList<>(chosen);
                longer.add(dimension);
                permute(longer, dimensions, orders);
            }
        }
    }

    private static List<Channel> route(final int order, final long from, final long to) {
        final List<Channel> route = new ArrayList<>();
        long here = from;
        while (here != to) {
            final int dimension = DimensionOrder.nextDimension(order, here, to);
            assertTrue(dimension >= 0, "stuck");
            final long next =
                    Shape.withCoordinate(here, dimension, Shape.coordinate(to, dimension));
            route.add(new Channel(here, next));
            here = next;
            assertTrue(route.size() <= Shape.MAX_DIMENSIONS, "no end");
        }
        assertEquals(DimensionOrder.HERE, DimensionOrder.nextDimension(order, here, to));
        return route;
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "4x3", "3x3x3", "2x5x3", "2x2x2x2", "1x3x1x2", "2x1x2x2x2"})
    void shouldDeliverEveryPairInAsManyHopsAsCoordinatesDifferWithoutACycleOfChannels(
            final String text) {
        final Shape shape = Shape.parse(text);
        for (final int order : orders(shape.dimensions())) {
            // given
            final Map<Channel, Set<Channel>> waitsFor = new HashMap<>();
            for (int source = 0; source < shape.nodeCount(); source++) {
                for (int target = 0; target < shape.nodeCount(); target++) {
                    final long from = shape.coordinates(source);
                    final long to = shape.coordinates(target);
                    // when
                    final List<Channel> route = route(order, from, to);
                    // then
                    assertEquals(Shape.distance(from, to), route.size());
                    for (int hop = 1; hop < route.size(); hop++) {
                        waitsFor.computeIfAbsent(route.get(hop - 1), key -> new HashSet<>())
                                .add(route.get(hop));
                    }
                }
            }
            assertFalse(hasCycle(waitsFor), () -> "cycle in order " + Integer.toHexString(order));
        }
    }

    @Test
    void shouldFindTheCycleOfTwoOrdersUsedTogether() {
        // given: the graph of the test above has to be able to fail
        final Map<Channel, Set<Channel>> waitsFor = new HashMap<>();
        final Shape shape = Shape.of(2, 2);
        for (int source = 0; source < 4; source++) {
            for (int target = 0; target < 4; target++) {
                for (final int order : orders(2)) {
                    final List<Channel> route =
                            route(order, shape.coordinates(source), shape.coordinates(target));
                    if (route.size() == 2) {
                        waitsFor.computeIfAbsent(route.get(0), key -> new HashSet<>())
                                .add(route.get(1));
                    }
                }
            }
        }
        // when / then
        assertTrue(hasCycle(waitsFor));
    }

    // Takes away channels nobody waits for until none are left, or only cycles.
    private static boolean hasCycle(final Map<Channel, Set<Channel>> waitsFor) {
        final Map<Channel, Integer> waiters = new HashMap<>();
        waitsFor.keySet().forEach(channel -> waiters.putIfAbsent(channel, 0));
        waitsFor.values().forEach(set -> set.forEach(next -> waiters.merge(next, 1, Integer::sum)));
        final Deque<Channel> free = new ArrayDeque<>();
        waiters.forEach(
                (channel, count) -> {
                    if (count == 0) {
                        free.add(channel);
                    }
                });
        int taken = 0;
        while (!free.isEmpty()) {
            final Channel channel = free.remove();
            taken++;
            for (final Channel next : waitsFor.getOrDefault(channel, Set.of())) {
                if (waiters.merge(next, -1, Integer::sum) == 0) {
                    free.add(next);
                }
            }
        }
        return taken < waiters.size();
    }

    @Test
    void shouldStayInsideOfTheDimensionsWhateverOrderAFrameCarries() {
        qt().withExamples(20_000)
                .forAll(integers().all(), longs().all(), longs().all())
                .checkAssert(
                        (order, here, destination) -> {
                            // when
                            final int dimension =
                                    DimensionOrder.nextDimension(order, here, destination);
                            // then
                            if (dimension == DimensionOrder.HERE) {
                                assertTrue(
                                        here.equals(destination) || !DimensionOrder.isValid(order));
                            } else {
                                assertTrue(
                                        Shape.coordinate(here, dimension)
                                                != Shape.coordinate(destination, dimension));
                            }
                        });
    }

    @Test
    void shouldTakeOrdersThatNameEachDimensionOnceOnly() {
        assertTrue(DimensionOrder.isValid(DimensionOrder.DEFAULT));
        assertEquals(DimensionOrder.DEFAULT, DimensionOrder.of());
        assertEquals(0x7654_3012, DimensionOrder.of(2, 1, 0));
        assertFalse(DimensionOrder.isValid(0));
        assertFalse(DimensionOrder.isValid(0x7654_3211));
        assertFalse(DimensionOrder.isValid(0xF654_3210));
        assertThrows(IllegalArgumentException.class, () -> DimensionOrder.of(1, 1));
        assertThrows(IllegalArgumentException.class, () -> DimensionOrder.of(8));
        assertEquals(24, orders(4).stream().filter(DimensionOrder::isValid).distinct().count());
    }
}
