package io.hxb.sim.flit;

/** Chooses one of several free lanes for a header. Owned by one run. */
public interface OutputSelection {
    /** What a selection may know of the channels of its switch. */
    interface View {
        /** Virtual channels of each channel. */
        int lanes();

        /** The current cycle. */
        long now();

        /** Packets on a channel. */
        int packets(int channel);

        /** Flits sent on a channel so far. */
        long flits(int channel);

        /** Cycle in which a channel last got a header, -1 before the first. */
        long lastHeader(int channel);

        /** Cycle in which a channel last sent a flit, -1 before the first. */
        long lastFlit(int channel);
    }

    /**
     * Chooses.
     *
     * @param node switch.
     * @param to switch of the packet's destination.
     * @param free lanes that could take the packet now, {@code [at least count]}, in the order in
     *     which the routing named them.
     * @param count at least 2.
     * @return one of them.
     */
    int select(View view, int node, int to, int[] free, int count);

    /** Called when a header has taken a lane, chosen by this selection or the only one. */
    default void onHeader(final View view, final int lane) {}

    /** Called when the tail of the last packet on a channel has left. */
    default void onIdle(final View view, final int channel) {}
}
