package io.hxb.sim.flit;

/** Makes packets. Owned by one run. */
public interface TrafficSource {
    /** There will be no more packets. */
    long NEVER = Long.MAX_VALUE;

    /** Takes the packets. */
    interface Sink {
        /**
         * Puts a packet into its source's queue.
         *
         * @param flits at least 1.
         * @return whether there was room.
         */
        boolean offer(int source, int destination, int flits);

        /**
         * Announces that the packets offered next are one message, whose latency ends with its last
         * packet. Packets not announced in this way belong to no message.
         *
         * @param packets at least 1; all of them are offered in this cycle.
         */
        default void beginMessage(final int packets) {}
    }

    /** The cycle of the next packet, or {@link #NEVER}. */
    long next();

    /** Makes all packets of a cycle, which is {@link #next()}. */
    void emit(long now, Sink sink);

    /** Called when a packet has arrived; for traffic that answers. */
    default void onDelivered(final int source, final int destination, final long now) {}

    /** Flits of the shortest packet. */
    int shortestFlits();

    /** Flits of the longest packet. */
    int maxFlits();
}
