package io.hxb.context;

import io.hxb.flow.FlowLoop;
import io.hxb.flow.FlowTable;
import io.hxb.link.BufferPool;

/** The flows of one loop, as its contexts use them. Called by that loop only. */
public final class FlowLoopPort implements FlowPort {
    private final FlowTable table;
    private final FlowLoop loop;
    private final BufferPool.Share share;

    /**
     * Joins the contexts of a loop to its flows.
     *
     * @param share the loop's share of the receive buffers.
     */
    public FlowLoopPort(final FlowTable table, final FlowLoop loop, final BufferPool.Share share) {
        this.table = table;
        this.loop = loop;
        this.share = share;
    }

    @Override
    public void openContext(
            final int contextId,
            final int incarnation,
            final int receiveQuotaFrames,
            final long peerWaitNs) {
        table.openContext(contextId, incarnation, loop, receiveQuotaFrames, peerWaitNs);
    }

    @Override
    public void closeContext(final int contextId) {
        table.closeContext(contextId);
    }

    @Override
    public void submit(
            final int contextId,
            final int sendSlot,
            final int destinationNode,
            final int destinationContext,
            final long payloadAddress,
            final int lengthBytes,
            final int tag) {
        loop.submitOrReport(
                contextId,
                sendSlot,
                destinationNode,
                destinationContext,
                payloadAddress,
                lengthBytes,
                tag);
    }

    @Override
    public long stage(
            final int contextId,
            final int destinationNode,
            final int destinationContext,
            final long address,
            final int lengthBytes,
            final int mostMessages,
            final boolean isNewRun) {
        return loop.stage(
                contextId,
                destinationNode,
                destinationContext,
                address,
                lengthBytes,
                mostMessages,
                isNewRun);
    }

    @Override
    public void moreComing(final int contextId, final boolean isMoreComing) {
        loop.moreComing(contextId, isMoreComing);
    }

    @Override
    public void released(final int flowHandle, final int bufferId) {
        table.released(flowHandle, bufferId, share);
    }

    @Override
    public void resume(final int contextId) {
        loop.resume(contextId);
    }

    @Override
    public int queuedFrames(final int contextId) {
        return loop.queuedFrames(contextId);
    }
}
