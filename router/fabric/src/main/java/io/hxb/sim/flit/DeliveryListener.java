package io.hxb.sim.flit;

/** Is called when packets and flits reach their host. */
public interface DeliveryListener {
    /**
     * A packet's tail arrived.
     *
     * @param created cycle in which it entered its source's queue.
     * @param hops links between switches passed.
     */
    void onDelivered(int source, int destination, int flits, long created, int hops, long now);

    /**
     * All packets of a message arrived.
     *
     * @param created cycle in which they entered their source's queue.
     */
    default void onMessage(final long created, final long now) {}
}
