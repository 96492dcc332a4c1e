package io.hxb.forward;

import io.hxb.config.OrderConfig;

/**
 * Chooses the dimension order of the frames that this node sends: one of a list in turn, which
 * spreads them over several minimal paths. Owned by one loop.
 */
final class OrderPolicy {
    private final int[] orders;
    private int next;

    /** Uses the orders of a cluster in turn. */
    OrderPolicy(final OrderConfig config) {
        orders = config.orders().stream().mapToInt(Integer::intValue).toArray();
    }

    /** The order of the next frame. */
    int next() {
        final int order = orders[next];
        next = next + 1 == orders.length ? 0 : next + 1;
        return order;
    }
}
