package io.hxb.pm.stream;

import java.nio.ByteBuffer;

/**
 * Bytes of one stream that have been received and not read. Large messages stay in place in the
 * node's pool for a moment while only a few are held there; otherwise they are copied, so that a
 * stream that nobody reads takes memory of this process only. Guarded by the engine's lock.
 */
final class ReceiveQueue {
    private static final int MIN_HELD_BYTES = 512;

    private final ReceivePool pool;
    private ReceiveSegment head;
    private ReceiveSegment tail;
    private int lengthBytes;
    private int held;

    /** An empty queue. */
    public ReceiveQueue(final ReceivePool pool) {
        this.pool = pool;
    }

    /** Bytes in it. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** True if there is nothing to take. */
    public boolean isEmpty() {
        return lengthBytes == 0;
    }

    /**
     * Adds bytes of a message.
     *
     * @return true if the queue keeps the message and releases it later.
     */
    public boolean add(final long handle, final long address, final int bytes) {
        lengthBytes += bytes;
        if (bytes >= MIN_HELD_BYTES && pool.mayHold()) {
            held++;
            append(pool.hold(this, handle, address, bytes));
            return true;
        }
        int done = 0;
        if (tail != null && !tail.isHeld()) {
            done = Math.min(bytes, tail.roomBytes());
            tail.append(address, done);
        }
        if (done < bytes) {
            append(pool.piece(bytes - done));
            tail.append(address + done, bytes - done);
        }
        return false;
    }

    private void append(final ReceiveSegment piece) {
        if (tail == null) {
            head = piece;
        } else {
            tail.link(piece);
        }
        tail = piece;
    }

    /** Takes bytes, at most what the target has room for; returns how many. */
    public int take(final ByteBuffer target) {
        int taken = 0;
        while (head != null && target.hasRemaining()) {
            final ReceiveSegment piece = head;
            taken += piece.take(target);
            if (piece.isTaken()) {
                removeHead();
            }
        }
        lengthBytes -= taken;
        assert lengthBytes >= 0 && (lengthBytes == 0) == (head == null) : "bytes are miscounted";
        return taken;
    }

    private void removeHead() {
        final ReceiveSegment piece = head;
        head = piece.unlink();
        if (head == null) {
            tail = null;
        }
        noteNotHeld(piece);
        pool.giveBack(piece);
    }

    private void noteNotHeld(final ReceiveSegment piece) {
        if (piece.isHeld()) {
            held--;
            if (held == 0) {
                pool.onNothingHeld(this);
            }
        }
    }

    /** Copies what lies in messages, and releases them. */
    void copyHeld() {
        ReceiveSegment rest = head;
        head = null;
        tail = null;
        while (rest != null) {
            final ReceiveSegment piece = rest;
            rest = piece.unlink();
            if (piece.isHeld()) {
                final ReceiveSegment copy = pool.piece(piece.lengthBytes());
                piece.copyTo(copy);
                noteNotHeld(piece);
                pool.giveBack(piece);
                append(copy);
            } else {
                append(piece);
            }
        }
    }

    /** Drops everything; returns how many bytes. */
    public int clear() {
        while (head != null) {
            removeHead();
        }
        final int dropped = lengthBytes;
        lengthBytes = 0;
        return dropped;
    }
}
