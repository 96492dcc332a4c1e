package io.hxb.trunk;

/**
 * A path through a port for frames that the loops of this node never see, because something else
 * relays them: it learns whom the port reaches and reports how many frames it has moved. Any thread
 * may call it.
 */
public interface OffloadPath {
    /** All frames pass through the loops. */
    OffloadPath NONE =
            new OffloadPath() {
                @Override
                public void weight(final int neighbour, final int weight) {}

                @Override
                public void learn(final int neighbour, final long address) {}

                @Override
                public int heardFrames(final int neighbour) {
                    return 0;
                }

                @Override
                public int sentFrames(final int neighbour) {
                    return 0;
                }
            };

    /**
     * Share of the frames to a neighbour that the port gets from now on.
     *
     * @param neighbour its coordinate in the port's dimension, 0 to 255.
     * @param weight 1 to {@link Port#FULL_WEIGHT}, or 0 while the port does not reach it.
     */
    void weight(int neighbour, int weight);

    /** The neighbour's link address from now on, never 0. */
    void learn(int neighbour, long address);

    /**
     * The port is full of frames whose shortest way it is.
     *
     * @param untilNs until when that holds, by the clock of {@link System#nanoTime}.
     */
    default void busy(final long untilNs) {}

    /** Frames on this path that the port has received from a neighbour, modulo 2^32. */
    int heardFrames(int neighbour);

    /** Frames on this path that the port has sent to a neighbour, modulo 2^32. */
    int sentFrames(int neighbour);
}
