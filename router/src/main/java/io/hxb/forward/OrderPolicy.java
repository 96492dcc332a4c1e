package io.hxb.forward;

import io.hxb.routing.DimensionOrder;

/**
 * Chooses the dimension order of the frames that this node sends: one of a list in turn, which
 * spreads them over several minimal paths. Owned by one loop.
 */
public final class OrderPolicy {
    private final int[] orders;
    private int next;

    /**
     * Uses {@code orders} in turn.
     *
     * @param orders each 4 bits a place, all 8 dimensions once; 1 or more.
     */
    public OrderPolicy(final int... orders) {
        if (orders.length == 0) {
            throw new IllegalArgumentException("orders must not be empty");
        }
        for (final int order : orders) {
            if (!DimensionOrder.isValid(order)) {
                throw new IllegalArgumentException(
                        "order must name every dimension once: 0x" + Integer.toHexString(order));
            }
        }
        this.orders = orders.clone();
    }

    /** All orders, {@code [orders]}. */
    int[] orders() {
        return orders.clone();
    }

    /** The order of the next frame. */
    public int next() {
        final int order = orders[next];
        next = next + 1 == orders.length ? 0 : next + 1;
        return order;
    }
}
