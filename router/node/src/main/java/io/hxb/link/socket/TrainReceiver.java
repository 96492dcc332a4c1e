package io.hxb.link.socket;

import io.hxb.link.BufferPool;
import io.hxb.link.FrameSink;
import io.hxb.link.TrainCounts;
import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.MessageVector;
import io.hxb.os.Sockets;
import io.hxb.os.TrainVector;
import io.hxb.tap.VirtioHeader;

import java.lang.foreign.MemorySegment;

/**
 * Receives datagrams and trains of datagrams, which the kernel has joined, so that each frame lies
 * in a pool buffer of its own. Owned by the loop that owns the link.
 *
 * <p>A UDP socket (UDP_GRO) reports the sizes in control data, a packet socket in a struct
 * virtio_net_hdr before the frame's headers, which go to a place of their own.
 *
 * <p>The kernel scatters a message over pieces. Frames of a train have one size but the last, and
 * trains resemble those before: each message gets as many pool buffers as recent trains had frames,
 * with a piece of the size of these frames in each, so that the kernel itself puts every frame into
 * a buffer. What does not fit goes to a place after the pieces. Frames that do not lie where they
 * should are copied into other buffers, and the next messages are laid out as the trains are now.
 */
public final class TrainReceiver {
    /** Buffers that lie ready for frames, unless there are fewer. */
    private static final int HELD_BUFFERS = 64;

    private static final int CONTROL_BYTES = 24;
    private static final int CONTROL_USED = 20;
    private static final int CONTROL_LEVEL_OFFSET = 8;
    private static final int CONTROL_TYPE_OFFSET = 12;
    private static final int CONTROL_DATA_OFFSET = 16;

    private final MemorySegment errno = Linux.newErrnoSegment();
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final MessageVector messages;
    private final int prefixBytes;
    private final TrainBuffers buffers;
    private final TrainForecast forecast;
    private final TrainCounts counts = new TrainCounts();

    // Messages that were received, the one whose frames are taken, and its next frame.
    private int received;
    private int message;
    private int segmentBytes;
    private int totalBytes;
    private int frame;
    private int frames;
    private long starvations;

    /** Passes the frames of one kind of socket on. */
    public interface Handler {
        /** Messages have been received. */
        default void onReceive() {}

        /**
         * Takes one frame and its buffer; {@link #nameAddress} and {@link #prefixAddress} are of
         * its message.
         *
         * @param sink where it is to go.
         */
        void onFrame(FrameSink sink, int bufferId, int lengthBytes);
    }

    /** For a UDP socket with UDP_GRO; the first buffers are taken with the first batch. */
    public static TrainReceiver ofUdp(final BufferPool.Share share) throws LinuxException {
        return new TrainReceiver(
                share,
                new MessageVector(
                        TrainBuffers.MAX_MESSAGES,
                        HELD_BUFFERS + 1,
                        Sockets.SOCKADDR_IN_LENGTH,
                        CONTROL_BYTES),
                HELD_BUFFERS,
                0,
                1);
    }

    /**
     * For a packet socket with PACKET_VNET_HDR; the first buffers are taken with the first batch.
     *
     * @param heldBuffers buffers that lie ready for frames, at most {@value #HELD_BUFFERS}.
     * @param prefixBytes bytes before the first frame of a train, a struct virtio_net_hdr among
     *     them, 10 to 64.
     */
    public static TrainReceiver ofPackets(
            final BufferPool.Share share, final int heldBuffers, final int prefixBytes)
            throws LinuxException {
        return new TrainReceiver(
                share,
                new MessageVector(TrainBuffers.MAX_MESSAGES, heldBuffers + 2, 0, 0),
                heldBuffers,
                prefixBytes,
                Trains.MIN_FRAME_BYTES);
    }

    private TrainReceiver(
            final BufferPool.Share share,
            final MessageVector messages,
            final int heldBuffers,
            final int prefixBytes,
            final int minSegmentBytes)
            throws LinuxException {
        pool = share.pool();
        this.share = share;
        this.messages = messages;
        this.prefixBytes = prefixBytes;
        buffers = new TrainBuffers(share, messages, heldBuffers, prefixBytes);
        forecast = new TrainForecast(heldBuffers, minSegmentBytes, pool.frameBytes());
    }

