package io.hxb.link.socket;

import io.hxb.link.BufferPool;
import io.hxb.link.TrainCounts;
import io.hxb.linux.AddressRange;
import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.MessageVector;
import io.hxb.os.Sockets;
import io.hxb.os.TrainVector;
import io.hxb.tap.VirtioHeader;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Receives datagrams and trains of datagrams, which the kernel has joined, so that each frame lies
 * in a pool buffer of its own. Owned by the loop that owns the link.
 *
 * <p>A UDP socket (UDP_GRO) tells the sizes in control data, a packet socket in a struct
 * virtio_net_hdr before the frame's headers, which go to a place of their own.
 *
 * <p>The kernel scatters a message over pieces. Frames of a train have one size but the last, and
 * trains resemble those before: each message gets as many pool buffers as recent trains had frames,
 * with a piece of the size of these frames in each, so that the kernel itself puts every frame into
 * a buffer. What does not fit goes to a place behind the pieces. Frames that do not lie where they
 * should are copied into other buffers, and the next messages are laid out as the trains are now.
 */
public final class TrainReceiver {
    /** Buffers that lie ready for frames, unless there are fewer. */
    private static final int HELD_BUFFERS = 64;

    /** Messages of one receive call at most. */
    private static final int MAX_MESSAGES = 32;

    /** Room for the longest datagram behind the pieces of each message. */
    private static final int REST_BYTES = 1 << 16;

    /** Messages after which pieces that no train has needed are given up. */
    private static final int PERIOD_MESSAGES = 64;

    private static final int CONTROL_BYTES = 24;
    private static final int CONTROL_USED = 20;
    private static final int CONTROL_LEVEL_OFFSET = 8;
    private static final int CONTROL_TYPE_OFFSET = 12;
    private static final int CONTROL_DATA_OFFSET = 16;

    /** Room for the headers of a message. */
    private static final int PREFIX_ROOM_BYTES = 64;

    private final MemorySegment errno = Linux.newErrnoSegment();
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final MessageVector messages;
    private final int prefixBytes;
    private final int firstPiece;
    private final int minSegmentBytes;
    private final MemorySegment prefixes;
    private final AddressRange rest;
    private final TrainCounts counts = new TrainCounts();
    private final int[] buffers;

    // As the messages are laid out: pieces of each, bytes of a piece, messages that are ready.
    private int pieces = 1;
    private int pieceBytes;
    private int ready;

    // As the next ones are to be.
    private int wantedPieces = 1;
    private int wantedBytes;

    // What the trains of this period were like.
    private int seenMessages;
    private int seenFrames = 1;
    private int lastSegmentBytes;

    // Messages that were received, the one whose frames are taken, and its next frame.
    private int received;
    private int message;
    private int segmentBytes;
    private int totalBytes;
    private int frame;
    private int frames;

    // The frame that was found by next().
    private int foundBuffer = BufferPool.NONE;
    private int foundBytes;

    private boolean isDrained;
    private long starvations;

