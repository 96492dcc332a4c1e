package io.hxb.link.socket;

import io.hxb.link.BufferPool;
import io.hxb.linux.AddressRange;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.MessageVector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The pool buffers that lie ready for the frames of trains: each message has the same number of
 * pieces of one size, a buffer each, and after them a place for what does not fit. Owned by the
 * loop that owns the link.
 */
final class TrainBuffers {
    /** Messages of one receive call at most. */
    static final int MAX_MESSAGES = 32;

    /** Room for the longest datagram after the pieces of each message. */
    private static final int REST_BYTES = 1 << 16;

    /** Room for the headers of a message. */
    private static final int PREFIX_ROOM_BYTES = 64;

    private final BufferPool pool;
    private final BufferPool.Share share;
    private final MessageVector messages;
    private final int prefixBytes;
    private final int firstPiece;
    private final MemorySegment prefixes =
            Arena.ofAuto().allocate((long) MAX_MESSAGES * PREFIX_ROOM_BYTES, Long.BYTES);
    private final AddressRange rest = AddressRange.reserve((long) MAX_MESSAGES * REST_BYTES);
    private final int[] buffers;
    private int pieces = 1;
    private int pieceBytes;
    private int ready;

    /**
     * Makes the places; the first buffers are taken when they are laid out.
     *
     * @param messages filled with the addresses of the places.
     * @param heldBuffers buffers that lie ready, unless there are fewer.
     * @param prefixBytes bytes before the first frame of a message, 0 to 64.
     */
    TrainBuffers(
            final BufferPool.Share share,
            final MessageVector messages,
            final int heldBuffers,
            final int prefixBytes)
            throws LinuxException {
        pool = share.pool();
        this.share = share;
        this.messages = messages;
        this.prefixBytes = prefixBytes;
        firstPiece = prefixBytes == 0 ? 0 : 1;
        pieceBytes = pool.frameBytes();
        buffers = new int[heldBuffers];
        rest.mapPrivate(0, rest.lengthBytes());
        Arrays.fill(buffers, BufferPool.NONE);
    }

    /**
     * Makes messages ready for the next receive call.
     *
     * @param received messages that the last call has filled, whose frames have been taken.
     * @return messages that are ready; 0 if no buffer is free.
     */
    int layOut(final int received, final int wantedPieces, final int wantedBytes) {
        final boolean isSame =
                pieces == wantedPieces && pieceBytes == wantedBytes && ready == readyOf(pieces);
        if (isSame && refill(0, received * pieces)) {
            arm(received);
            return ready;
        }
        final int held = gather();
        pieces = Math.clamp(held, 1, wantedPieces);
        pieceBytes = wantedBytes;
        ready = Math.min(readyOf(pieces), held / pieces);
        arm(ready);
        return ready;
    }

    private int readyOf(final int piecesOfEach) {
        return Math.min(MAX_MESSAGES, buffers.length / piecesOfEach);
    }

    private boolean refill(final int from, final int to) {
        for (int i = from; i < to; i++) {
            if (buffers[i] == BufferPool.NONE) {
                buffers[i] = share.acquire();
            }
            if (buffers[i] == BufferPool.NONE) {
                return false;
            }
        }
        return true;
    }

    // As many buffers as there are, in a row; returns their number.
    private int gather() {
        int held = 0;
        for (int i = 0; i < buffers.length; i++) {
            if (buffers[i] != BufferPool.NONE) {
                final int id = buffers[i];
                buffers[i] = BufferPool.NONE;
                buffers[held++] = id;
            }
        }
        while (held < buffers.length && refill(held, held + 1)) {
            held++;
        }
        return held;
    }

    private void arm(final int count) {
        for (int i = 0; i < count; i++) {
            for (int piece = 0; piece < pieces; piece++) {
                final long address = pool.headerAddress(buffers[i * pieces + piece]);
                messages.setPiece(i, firstPiece + piece, address, pieceBytes);
            }
            if (prefixBytes != 0) {
                messages.setPiece(i, 0, prefixAddress(i), prefixBytes);
            }
            messages.setPiece(i, firstPiece + pieces, restAddress(i), REST_BYTES);
            messages.setPieceCount(i, firstPiece + pieces + 1);
            messages.rearm(i);
        }
    }

    /**
     * True if a frame lies in a buffer of its own.
     *
     * @param frame its number in the message.
     * @param isAlone true if the message has no other.
     * @param segmentBytes of the message.
     */
    boolean isInPlace(
            final int frame, final boolean isAlone, final int segmentBytes, final int lengthBytes) {
        return frame < pieces
                && (isAlone || segmentBytes == pieceBytes)
                && lengthBytes <= pieceBytes;
    }

    /** Takes the buffer of a frame that lies in one of its own. */
    int take(final int message, final int frame) {
        final int index = message * pieces + frame;
        final int id = buffers[index];
        buffers[index] = BufferPool.NONE;
        return id;
    }

    /** Copies bytes of a message of which no buffer has been taken, from the pieces and after. */
    void copy(final int message, final int from, final long destination, final int lengthBytes) {
        int offset = from;
        int copied = 0;
        while (copied < lengthBytes) {
            final int piece = offset / pieceBytes;
            final int at = piece < pieces ? offset % pieceBytes : offset - pieces * pieceBytes;
            final int room = piece < pieces ? pieceBytes - at : REST_BYTES - at;
            final int length = Math.min(lengthBytes - copied, room);
            final long source =
                    piece < pieces
                            ? pool.headerAddress(buffers[message * pieces + piece])
                            : restAddress(message);
            Memory.copy(source + at, destination + copied, length);
            offset += length;
            copied += length;
        }
    }

    /** Address of the bytes before the first frame of a message. */
    long prefixAddress(final int message) {
        return prefixes.address() + (long) message * PREFIX_ROOM_BYTES;
    }

    private long restAddress(final int message) {
        return rest.address() + (long) message * REST_BYTES;
    }

    /** Buffers that wait for frames or hold frames not taken yet. */
    int held() {
        int held = 0;
        for (final int id : buffers) {
            held += id == BufferPool.NONE ? 0 : 1;
        }
        return held;
    }

    /** Gives all buffers back; nothing may be received any more. */
    void close() {
        for (int i = 0; i < buffers.length; i++) {
            if (buffers[i] != BufferPool.NONE) {
                share.release(buffers[i]);
                buffers[i] = BufferPool.NONE;
            }
        }
        rest.close();
    }
}
