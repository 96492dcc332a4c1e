package io.hxb.pm.stream;

import io.hxb.pm.stream.wire.Bytes;

import java.nio.ByteBuffer;

/**
 * Bytes of one stream that have been received and not read. Large messages stay in place in the
 * node's pool while few are held there; else they are copied, so that a stream that nobody reads
 * takes memory of this process only. Guarded by the engine's lock.
 */
final class ReceiveQueue {
    private static final int MAX_HELD = 32;
    private static final int MIN_HELD_BYTES = 512;

    private final ReceivePool pool;
    private ReceivePool.Piece head;
    private ReceivePool.Piece tail;
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
        if (bytes >= MIN_HELD_BYTES && held < MAX_HELD && pool.mayHold()) {
            held++;
            append(pool.hold(handle, address, bytes));
            return true;
        }
        int done = 0;
        if (tail != null && tail.bytes != null) {
            done = Math.min(bytes, tail.bytes.length - tail.end);
            fill(tail, address, done);
        }
        if (done < bytes) {
            append(pool.piece(bytes - done));
            fill(tail, address + done, bytes - done);
        }
        return false;
    }

    private static void fill(
            final ReceivePool.Piece piece, final long address, final int lengthBytes) {
        Bytes.get(address, lengthBytes, piece.bytes, piece.end);
        piece.end += lengthBytes;
    }

    private void append(final ReceivePool.Piece piece) {
        if (tail == null) {
            head = piece;
        } else {
            tail.next = piece;
        }
        tail = piece;
    }

    /** Takes bytes, at most what the target has room for; how many. */
    public int take(final ByteBuffer target) {
        int taken = 0;
        while (head != null && target.hasRemaining()) {
            final ReceivePool.Piece piece = head;
            final int count = Math.min(target.remaining(), piece.end - piece.start);
            if (piece.bytes == null) {
                Bytes.get(piece.address + piece.start, count, target);
            } else {
                target.put(piece.bytes, piece.start, count);
            }
            piece.start += count;
            taken += count;
            if (piece.start == piece.end) {
                removeHead();
            }
        }
        lengthBytes -= taken;
        return taken;
    }

    private void removeHead() {
        final ReceivePool.Piece piece = head;
        head = piece.next;
        if (head == null) {
            tail = null;
        }
        piece.next = null;
        held -= piece.bytes == null ? 1 : 0;
        pool.giveBack(piece);
    }

    /** Drops everything; how many bytes. */
    public int clear() {
        while (head != null) {
            removeHead();
        }
        final int dropped = lengthBytes;
        lengthBytes = 0;
        return dropped;
    }
}
