package io.hxb.pm.stream;

import io.hxb.pm.PmContext;

/**
 * What the receive queues of one context share: how many messages they may hold in place, and
 * pieces to be reused. Guarded by the engine's lock.
 */
final class ReceivePool {
    /** Bytes of the smallest piece. */
    static final int PIECE_BYTES = 4096;

    private static final int MAX_HELD = 128;
    private static final int MAX_FREE = 256;

    private final PmContext context;
    private int held;
    private ReceivePiece free;
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

    /** A piece that lies in a message, which is released with it. */
    ReceivePiece hold(final long handle, final long address, final int lengthBytes) {
        held++;
        return ReceivePiece.held(handle, address, lengthBytes);
    }

    /** An empty piece with room for {@code lengthBytes} or more. */
    ReceivePiece piece(final int lengthBytes) {
        if (lengthBytes > PIECE_BYTES || free == null) {
            return ReceivePiece.empty(Math.max(lengthBytes, PIECE_BYTES));
        }
        final ReceivePiece piece = free;
        free = piece.unlink();
        freeCount--;
        piece.clear();
        return piece;
    }

    /** Takes back a piece that is no longer in a queue. */
    void giveBack(final ReceivePiece piece) {
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
