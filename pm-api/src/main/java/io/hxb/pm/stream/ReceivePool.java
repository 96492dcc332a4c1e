package io.hxb.pm.stream;

import io.hxb.pm.PmContext;

/**
 * What the receive queues of one context share: how many messages they may hold in place, and
 * pieces to be used again. Guarded by the engine's lock.
 */
final class ReceivePool {
    /** Bytes of the smallest piece. */
    static final int PIECE_BYTES = 4096;

    private static final int MAX_HELD = 128;
    private static final int MAX_FREE = 256;

    private final PmContext context;
    private int held;
    private Piece free;
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

    boolean mayHold() {
        return held < MAX_HELD;
    }

    /** A piece that lies in a message, which is released with it. */
    Piece hold(final long handle, final long address, final int lengthBytes) {
        final Piece piece = new Piece(null);
        piece.handle = handle;
        piece.address = address;
        piece.end = lengthBytes;
        held++;
        return piece;
    }

    /** An empty piece with room for {@code lengthBytes} or more. */
    Piece piece(final int lengthBytes) {
        if (lengthBytes > PIECE_BYTES || free == null) {
            return new Piece(new byte[Math.max(lengthBytes, PIECE_BYTES)]);
        }
        final Piece piece = free;
        free = piece.next;
        freeCount--;
        piece.next = null;
        piece.start = 0;
        piece.end = 0;
        return piece;
    }

    void giveBack(final Piece piece) {
        if (piece.bytes == null) {
            held--;
            if (!isDetached) {
                context.release(piece.handle);
            }
        } else if (piece.bytes.length == PIECE_BYTES && freeCount < MAX_FREE) {
            piece.next = free;
            free = piece;
            freeCount++;
        }
    }

    /** Some bytes of a stream, in a message or copied. */
    static final class Piece {
        /** Null when the bytes lie in a message. */
        final byte[] bytes;

        Piece next;
        int start;
        int end;
        long address;
        private long handle;

        Piece(final byte[] bytes) {
            this.bytes = bytes;
        }
    }
}
