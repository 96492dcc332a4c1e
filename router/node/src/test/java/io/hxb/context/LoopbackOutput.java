package io.hxb.context;

import io.hxb.flow.FlowLoop;
import io.hxb.flow.FlowOutput;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.OutgoingFrame;

import java.util.Random;

/** Brings a node's frames back to itself; loses and doubles some. */
final class LoopbackOutput implements FlowOutput {
    private static final int QUEUE = 1 << 12;

    private final BufferPool pool;
    private final BufferPool.Share share;
    private final Random random;
    private final double loss;
    private boolean isCut;
    private final OutgoingFrame outgoing = new OutgoingFrame();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final int[] buffers = new int[QUEUE];
    private final int[] lengths = new int[QUEUE];
    private int head;
    private int tail;
    long lost;

    LoopbackOutput(
            final BufferPool pool,
            final BufferPool.Share share,
            final long seed,
            final double loss) {
        this.pool = pool;
        this.share = share;
        this.loss = loss;
        random = new Random(seed);
    }

    @Override
    public OutgoingFrame outgoing() {
        return outgoing;
    }

    @Override
    public int send(final OutgoingFrame frame) {
        header.wrap(frame.headerAddress()).source(0);
        if (random.nextDouble() < loss || isCut) {
            lost++;
            frame.release();
            return 0;
        }
        final int id = tail - head < QUEUE ? share.acquire() : BufferPool.NONE;
        if (id == BufferPool.NONE) {
            return BLOCKED;
        }
        final long copy = pool.headerAddress(id);
        final int lengthBytes = frame.lengthBytes();
        frame.copyTo(copy);
        frame.release();
        buffers[tail & (QUEUE - 1)] = id;
        lengths[tail++ & (QUEUE - 1)] = lengthBytes;
        return 0;
    }

    /** Loses everything from now on, or no more than before. */
    void loseEverything(final boolean isToLose) {
        isCut = isToLose;
    }

    /** Hands what was sent to the node's own flows; how many frames. */
    int deliver(final FlowLoop loop) {
        final int last = tail;
        final int frames = last - head;
        while (head != last) {
            final int index = head++ & (QUEUE - 1);
            loop.onFrame(pool.headerAddress(buffers[index]), lengths[index], buffers[index]);
        }
        return frames;
    }

    @Override
    public void flush() {
        // Delivered by deliver.
    }
}
