package io.hxb.link.raw;

import io.hxb.link.BufferPool;
import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.os.MessageVector;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Receives segments, joined ones or not, so that the payload of each lies at the header address of
 * a pool buffer, and its headers in a place of their own. Owned by the loop that owns the link.
 *
 * <p>A buffer that is not taken is used for the next batch again.
 */
final class SegmentReceiver {
    private final MemorySegment errno = Linux.newErrnoSegment();
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final MessageVector messages;
    private final MemorySegment prefixes;
    private final int[] buffers;
    private int ready;
    private int received;
    private long starvations;

    /**
     * Prepares the messages; the first buffers are taken with the first batch.
     *
     * @param batchPackets packets of one system call at most, for which buffers are held.
     */
    SegmentReceiver(final BufferPool.Share share, final int batchPackets) {
        pool = share.pool();
        this.share = share;
        buffers = new int[batchPackets];
        messages = new MessageVector(batchPackets, 2, 0, 0);
        prefixes = Arena.ofAuto().allocate((long) batchPackets * SegmentHeaders.LENGTH, Long.BYTES);
        for (int i = 0; i < batchPackets; i++) {
            messages.setPiece(i, 0, prefix(i), SegmentHeaders.LENGTH);
            messages.setPieceCount(i, 2);
            buffers[i] = BufferPool.NONE;
        }
    }

    /**
     * Receives what waits; nothing of what was received before is kept.
     *
     * @return packets, 0 when none wait or no buffer is free, or a negative errno.
     */
    int receive(final int descriptor) {
        refill();
        received = 0;
        if (ready == 0) {
            starvations++;
            return 0;
        }
        final int result = Sockets.receiveBatch(errno, descriptor, messages.message(0), ready);
        if (result > 0) {
            received = result;
            return result;
        }
        return result == -Errno.EAGAIN || result == -Errno.EINTR ? 0 : result;
    }

    // Those that lie ready are the first ones; taken ones are among those that were received.
    private void refill() {
        for (int i = 0; i < received; i++) {
            if (buffers[i] == BufferPool.NONE) {
                arm(i, share.acquire());
            }
        }
        while (ready < buffers.length) {
            final int id = share.acquire();
            if (id == BufferPool.NONE) {
                break;
            }
            arm(ready++, id);
        }
        int kept = 0;
        for (int i = 0; i < ready; i++) {
            if (buffers[i] != BufferPool.NONE) {
                if (kept < i) {
                    arm(kept, buffers[i]);
                    buffers[i] = BufferPool.NONE;
                }
                kept++;
            }
        }
        ready = kept;
    }

    private void arm(final int index, final int id) {
        buffers[index] = id;
        if (id != BufferPool.NONE) {
            messages.setPiece(index, 1, pool.headerAddress(id), pool.frameBytes());
        }
    }

    /** True if the last call may have left something in the socket. */
    boolean isFull() {
        return received == ready && ready > 0;
    }

    /** Headers of a packet. */
    long prefix(final int index) {
        return prefixes.address() + (long) index * SegmentHeaders.LENGTH;
    }

    /** Bytes of its payload, of which some may be the padding of Ethernet; negative if none. */
    int payloadBytes(final int index) {
        return messages.receivedBytes(index) - SegmentHeaders.LENGTH;
    }

    /** The buffer with its payload. */
    int buffer(final int index) {
        return buffers[index];
    }

    /** The same, which belongs to the caller from now on. */
    int take(final int index) {
        final int id = buffers[index];
        buffers[index] = BufferPool.NONE;
        return id;
    }

    /** How often nothing was received because the pool had no free buffer. */
    long starvations() {
        return starvations;
    }

    /** Buffers that lie ready. */
    int heldBuffers() {
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
        ready = 0;
        received = 0;
    }
}
