package io.hxb.bench.micro;

import io.hxb.config.FlowConfig;
import io.hxb.config.IpConfig;
import io.hxb.flow.ContextTerms;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowLoop;
import io.hxb.flow.FlowOutput;
import io.hxb.flow.FlowSizes;
import io.hxb.flow.FlowTable;
import io.hxb.flow.StageResult;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.OutgoingFrame;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;

/**
 * One end of a flow without links: a sent frame is copied into a buffer of the other end, which
 * takes it when {@link #deliver} is called. Owned by one thread.
 */
final class FlowEnd implements FlowOutput, FlowListener {
    private static final int BUFFERS = 4096;
    private static final int BUFFER_BYTES = 12 * 1024;
    private static final int MTU = 9000;
    private static final int QUEUE = 4096;
    private static final int CONTEXT = 1;
    private static final Shape SHAPE = Shape.of(2);

    private final int node;
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final FlowTable table;
    private final FlowLoop loop;
    private final OutgoingFrame outgoing = new OutgoingFrame();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final int[] arrived = new int[QUEUE];
    private final int[] lengths = new int[QUEUE];
    private final long[] held = new long[QUEUE];
    private int arrivedCount;
    private int heldCount;
    private FlowEnd peer;
    private long received;
    private long done;

    FlowEnd(final int node) {
        this.node = node;
        final long bytes = (long) BUFFERS * BUFFER_BYTES;
        pool = new BufferPool(Arena.global().allocate(bytes, 64).address(), BUFFERS, BUFFER_BYTES);
        share = pool.newShare();
        table =
                new FlowTable(
                        FlowConfig.DEFAULT,
                        IpConfig.DEFAULT,
                        FlowSizes.of(MTU, 1_024, 8_192),
                        SHAPE,
                        SHAPE.coordinates(node),
                        pool,
                        this);
        loop = new FlowLoop(table, this, share);
        loop.openContext(CONTEXT, 7, ContextTerms.of(1024));
    }

    /** Makes two ends that know each other. */
    static void join(final FlowEnd one, final FlowEnd other) {
        one.peer = other;
        other.peer = one;
    }

    /** Hands a message for the other end to the flow. */
    void submit(final int slot, final long address, final int lengthBytes) {
        final int status = loop.submit(CONTEXT, slot, peer.node, CONTEXT, address, lengthBytes, 0);
        if (status != 0) {
            throw new IllegalStateException("not taken: " + status);
        }
    }

    /** Hands a run of short messages for the other end to the flow. */
    void stage(final long address, final int lengthBytes, final int messages) {
        final long staged =
                loop.stage(CONTEXT, peer.node, CONTEXT, address, lengthBytes, messages, true);
        if (staged != StageResult.of(messages, lengthBytes)) {
            throw new IllegalStateException("taken: " + StageResult.messages(staged));
        }
    }

    /** One turn of the loop: takes what arrived, gives buffers back, sends. */
    void turn(final long nowNs) {
        deliver();
        loop.doWork(nowNs);
    }

    private void deliver() {
        final int count = arrivedCount;
        arrivedCount = 0;
        for (int i = 0; i < count; i++) {
            loop.onFrame(pool.headerAddress(arrived[i]), lengths[i], arrived[i]);
        }
        for (int i = 0; i < heldCount; i++) {
            loop.released((int) (held[i] >>> 32), (int) held[i]);
        }
        heldCount = 0;
    }

    /** Messages that arrived. */
    long received() {
        return received;
    }

    /** Messages of this end that the other one has. */
    long done() {
        return done;
    }

    @Override
    public OutgoingFrame outgoing() {
        return outgoing;
    }

    @Override
    public int send(final OutgoingFrame frame) {
        header.wrap(frame.headerAddress())
                .clusterId(1)
                .source(SHAPE.coordinates(node))
                .hopLimit(8)
                .order(DimensionOrder.DEFAULT);
        peer.take(frame);
        frame.release();
        return 0;
    }

    private void take(final OutgoingFrame frame) {
        final int id = share.acquire();
        frame.copyTo(pool.headerAddress(id));
        arrived[arrivedCount] = id;
        lengths[arrivedCount++] = frame.lengthBytes();
    }

    @Override
    public void flush() {
        // Frames are with the other end already.
    }

    @Override
    public int onFrame(
            final FlowEndpoints ends,
            final int bufferId,
            final long bodyAddress,
            final int bodyLengthBytes,
            final int messageCount) {
        received += messageCount;
        held[heldCount++] = (long) ends.flowHandle() << 32 | bufferId;
        return DELIVERED;
    }

    @Override
    public void onRunDone(
            final int contextId, final int firstSlot, final int messages, final int status) {
        done += messages;
    }

    @Override
    public void onSendDone(final int contextId, final int sendSlot, final int status) {
        done++;
    }

    @Override
    public void onPeerStatus(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        throw new IllegalStateException("the flow ended: " + status);
    }
}
