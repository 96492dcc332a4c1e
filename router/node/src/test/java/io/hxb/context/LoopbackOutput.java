package io.hxb.context;

import io.hxb.flow.FlowLoop;
import io.hxb.flow.FlowOutput;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.linux.Memory;

import java.util.Random;

/** Brings a node's frames back to itself; loses and doubles some. */
final class LoopbackOutput implements FlowOutput {
    private static final int QUEUE = 1 << 12;

    private final BufferPool pool;
    private final BufferPool.Share share;
    private final Random random;
    private final double loss;
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
    public int send(
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes,
            final FrameOwner owner,
            final long token) {
        header.wrap(headerAddress).source(0);
        if (random.nextDouble() < loss) {
            lost++;
            owner.release(token);
            return 0;
        }
        final int id = tail - head < QUEUE ? share.acquire() : BufferPool.NONE;
        if (id == BufferPool.NONE) {
            return BLOCKED;
        }
        final long copy = pool.headerAddress(id);
        Memory.copy(headerAddress, copy, headerLengthBytes);
        Memory.copy(payloadAddress, copy + headerLengthBytes, payloadLengthBytes);
        owner.release(token);
        buffers[tail & (QUEUE - 1)] = id;
        lengths[tail++ & (QUEUE - 1)] = headerLengthBytes + payloadLengthBytes;
        return 0;
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
