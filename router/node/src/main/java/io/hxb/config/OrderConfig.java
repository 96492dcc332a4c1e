package io.hxb.config;

import io.hxb.routing.DimensionOrder;

import java.util.ArrayList;
import java.util.List;

/**
 * The dimension orders that sources give their frames. Immutable.
 *
 * @param mode how the orders were chosen.
 * @param orders the orders as frames carry them, at least one; see {@link DimensionOrder}.
 */
public record OrderConfig(Mode mode, List<Integer> orders) {
    /** X, Y, Z and so on. */
    public static final OrderConfig DEFAULT =
            new OrderConfig(Mode.DEFAULT, List.of(DimensionOrder.DEFAULT));

    private static final int MAX_PERMUTED = 4;

    /** How the orders were chosen. */
    public enum Mode {
        /** One: X, Y, Z and so on. */
        DEFAULT,

        /** All orders, so that frames spread over all minimal routes. */
        ALL,

        /** The orders that the file lists. */
        EXPLICIT
    }

    /** Checks the values. */
    public OrderConfig {
        orders = List.copyOf(orders);
        new Check()
                .that(
                        !orders.isEmpty() && orders.stream().allMatch(DimensionOrder::isValid),
                        "orders",
                        "must name each dimension once: " + orders)
                .done();
    }

    /**
     * All orders of the first {@code dimensions} dimensions; with more than 4 dimensions only the
     * rotations, because 40,320 orders spread no better than 8.
     *
     * @param dimensions 1 to 8.
     */
    public static OrderConfig all(final int dimensions) {
        final List<Integer> orders = new ArrayList<>();
        if (dimensions <= MAX_PERMUTED) {
            permute(new int[dimensions], 0, 0, orders);
        } else {
            for (int first = 0; first < dimensions; first++) {
                final int[] order = new int[dimensions];
                for (int place = 0; place < dimensions; place++) {
                    order[place] = (first + place) % dimensions;
                }
                orders.add(DimensionOrder.of(order));
            }
        }
        return new OrderConfig(Mode.ALL, orders);
    }

    private static void permute(
            final int[] order, final int place, final int used, final List<Integer> orders) {
        if (place == order.length) {
            orders.add(DimensionOrder.of(order));
            return;
        }
        for (int dimension = 0; dimension < order.length; dimension++) {
            if ((used & 1 << dimension) == 0) {
                order[place] = dimension;
                permute(order, place + 1, used | 1 << dimension, orders);
            }
        }
    }
}