    /**
     * Hands at most {@code limitFrames} waiting frames to {@code handler}, which passes them on to
     * {@code sink}. Never blocks, never allocates.
     *
     * @return frames handed over, 0 when none wait or no buffer is free, or a negative errno.
     */
    public int receive(
            final int descriptor,
            final int limitFrames,
            final FrameSink sink,
            final Handler handler) {
        boolean isDrained = false;
        int count = 0;
        while (count < limitFrames) {
            if (hasFrame()) {
                if (!pass(sink, handler)) {
                    break;
                }
                count++;
            } else if (isDrained) {
                break;
            } else {
                final int ready =
                        buffers.layOut(received, forecast.frames(), forecast.segmentBytes());
                final int result = receiveMessages(descriptor, ready);
                if (result < 0) {
                    return count > 0 ? count : result;
                }
                isDrained = result < ready || ready == 0;
                if (result > 0) {
                    handler.onReceive();
                }
            }
        }
        return count;
    }

    private int receiveMessages(final int descriptor, final int ready) {
        received = 0;
        message = 0;
        if (ready == 0) {
            starvations++;
            return 0;
        }
        final int result = Sockets.receiveBatch(errno, descriptor, messages.message(0), ready);
        if (result > 0) {
            received = result;
            open();
            return result;
        }
        return result == -Errno.EAGAIN || result == -Errno.EINTR ? 0 : result;
    }

    private boolean hasFrame() {
        if (message < received && frame == frames) {
            message++;
            if (message < received) {
                open();
            }
        }
        return message < received;
    }

    // False if there is no buffer to copy the frame to: it is passed on later.
    private boolean pass(final FrameSink sink, final Handler handler) {
        final int offset = frame * segmentBytes;
        final int length = Math.min(segmentBytes, totalBytes - offset);
        if (buffers.isInPlace(frame, frames == 1, segmentBytes, length)) {
            final int id = buffers.take(message, frame);
            frame++;
            handler.onFrame(sink, id, length);
            return true;
        }
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            starvations++;
            return false;
        }
        // What is too long for a buffer is cut, as the kernel would, and then is no valid frame.
        final int copied = Math.min(length, pool.frameBytes());
        buffers.copy(message, offset, pool.headerAddress(id), copied);
        counts.onCopied();
        frame++;
        handler.onFrame(sink, id, copied);
        return true;
    }

    /** Address of the sockaddr_in from which the frame being handed over came. */
    public long nameAddress() {
        return messages.nameAddress(message);
    }

    /** Address of the bytes before the train of the frame being handed over. */
    public long prefixAddress() {
        return buffers.prefixAddress(message);
    }

    // Begins with the frames of the current message.
    private void open() {
        totalBytes = Math.max(0, messages.receivedBytes(message) - prefixBytes);
        final int reported = reportedSegmentBytes();
        segmentBytes = reported > 0 && reported < totalBytes ? reported : Math.max(1, totalBytes);
        frames = totalBytes == 0 ? 1 : (totalBytes + segmentBytes - 1) / segmentBytes;
        frame = 0;
        if (frames > 1) {
            counts.onTrain(frames);
        }
        forecast.onMessage(frames, segmentBytes);
    }

    private int reportedSegmentBytes() {
        if (prefixBytes != 0) {
            return messages.receivedBytes(message) < prefixBytes
                    ? 0
                    : VirtioHeader.segmentBytes(prefixAddress());
        }
        final long control = messages.controlAddress(message);
        final boolean isPresent =
                messages.receivedControlBytes(message) >= CONTROL_USED
                        && Memory.getInt(control + CONTROL_LEVEL_OFFSET) == TrainVector.SOL_UDP
                        && Memory.getInt(control + CONTROL_TYPE_OFFSET) == TrainVector.UDP_GRO;
        return isPresent ? Memory.getInt(control + CONTROL_DATA_OFFSET) : 0;
    }

    /** Trains received, and frames copied. */
    public TrainCounts counts() {
        return counts;
    }

    /** How often a frame had to wait because the pool had no free buffer. */
    public long starvations() {
        return starvations;
    }

    /** Buffers that wait for frames or hold frames not taken yet; exact on the owner's loop. */
    public int heldBuffers() {
        return buffers.held();
    }

    /** Gives all buffers back; nothing may be received any more. */
    public void close() {
        buffers.close();
        received = 0;
        message = 0;
    }
}
