package io.hxb.tool.trace;

import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.List;

/**
 * Which frames are traced. Immutable.
 *
 * @param from node id of their source.
 * @param to node id of their destination.
 * @param count frames in each order, 1 or more.
 * @param intervalNs time between two.
 * @param timeoutNs how long reports are awaited after the last.
 * @param frameBytes header and body of each.
 * @param orders dimension orders of their routes, or {@link #USUAL} alone.
 */
record TracePlan(
        int from,
        int to,
        int count,
        long intervalNs,
        long timeoutNs,
        int frameBytes,
        List<Integer> orders) {

    /** Stands for routes as the node gives other frames. */
    static final int USUAL = -1;

    /** Most orders: those of four dimensions. */
    private static final int MAX_ORDERS = 24;

    TracePlan {
        orders = List.copyOf(orders);
    }

    /** Frames in all. */
    int frames() {
        return count * orders.size();
    }

    /**
     * The orders that give different ways between two nodes: those of the dimensions in which they
     * differ, at most {@value #MAX_ORDERS}.
     */
    static List<Integer> orders(final long from, final long to) {
        final List<Integer> differing = new ArrayList<>();
        for (int dimension = 0; dimension < Shape.MAX_DIMENSIONS; dimension++) {
            if (Shape.coordinate(from, dimension) != Shape.coordinate(to, dimension)) {
                differing.add(dimension);
            }
        }
        final List<Integer> orders = new ArrayList<>();
        addOrders(new ArrayList<>(), differing, orders);
        return orders;
    }

    private static void addOrders(
            final List<Integer> begun, final List<Integer> rest, final List<Integer> orders) {
        if (rest.isEmpty()) {
            orders.add(DimensionOrder.of(begun.stream().mapToInt(Integer::intValue).toArray()));
        }
        for (final Integer next : rest) {
            if (orders.size() < MAX_ORDERS) {
                final List<Integer> longer = new ArrayList<>(begun);
                longer.add(next);
                addOrders(
                        longer,
                        rest.stream().filter(dimension -> !dimension.equals(next)).toList(),
                        orders);
            }
        }
    }
}
