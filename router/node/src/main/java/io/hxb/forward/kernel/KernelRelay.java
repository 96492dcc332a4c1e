package io.hxb.forward.kernel;

import io.hxb.link.Link;

/**
 * Relays frames in the kernel for a node, in addition to its loops. Opened, refreshed and closed by
 * one thread at a time; any thread may call {@link #turn} and read the counts.
 */
public interface KernelRelay extends AutoCloseable {
    /** For nodes that relay in their loops, or have nothing to relay. */
    KernelRelay NONE =
            new KernelRelay() {
                @Override
                public boolean isOpen() {
                    return false;
                }

                @Override
                public void refresh() {}

                @Override
                public void nextHop(final int destination, final int hop) {}

                @Override
                public void turn() {}

                @Override
                public long relayedFrames() {
                    return 0;
                }

                @Override
                public long relayedTrains() {
                    return 0;
                }

                @Override
                public boolean takeTrace(final KernelTrace trace) {
                    return false;
                }

                @Override
                public boolean takeBusy(final RelayedRoute route) {
                    return false;
                }

                @Override
                public long relayedBytes() {
                    return 0;
                }

                @Override
                public long receivedFrames(final int linkIndex) {
                    return 0;
                }

                @Override
                public long receivedBytes(final int linkIndex) {
                    return 0;
                }

                @Override
                public long sentFrames(final int linkIndex) {
                    return 0;
                }

                @Override
                public long sentBytes(final int linkIndex) {
                    return 0;
                }

                @Override
                public void close() {}
            };

    /** True if the kernel relays, so that the node sees only what the kernel leaves to it. */
    boolean isOpen();

    /**
     * Adapts to changed NICs, after {@link Link#refresh}; makes system calls when something
     * changed.
     */
    void refresh();

    /**
     * Sets the next hop of frames that follow the map, with any cabling.
     *
     * @param destination node number.
     * @param hop number of a neighbour; negative to leave such frames to the node.
     */
    void nextHop(int destination, int hop);

    /** Notes that the node is alive: without it the kernel stops relaying for the node. */
    void turn();

    /** Frames relayed since start. */
    long relayedFrames();

    /** GSO batches relayed since start. */
    long relayedTrains();

    /**
     * Takes the oldest traced frame of those that were relayed since the last call; one loop calls
     * it. Of more than {@link RelayTable#TRACES}, and of two at one moment, some are missing.
     *
     * @return false if there is none.
     */
    boolean takeTrace(KernelTrace trace);

    /**
     * Takes the oldest of the frames on longer ways that were relayed over a busy link since the
     * last call, see {@link io.hxb.trunk.OffloadPath#busy}; one loop calls it. Most are missing.
     *
     * @return false if there is none.
     */
    boolean takeBusy(RelayedRoute route);

    /** Bytes of header and body of the frames relayed since start. */
    long relayedBytes();

    /** Frames received on a link and relayed. */
    long receivedFrames(int linkIndex);

    /** Bytes of header and body of {@link #receivedFrames}. */
    long receivedBytes(int linkIndex);

    /** Frames relayed and sent on a link. */
    long sentFrames(int linkIndex);

    /** Bytes of header and body of {@link #sentFrames}. */
    long sentBytes(int linkIndex);

    /** Ends relaying; no method may be called afterwards. */
    @Override
    void close();
}