    /** For a UDP socket with UDP_GRO; the first buffers are taken with the first batch. */
    public static TrainReceiver ofUdp(final BufferPool.Share share) throws LinuxException {
        return new TrainReceiver(
                share,
                new MessageVector(
                        MAX_MESSAGES, HELD_BUFFERS + 1, Sockets.SOCKADDR_IN_LENGTH, CONTROL_BYTES),
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
                new MessageVector(MAX_MESSAGES, heldBuffers + 2, 0, 0),
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
        buffers = new int[heldBuffers];
        this.prefixBytes = prefixBytes;
        this.minSegmentBytes = minSegmentBytes;
        firstPiece = prefixBytes == 0 ? 0 : 1;
        prefixes = Arena.ofAuto().allocate((long) MAX_MESSAGES * PREFIX_ROOM_BYTES, Long.BYTES);
        pieceBytes = pool.frameBytes();
        wantedBytes = pieceBytes;
        rest = AddressRange.reserve((long) MAX_MESSAGES * REST_BYTES);
        rest.mapPrivate(0, rest.lengthBytes());
        Arrays.fill(buffers, BufferPool.NONE);
    }

    /**
     * Receives what waits; the frames are then taken by {@link #next}. All frames received before
     * have been taken.
     *
     * @return messages received, 0 when none wait or no buffer is free, or a negative errno.
     */
    public int receive(final int descriptor) {
        assert !hasFrames() : "frames were not taken";
        layOut();
        received = 0;
        message = 0;
        frames = 0;
        isDrained = true;
        if (ready == 0) {
            starvations++;
            return 0;
        }
        final int result = Sockets.receiveBatch(errno, descriptor, messages.message(0), ready);
        if (result > 0) {
            received = result;
            isDrained = result < ready;
            open();
            return result;
        }
        return result == -Errno.EAGAIN || result == -Errno.EINTR ? 0 : result;
    }

    /** True if the last {@link #receive} has emptied the socket, or could not. */
    public boolean isDrained() {
        return isDrained;
    }

    /** True while received frames are left; {@link #next} may still need a buffer for them. */
    public boolean hasFrames() {
        return message < received;
    }

    /**
     * Finds the next frame, which must then be taken by {@link #takeBuffer}.
     *
     * @return false if there is none, or no buffer to copy it to: it is found later.
     */
    public boolean next() {
        if (message == received) {
            return false;
        }
        if (frame == frames) {
            message++;
            if (message == received) {
                return false;
            }
            open();
        }
        return find();
    }

    private boolean find() {
        final int offset = frame * segmentBytes;
        final int length = Math.min(segmentBytes, totalBytes - offset);
        if (frame < pieces && (frames == 1 || segmentBytes == pieceBytes) && length <= pieceBytes) {
            final int index = message * pieces + frame;
            foundBuffer = buffers[index];
            buffers[index] = BufferPool.NONE;
            foundBytes = length;
        } else {
            foundBuffer = share.acquire();
            if (foundBuffer == BufferPool.NONE) {
                starvations++;
                return false;
            }
            // What is too long for a buffer is cut, as the kernel would, and then is no valid
            // frame.
            foundBytes = Math.min(length, pool.frameBytes());
            copy(offset, pool.headerAddress(foundBuffer), foundBytes);
            counts.onCopied();
        }
        frame++;
        return true;
    }

    // From the pieces, which all are this receiver's still, and what lies behind them.
    private void copy(final int from, final long destination, final int lengthBytes) {
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

    /** Buffer of the frame that was found, which the caller owns from now on. */
    public int takeBuffer() {
        final int id = foundBuffer;
        assert id != BufferPool.NONE : "no frame was found";
        foundBuffer = BufferPool.NONE;
        return id;
    }

    /** Bytes of the frame that was found. */
    public int frameBytes() {
        return foundBytes;
    }

    /** Address of the sockaddr_in from which the frame that was found came. */
    public long nameAddress() {
        return messages.nameAddress(message);
    }

    /** Address of the bytes before the train of the frame that was found. */
    public long prefixAddress() {
        return prefixAddress(message);
    }

    private long prefixAddress(final int index) {
        return prefixes.address() + (long) index * PREFIX_ROOM_BYTES;
    }

    // Begins with the frames of the current message.
    private void open() {
        totalBytes = Math.max(0, messages.receivedBytes(message) - prefixBytes);
        final int told = toldSegmentBytes();
        segmentBytes = told > 0 && told < totalBytes ? told : Math.max(1, totalBytes);
        frames = totalBytes == 0 ? 1 : (totalBytes + segmentBytes - 1) / segmentBytes;
        frame = 0;
        if (frames > 1) {
            counts.onTrain(frames);
            learn();
        }
        if (++seenMessages >= PERIOD_MESSAGES) {
            forget();
        }
    }

    private int toldSegmentBytes() {
        if (prefixBytes != 0) {
            return messages.receivedBytes(message) < prefixBytes
                    ? 0
                    : VirtioHeader.segmentBytes(prefixAddress(message));
        }
        final long control = messages.controlAddress(message);
        final boolean isTold =
                messages.receivedControlBytes(message) >= CONTROL_USED
                        && Memory.getInt(control + CONTROL_LEVEL_OFFSET) == TrainVector.SOL_UDP
                        && Memory.getInt(control + CONTROL_TYPE_OFFSET) == TrainVector.UDP_GRO;
        return isTold ? Memory.getInt(control + CONTROL_DATA_OFFSET) : 0;
    }

    // Two trains of one size in a row set the size, so that sources that alternate do not.
    private void learn() {
        if (segmentBytes < minSegmentBytes) {
            return;
        }
        final boolean isFirst = wantedPieces == 1;
        if ((isFirst || segmentBytes == lastSegmentBytes) && segmentBytes <= pool.frameBytes()) {
            wantedBytes = segmentBytes;
        }
        lastSegmentBytes = segmentBytes;
        seenFrames = Math.max(seenFrames, Math.min(frames, buffers.length));
        wantedPieces = Math.max(wantedPieces, seenFrames);
    }

    private void forget() {
        wantedPieces = seenFrames;
        if (seenFrames == 1) {
            wantedBytes = pool.frameBytes();
        }
        seenFrames = 1;
        seenMessages = 0;
    }

    private void layOut() {
        final boolean isSame =
                pieces == wantedPieces && pieceBytes == wantedBytes && ready == readyOf(pieces);
        final int used = received * pieces;
        if (isSame && refill(0, used)) {
            arm(received);
            return;
        }
        final int held = gather();
        pieces = Math.clamp(held, 1, wantedPieces);
        pieceBytes = wantedBytes;
        ready = Math.min(readyOf(pieces), held / pieces);
        arm(ready);
    }

    private int readyOf(final int pieces) {
        return Math.min(MAX_MESSAGES, buffers.length / pieces);
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

    private long restAddress(final int index) {
        return rest.address() + (long) index * REST_BYTES;
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
        int held = 0;
        for (final int id : buffers) {
            held += id == BufferPool.NONE ? 0 : 1;
        }
        return held;
    }

    /** Gives all buffers back; nothing may be received any more. */
    public void close() {
        for (int i = 0; i < buffers.length; i++) {
            if (buffers[i] != BufferPool.NONE) {
                share.release(buffers[i]);
                buffers[i] = BufferPool.NONE;
            }
        }
        received = 0;
        message = 0;
        rest.close();
    }
}
