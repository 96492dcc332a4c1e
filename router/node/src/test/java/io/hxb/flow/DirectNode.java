package io.hxb.flow;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.OutgoingFrame;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;

/** A node whose frames go straight into the other's pool, without allocation: to measure. */
final class DirectNode implements FlowOutput, FlowListener {
    final FlowTable table;
    final FlowLoop loop;
    final BufferPool pool;
    final BufferPool.Share share;
    long receivedMessages;
    long receivedFrames;
    long doneMessages;
    DirectNode[] peers = new DirectNode[0];
    private final long coordinates;
    private final OutgoingFrame outgoing = new OutgoingFrame();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final int[] free;
    private int freeCount;
    private final int[] handles;
    private final int[] buffers;
    private int heldFrames;

    DirectNode(
            final int id,
            final Shape shape,
            final FlowSetup setup,
            final int bufferCount,
            final int slots,
            final Arena arena) {
        final int bufferBytes = (setup.mtuBytes() + 64 + 63) & -64;
        pool =
                new BufferPool(
                        arena.allocate((long) bufferCount * bufferBytes, 64).address(),
                        bufferCount,
                        bufferBytes);
        share = pool.newShare();
        coordinates = shape.coordinates(id);
        table = setup.newTable(shape, coordinates, pool, this);
        loop = new FlowLoop(table, this, share);
        handles = new int[bufferCount];
        buffers = new int[bufferCount];
        free = new int[slots];
        for (int slot = 0; slot < slots; slot++) {
            free[freeCount++] = slot;
        }
    }

    /** A free send slot, or -1. */
    int takeSlot() {
        return freeCount == 0 ? -1 : free[--freeCount];
    }

    int freeSlots() {
        return freeCount;
    }

    void releaseAll() {
        for (int i = 0; i < heldFrames; i++) {
            loop.released(handles[i], buffers[i]);
        }
        heldFrames = 0;
    }

    @Override
    public OutgoingFrame outgoing() {
        return outgoing;
    }

    @Override
    public int send(final OutgoingFrame frame) {
        final int to = (int) header.wrap(frame.headerAddress()).source(coordinates).destination();
        final DirectNode peer = peers[to];
        final int id = peer.share.acquire();
        if (id == BufferPool.NONE) {
            return BLOCKED;
        }
        final long copy = peer.pool.headerAddress(id);
        final int lengthBytes = frame.lengthBytes();
        frame.copyTo(copy);
        frame.release();
        peer.loop.onFrame(copy, lengthBytes, id);
        return 0;
    }

    @Override
    public void flush() {}

    @Override
    public int onFrame(
            final FlowEndpoints ends,
            final int bufferId,
            final long bodyAddress,
            final int bodyLengthBytes,
            final int messageCount) {
        handles[heldFrames] = ends.flowHandle();
        buffers[heldFrames++] = bufferId;
        receivedFrames++;
        receivedMessages += messageCount;
        return DELIVERED;
    }

    @Override
    public void onRunDone(
            final int contextId, final int firstSlot, final int messages, final int status) {
        throw new IllegalStateException("nothing was staged");
    }

    @Override
    public void onSendDone(final int contextId, final int sendSlot, final int status) {
        free[freeCount++] = sendSlot;
        doneMessages++;
    }

    @Override
    public void onPeerStatus(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        throw new AssertionError("flow ended: " + status);
    }
}
