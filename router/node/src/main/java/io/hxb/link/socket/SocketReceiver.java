package io.hxb.link.socket;

import io.hxb.link.BufferPool;
import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.os.MessageVector;
import io.hxb.os.Sockets;

import java.lang.foreign.MemorySegment;

/**
 * Receives batches of frames straight into pool buffers. Owned by the loop that owns the link.
 *
 * <p>Of the prepared messages the upper part, from {@code armed}, points to empty buffers. A batch
 * uses up the first of them; before the next batch only those are refilled. Frames that were
 * received and not yet taken with {@link #take} stay first in line.
 */
public final class SocketReceiver {
    /** Frames of one receive call at most, unless there are fewer buffers for them. */
    public static final int BATCH_FRAMES = 64;

    private final MemorySegment errno = Linux.newErrnoSegment();
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final MessageVector messages;
    private final int prefixBytes;
    private final int pieceBytes;
    private final int batchFrames;
    private final int[] buffers;
    private int next;
    private int armed;
    private long starvations;

    /**
     * Prepares the messages; the first buffers are taken with the first batch.
     *
     * @param batchFrames frames of one receive call at most, for which buffers are held.
     * @param prefixBytes bytes before the HXB header that come with each frame.
     * @param nameBytes bytes of the sender's socket address, 0 for none.
     * @param controlBytes bytes of control data, 0 for none.
     */
    public SocketReceiver(
            final BufferPool.Share share,
            final int batchFrames,
            final int prefixBytes,
            final int nameBytes,
            final int controlBytes) {
        pool = share.pool();
        this.share = share;
        this.batchFrames = batchFrames;
        buffers = new int[batchFrames];
        next = batchFrames;
        armed = batchFrames;
        this.prefixBytes = prefixBytes;
        pieceBytes = prefixBytes + pool.frameBytes();
        messages = new MessageVector(batchFrames, 1, nameBytes, controlBytes);
    }

    /**
     * Receives what waits, at most {@code limitFrames}; each frame is then taken with {@link
     * #take}.
     *
     * @return frames to take, 0 when none wait or no buffer is free, or a negative errno.
     */
    public int receive(final int descriptor, final int limitFrames) {
        if (next < armed) {
            return Math.min(armed - next, limitFrames);
        }
        refill();
        final int count = Math.min(batchFrames - armed, limitFrames);
        if (count == 0) {
            starvations++;
            return 0;
        }
        final int result = Sockets.receiveBatch(errno, descriptor, messages.message(armed), count);
        if (result > 0) {
            armed += result;
            return result;
        }
        return result == -Errno.EAGAIN || result == -Errno.EINTR ? 0 : result;
    }

    /** Frames of one receive call at most. */
    public int batchFrames() {
        return batchFrames;
    }

    /** Index of the next received frame, which the caller owns from now on. */
    public int take() {
        return next++;
    }

    /** Pool buffer of the frame at {@code index}. */
    public int bufferId(final int index) {
        return buffers[index];
    }

    /** Bytes received at {@code index}, the prefix included. */
    public int receivedBytes(final int index) {
        return messages.receivedBytes(index);
    }

    /** The received messages, for addresses and control data. */
    public MessageVector messages() {
        return messages;
    }

    /** How often nothing was received because the pool had no free buffer. */
    public long starvations() {
        return starvations;
    }

    /** Buffers that wait for frames or hold frames not taken yet; exact on the owner's loop. */
    public int heldBuffers() {
        return batchFrames - next;
    }

    /** Gives all buffers back; nothing may be received any more. */
    public void close() {
        while (next < batchFrames) {
            share.release(buffers[next++]);
        }
        armed = batchFrames;
    }

    private void refill() {
        int index = armed;
        while (index > 0) {
            final int id = share.acquire();
            if (id == BufferPool.NONE) {
                break;
            }
            index--;
            buffers[index] = id;
            messages.setPiece(index, pool.headerAddress(id) - prefixBytes, pieceBytes);
            messages.rearm(index);
        }
        armed = index;
        next = index;
    }
}
