package io.hxb.forward;

import io.hxb.flow.FlowOutput;
import io.hxb.link.BufferPool;
import io.hxb.link.OutgoingFrame;

/** Frames that a node sends to itself, copied into its receive buffers. Owned by one loop. */
final class Loopback {
    /** Number of the link that frames to this node itself take. */
    static final int LINK = Integer.MAX_VALUE;

    /** Maximum number of frames that wait. */
    static final int FRAMES = 256;

    private final BufferPool pool;
    private final BufferPool.Share share;
    private final long[] entries = new long[FRAMES];
    private int head;
    private int tail;

    /** Makes an empty loopback that takes its buffers from {@code share} of {@code pool}. */
    Loopback(final BufferPool pool, final BufferPool.Share share) {
        this.pool = pool;
        this.share = share;
    }

    /**
     * Takes a frame, as {@link FlowOutput#send} describes it.
     *
     * @return {@link #LINK}, or {@link FlowOutput#BLOCKED} when too many wait, there is no buffer
     *     or the frame is too long for one.
     */
    int offer(final OutgoingFrame frame) {
        final int lengthBytes = frame.lengthBytes();
        if (tail - head == FRAMES || lengthBytes > pool.frameBytes()) {
            return FlowOutput.BLOCKED;
        }
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return FlowOutput.BLOCKED;
        }
        frame.copyTo(pool.headerAddress(id));
        entries[tail++ & (FRAMES - 1)] = (long) lengthBytes << 32 | id;
        frame.release();
        return LINK;
    }

    /** True if no frame waits. */
    boolean isEmpty() {
        return head == tail;
    }

    /**
     * Removes the frame that has waited longest: read it with {@link #id} and {@link #lengthBytes}.
     */
    long poll() {
        assert !isEmpty();
        return entries[head++ & (FRAMES - 1)];
    }

    /** The buffer of the removed frame, which the caller now owns. */
    static int id(final long entry) {
        return (int) entry;
    }

    /** Bytes of header and body of the removed frame. */
    static int lengthBytes(final long entry) {
        return (int) (entry >>> 32);
    }
}
