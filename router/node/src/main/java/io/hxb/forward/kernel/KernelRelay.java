package io.hxb.forward.kernel;

import io.hxb.link.Link;

/**
 * What the kernel relays for a node, in addition to its loops. Opened, refreshed and closed by one
 * thread at a time; turns and counts may come from any.
 */
public interface KernelRelay extends AutoCloseable {
    /** For nodes that relay themselves, or never have to. */
    KernelRelay NONE =
            new KernelRelay() {
                @Override
                public boolean isOpen() {
                    return false;
                }

                @Override
                public void refresh() {}

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

    /** Follows the NICs, after {@link Link#refresh}; makes system calls when something changed. */
    void refresh();

    /** A loop has done a turn: the node is alive, and the kernel may relay for it. */
    void turn();

    /** Frames relayed since start. */
    long relayedFrames();

    /** How often since start several frames were relayed at once. */
    long relayedTrains();

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

    /** Ends relaying, when nobody asks for counts or weights any more. */
    @Override
    void close();
}
