package io.hxb.pm.stream;

import io.hxb.pm.PmContext;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What the receive queues of one context share: how many messages they may hold in place, and
 * pieces to be reused. Guarded by the engine's lock.
 */
final class ReceivePool {
    /** Bytes of the smallest piece. */
    static final int PIECE_BYTES = 4096;

    /** Half of the receive buffers that a node guarantees to a context, if it has so many. */
    private static final int MAX_HELD = 16;

    private static final int MAX_FREE = 256;

    /** Time after which what is still held is copied. */
    private static final long HOLD_NS = 2_000_000L;

    private final PmContext context;
    private final Set<ReceiveQueue> holders = new LinkedHashSet<>();
    private int held;
    private long copyNs;
    private ReceiveSegment free;
    private int freeCount;
    private boolean isDetached;

    /** The pool of a context. */
    public ReceivePool(final PmContext context) {
        this.context = context;
    }

    /** The context is being closed, which releases what is held. */
    public void detach() {
        isDetached = true;
    }

    /** True if another message may stay in place. */
    boolean mayHold() {
        return held < MAX_HELD;
    }

    /** A piece of a queue that lies in a message, which is released with it. */
    ReceiveSegment hold(
            final ReceiveQueue queue,
            final long handle,
            final long address,
            final int lengthBytes) {
        if (held == 0) {
            copyNs = System.nanoTime() + HOLD_NS;
        }
        held++;
        holders.add(queue);
        return ReceiveSegment.held(handle, address, lengthBytes);
    }

    /**
     * Time until {@link #copyHeld} is due, in ns, 0 or less if it is; very long if nothing is held.
     */
    long untilCopyNs(final long nowNs) {
        return held == 0 ? Long.MAX_VALUE : copyNs - nowNs;
    }

    /**
     * Copies what is held in messages and releases them, so that streams that nobody reads leave
     * the context its receive buffers: without any, it would receive nothing for other streams.
     */
    void copyHeld() {
        final List<ReceiveQueue> queues = List.copyOf(holders);
        holders.clear();
        queues.forEach(ReceiveQueue::copyHeld);
        assert held == 0 : "messages are held by no queue: " + held;
    }

    /** A queue holds no messages any more. */
    void onNothingHeld(final ReceiveQueue queue) {
        holders.remove(queue);
    }

    /** An empty piece with room for {@code lengthBytes} or more. */
    ReceiveSegment piece(final int lengthBytes) {
        if (lengthBytes > PIECE_BYTES || free == null) {
            return ReceiveSegment.empty(Math.max(lengthBytes, PIECE_BYTES));
        }
        final ReceiveSegment piece = free;
        free = piece.unlink();
        freeCount--;
        piece.clear();
        return piece;
    }

    /** Takes back a piece that is no longer in a queue. */
    void giveBack(final ReceiveSegment piece) {
        if (piece.isHeld()) {
            held--;
            assert held >= 0 : "more messages given back than held";
            if (!isDetached) {
                context.release(piece.handle());
            }
        } else if (piece.capacityBytes() == PIECE_BYTES && freeCount < MAX_FREE) {
            piece.link(free);
            free = piece;
            freeCount++;
        }
    }
}
