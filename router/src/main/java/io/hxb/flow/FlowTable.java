package io.hxb.flow;

import io.hxb.link.BufferPool;
import io.hxb.topology.Shape;

/** All flows of one node. */
public final class FlowTable implements AutoCloseable {
    /** Makes the flows of one node. */
    public FlowTable(
            final FlowConfig config,
            final Shape shape,
            final long ownCoordinates,
            final BufferPool pool,
            final FlowListener listener) {}

    /** Makes the agent of one loop; nobody has to wake it. */
    public FlowLoop newLoop(final FlowOutput output, final BufferPool.Share share) {
        return newLoop(output, share, () -> {});
    }

    /**
     * Makes the agent of one loop.
     *
     * @param wakeUp called by other loops when {@link FlowLoop#doWork} has something to do.
     */
    public FlowLoop newLoop(
            final FlowOutput output, final BufferPool.Share share, final Runnable wakeUp) {
        return new FlowLoop();
    }

    /** Opens a context; on its owner loop or before the loops start. */
    public void openContext(
            final int contextId,
            final int incarnation,
            final FlowLoop owner,
            final int receiveQuotaFrames) {}

    /** Closes a context; on its owner loop. */
    public void closeContext(final int contextId) {}

    /** A context gave the buffer's last message back; on its owner loop. */
    public void released(final int flowHandle, final int bufferId, final BufferPool.Share share) {}

    /** Most bytes of memory, heap and native, that one flow each way with a peer takes. */
    public int bytesPerPeer() {
        return 0;
    }

    @Override
    public void close() {}
}
