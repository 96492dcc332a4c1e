package io.hxb.link.socket;

import io.hxb.link.FrameOwner;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.SentSizes;
import io.hxb.link.TrainCounts;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.os.MessageVector;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Queues frames and sends them in batches from where they lie. Owned by one loop. Sub-classes
 * address the frames.
 */
public abstract class SocketSender implements LinkSender {
    private static final int MAX_BATCH_FRAMES = 64;

    // A full shaper is tried again in the next turn; one that stays full for this many tries counts
    // as a dead link, whose frames are dropped so that their buffers return.
    private static final int MAX_CONGESTED_TRIES = 10_000;

    private final MemorySegment errno = Linux.newErrnoSegment();
    // Source: linux/skbuff.h, SKB_TRUESIZE; a frame in a buffer of its own takes no less.
    private static final int MIN_ACCOUNTED_BYTES = 640;
    private static final int OVERHEAD_BYTES = 256;

    private final MemorySegment unsent = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);
    private final MessageVector messages;
    private final int descriptor;
    private final int prefixBytes;
    private final int mask;
    private final FrameOwner[] owners;
    private final long[] tokens;
    private final int[] frameBytes;
    private final long[] groups;
    private final boolean[] isPart;
    private final Trains trains;
    private final SentSizes sizes = new SentSizes();
    private int head;
    private int tail;
    private int congestedTries;
    private boolean isBlocked;
    private boolean isClosed;
    private long sentFrames;
    private long sentBytes;
    private long sendErrors;

    /**
     * Prepares a queue.
     *
     * @param descriptor the socket; closed with this sender.
     * @param queueFrames frames it holds, a power of two.
     * @param prefixBytes bytes before the HXB header that are sent along.
     * @param nameBytes bytes of socket address per frame, 0 for none.
     * @param trains joins frames; null if each is sent alone.
     */
    protected SocketSender(
            final int descriptor,
            final int queueFrames,
            final int prefixBytes,
            final int nameBytes,
            final Trains trains) {
        this.descriptor = descriptor;
        this.prefixBytes = prefixBytes;
        this.trains = trains;
        mask = queueFrames - 1;
        messages = new MessageVector(queueFrames, 3, nameBytes, 0);
        owners = new FrameOwner[queueFrames];
        tokens = new long[queueFrames];
        frameBytes = new int[queueFrames];
        groups = new long[queueFrames];
        isPart = new boolean[queueFrames];
    }

    /** Fails unless {@code queueFrames} is a power of two from 1 to 65,536. */
    public static void checkQueue(final int queueFrames) {
        if (queueFrames < 1 || queueFrames > 1 << 16 || Integer.bitCount(queueFrames) != 1) {
            throw new IllegalArgumentException(
                    "queueFrames must be a power of two, 1..65536: " + queueFrames);
        }
    }

    /** The socket is about to be used: a sub-class may bind it again. */
    protected void beforeFlush() {}

    /**
     * True if there is room for {@code frames} more, after sending what is queued where that helps.
     */
    protected final boolean hasRoom(final int frames) {
        if (mask + 1 - (tail - head) >= frames) {
            return true;
        }
        if (isBlocked || isClosed) {
            return false;
        }
        flush();
        return mask + 1 - (tail - head) >= frames;
    }

    /** Address of the socket address of the frame that {@link #enqueue} will queue next. */
    protected final long nextNameAddress() {
        return messages.nameAddress(tail & mask);
    }

    /**
     * Queues a frame for which there is room.
     *
     * @param owner to whom the memory returns, null for nobody.
     * @param group frames of one group may be in one train, which may be {@link Trains#ALONE}.
     */
    protected final void enqueue(
            final OutgoingFrame frame, final FrameOwner owner, final long group) {
        final int index = tail & mask;
        final long address = frame.headerAddress() - prefixBytes;
        final int length = frame.headerLengthBytes() + prefixBytes;
        final int trailerBytes = frame.trailerLengthBytes();
        groups[index] = group;
        if (frame.payloadLengthBytes() == 0) {
            messages.setPiece(index, address, length + trailerBytes);
            messages.setSecondPiece(index, 0, 0);
        } else {
            messages.setPiece(index, address, length);
            messages.setSecondPiece(index, frame.payloadAddress(), frame.payloadLengthBytes());
            if (trailerBytes > 0) {
                messages.setThirdPiece(index, frame.trailerAddress(), trailerBytes);
            }
        }
        owners[index] = owner;
        tokens[index] = frame.token();
        frameBytes[index] = frame.lengthBytes();
        isPart[index] = false;
        tail++;
    }

    /** Index in the queue of the message that is queued next. */
    protected final int nextIndex() {
        return tail & mask;
    }

    /**
     * Queues a part of a frame for which there is room, as a message of the group {@link
     * Trains#WHOLE}. The parts of a frame follow each other.
     *
     * @param from first byte of the part in the frame; the prefix belongs to each part, and is
     *     anything.
     * @param to behind its last byte; the part that ends the frame gives its memory back.
     */
    protected final void enqueuePart(final OutgoingFrame frame, final int from, final int to) {
        final int index = tail & mask;
        final boolean isEnd = to == frame.lengthBytes();
        final int headBytes =
                frame.payloadLengthBytes() == 0 ? frame.lengthBytes() : frame.headerLengthBytes();
        final int payloadEnd = headBytes + frame.payloadLengthBytes();
        int pieces = addPiece(index, 0, frame.headerAddress(), from, Math.min(to, headBytes));
        pieces =
                addPiece(
                        index,
                        pieces,
                        frame.payloadAddress() - headBytes,
                        Math.max(from, headBytes),
                        Math.min(to, payloadEnd));
        pieces =
                addPiece(
                        index,
                        pieces,
                        frame.trailerAddress() - payloadEnd,
                        Math.max(from, payloadEnd),
                        to);
        messages.setPieceCount(index, pieces);
        groups[index] = Trains.WHOLE;
        owners[index] = isEnd ? frame.owner() : null;
        tokens[index] = frame.token();
        frameBytes[index] = to - from;
        isPart[index] = !isEnd;
        tail++;
    }

    private int addPiece(
            final int index, final int piece, final long base, final int from, final int to) {
        if (from >= to) {
            return piece;
        }
        final int prefix = piece == 0 ? prefixBytes : 0;
        messages.setPiece(index, piece, base + from - prefix, to - from + prefix);
        return piece + 1;
    }

    @Override
    public final int flush() {
        if (head == tail) {
            isBlocked = false;
            return 0;
        }
        beforeFlush();
        int sent = 0;
        while (head != tail) {
            final int result = hasTrains() ? sendTrains() : sendFrames();
            if (result > 0) {
                sent += result;
                complete(result);
            } else if (!goOnAfter(-result)) {
                isBlocked = true;
                return sent;
            }
        }
        isBlocked = false;
        return sent;
    }

    private boolean hasTrains() {
        return trains != null && trains.isNeeded();
    }

    private int sendTrains() {
        return trains.send(errno, descriptor, messages, frameBytes, groups, head, tail);
    }

    private int sendFrames() {
        final int index = head & mask;
        final int run = Math.min(tail - head, Math.min(mask + 1 - index, MAX_BATCH_FRAMES));
        return Sockets.sendBatch(errno, descriptor, messages.message(index), run);
    }

    private void complete(final int count) {
        congestedTries = 0;
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            final int index = head & mask;
            bytes += frameBytes[index];
            sentFrames += isPart[index] ? 0 : 1;
            sizes.add(accountedBytes(frameBytes[index]));
            releaseHead(index);
        }
        sentBytes += bytes;
    }

    // What the kernel accounts for: more for each frame, unless frames are joined.
    private int accountedBytes(final int lengthBytes) {
        return hasTrains()
                ? lengthBytes
                : Math.max(MIN_ACCOUNTED_BYTES, lengthBytes + OVERHEAD_BYTES);
    }

    // The head moves first, so that an owner that throws does not get its frame twice.
    private void releaseHead(final int index) {
        head++;
        final FrameOwner owner = owners[index];
        if (owner != null) {
            owner.release(tokens[index]);
        }
    }

    // True if the frames behind the refused one can be tried.
    private boolean goOnAfter(final int error) {
        final int refused = hasTrains() ? trains.firstFrames() : 1;
        return switch (error) {
            case Errno.EINTR -> true;
            case Errno.EAGAIN -> false;
            case Errno.ENOBUFS -> isStuck() && refuse(refused);
            case Errno.ENETDOWN, Errno.ENXIO, Errno.ENODEV -> refuse(tail - head);
            default -> (hasTrains() && trains.isRefused(error)) || refuse(refused);
        };
    }

    private boolean isStuck() {
        if (congestedTries < MAX_CONGESTED_TRIES) {
            congestedTries++;
            return false;
        }
        return true;
    }

    private boolean refuse(final int count) {
        for (int i = 0; i < count; i++) {
            sendErrors++;
            releaseHead(head & mask);
        }
        return true;
    }

    @Override
    public final int discard() {
        final int frames = tail - head;
        while (head != tail) {
            releaseHead(head & mask);
        }
        isBlocked = false;
        congestedTries = 0;
        return frames;
    }

    @Override
    public final int queuedFrames() {
        return tail - head;
    }

    @Override
    public final long unsentBytes() {
        return Math.max(0, Sockets.unsentBytes(errno, descriptor, unsent.address()));
    }

    @Override
    public final int unsentFrames() {
        return sizes.framesOf(unsentBytes());
    }

    @Override
    public final boolean isBlocked() {
        return isBlocked;
    }

    @Override
    public final int descriptor() {
        return descriptor;
    }

    @Override
    public final long sendErrors() {
        return sendErrors;
    }

    @Override
    public final long sentFrames() {
        return sentFrames;
    }

    @Override
    public final long sentBytes() {
        return sentBytes;
    }

    @Override
    public final boolean sendsTrains() {
        return trains != null && trains.isJoining();
    }

    @Override
    public final TrainCounts trains() {
        return trains == null ? LinkSender.super.trains() : trains.counts();
    }

    @Override
    public final void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        while (head != tail) {
            releaseHead(head & mask);
        }
        Descriptors.close(descriptor);
    }
}
