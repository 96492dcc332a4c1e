package io.hxb.link.socket;

import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.FragmentCutter;
import io.hxb.link.FrameOwner;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.SentSizes;
import io.hxb.link.TrainCounts;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.MessageVector;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Queues frames and sends them in batches from where they lie. Owned by one loop. Sub-classes
 * address the frames.
 *
 * <p>A frame longer than the link takes is queued as fragments, all or none of them. Each counts as
 * a frame, also among errors; the frame's memory goes back with the last.
 */
public abstract class SocketSender implements LinkSender {
    private static final int MAX_BATCH_FRAMES = 64;

    // Of a fragment: its header and three pieces of the frame.
    private static final int MAX_PIECES = 4;
    private static final int HEADER_STRIDE_BYTES =
            Link.HEADROOM_BYTES + FrameHeaderFlyweight.LENGTH;

    // Long frames for which the queue has room at least, and fragments of each.
    private static final int MIN_LONG_FRAMES = 2;
    private static final int MAX_FRAGMENTS = 64;

    // What sendAhead may make wait beyond the limit: a frame of the greatest length, which may have
    // passed the limit, and some short ones.
    private static final int AHEAD_BYTES = 192 << 10;

    // A full shaper is tried again in the next turn; one that stays full for this many tries counts
    // as a dead link, whose frames are dropped so that their buffers return.
    private static final int MAX_CONGESTED_TRIES = 10_000;

    private final MemorySegment errno = Linux.newErrnoSegment();
    // Source: linux/skbuff.h, SKB_TRUESIZE; a frame in a buffer of its own takes no less.
    private static final int MIN_ACCOUNTED_BYTES = 640;
    private static final int OVERHEAD_BYTES = 256;

    private final MemorySegment unsent = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);
    private final MemorySegment sendBuffer = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);
    private final MessageVector messages;
    // The one of sendAhead.
    private final MessageVector ahead;
    private final int[] aheadBytes = new int[1];
    private final long[] aheadGroup = {Trains.ALONE};
    private final FragmentCutter cutter = new FragmentCutter(ThreadLocalRandom.current().nextInt());
    // A header for the fragment at each place of the queue, with headroom.
    private final MemorySegment headers;
    private final int nameBytes;
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
    private final int maxUnsentBytes;
    private int unsentLimitBytes;
    private int head;
    private int tail;
    private int congestedTries;
    private int offeredFrames;
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
     * @param sendBufferBytes of the socket, as requested.
     * @param trains joins frames; null if each is sent alone.
     */
    protected SocketSender(
            final int descriptor,
            final int queueFrames,
            final int prefixBytes,
            final int nameBytes,
            final int sendBufferBytes,
            final Trains trains) {
        // The kernel lets twice as much wait as is requested: socket(7).
        maxUnsentBytes = 2 * Math.min(sendBufferBytes, Integer.MAX_VALUE / 2 - AHEAD_BYTES);
        unsentLimitBytes = maxUnsentBytes;
        this.descriptor = descriptor;
        this.prefixBytes = prefixBytes;
        this.trains = trains;
        mask = queueFrames - 1;
        this.nameBytes = nameBytes;
        messages = new MessageVector(queueFrames, MAX_PIECES, nameBytes, 0);
        ahead = new MessageVector(1, MAX_PIECES, nameBytes, 0);
        headers = Arena.ofAuto().allocate((long) queueFrames * HEADER_STRIDE_BYTES, 64);
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

    /** Frames that a sender's queue has to hold, if it is to hold {@code queueFrames} and cuts. */
    public static int queueFrames(final int queueFrames, final Link link) {
        checkQueue(queueFrames);
        return link.maxFrameBytes() > link.mtuBytes()
                ? Math.max(queueFrames, MIN_LONG_FRAMES * MAX_FRAGMENTS)
                : queueFrames;
    }

    /**
     * The longest frame of which the fragments find a place in the queue of every sender.
     *
     * @param mtuBytes that the link takes.
     * @param limitBytes that the receivers take.
     */
    public static int maxFrameBytes(final int mtuBytes, final int limitBytes) {
        final int rangeBytes =
                mtuBytes - FrameHeaderFlyweight.LENGTH & -FragmentFlyweight.UNIT_BYTES;
        final int fragmentsBytes = MAX_FRAGMENTS * Math.max(0, rangeBytes);
        final int longest = Math.min(fragmentsBytes, FragmentFlyweight.MAX_FRAME_BYTES);
        return Math.max(mtuBytes, Math.min(longest, limitBytes));
    }

    /** Bytes of header and body that the link takes in one frame now. */
    protected abstract int mtuBytes();

    /** The socket is about to be used: a sub-class may bind it again. */
    protected void beforeFlush() {}

    /** True if there is room for all that a frame becomes, which {@link #enqueue} may queue now. */
    protected final boolean hasRoomFor(final OutgoingFrame frame) {
        return hasRoom(cutter.begin(frame, mtuBytes()));
    }

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
     * Queues a frame for which there is room, as {@link #hasRoomFor} has found.
     *
     * @param owner to whom the memory returns, null for nobody.
     * @param group frames of one group may be in one train, which may be {@link Trains#ALONE}.
     */
    protected final void enqueue(
            final OutgoingFrame frame, final FrameOwner owner, final long group) {
        if (cutter.isCutting()) {
            enqueueFragments(frame, owner, group);
        } else {
            enqueueWhole(frame, owner, group);
            offeredFrames = 1;
        }
    }

    private void enqueueWhole(final OutgoingFrame frame, final FrameOwner owner, final long group) {
        final int index = tail & mask;
        groups[index] = group;
        setPieces(messages, index, frame);
        owners[index] = owner;
        tokens[index] = frame.token();
        frameBytes[index] = frame.lengthBytes();
        isPart[index] = false;
        tail++;
    }

    private void setPieces(final MessageVector vector, final int index, final OutgoingFrame frame) {
        final long address = frame.headerAddress() - prefixBytes;
        final int length = frame.headerLengthBytes() + prefixBytes;
        final int trailerBytes = frame.trailerLengthBytes();
        if (frame.payloadLengthBytes() == 0) {
            vector.setPiece(index, address, length + trailerBytes);
            vector.setSecondPiece(index, 0, 0);
        } else {
            vector.setPiece(index, address, length);
            vector.setSecondPiece(index, frame.payloadAddress(), frame.payloadLengthBytes());
            if (trailerBytes > 0) {
                vector.setThirdPiece(index, frame.trailerAddress(), trailerBytes);
            }
        }
    }

    /** Address of the socket address of the frame that {@link #sendNow} will send. */
    protected final long aheadNameAddress() {
        return ahead.nameAddress(0);
    }

    /**
     * Sends a frame that is not cut before those that are queued, and beyond the limit of what may
     * wait.
     *
     * @return false if the kernel did not take it.
     */
    protected final boolean sendNow(final OutgoingFrame frame) {
        if (isClosed) {
            return false;
        }
        setPieces(ahead, 0, frame);
        aheadBytes[0] = frame.lengthBytes();
        // Only what was full a moment ago needs more room.
        final boolean isBeyond = isBlocked && setSendBuffer(unsentLimitBytes + AHEAD_BYTES);
        final int result =
                hasTrains()
                        ? trains.send(errno, descriptor, ahead, aheadBytes, aheadGroup, 0, 1)
                        : Sockets.sendBatch(errno, descriptor, ahead.message(0), 1);
        if (isBeyond) {
            setSendBuffer(unsentLimitBytes);
        }
        if (result <= 0) {
            return false;
        }
        sentFrames++;
        sentBytes += aheadBytes[0];
        sizes.add(accountedBytes(aheadBytes[0]));
        frame.release();
        return true;
    }

    @Override
    public int maxUnsentBytes() {
        return maxUnsentBytes;
    }

    @Override
    public final void limitUnsent(final int bytes) {
        if (setSendBuffer(bytes)) {
            unsentLimitBytes = bytes;
        }
    }

    // A socket that refuses keeps the buffer that it has, and what is wrong shows when frames are
    // sent.
    private boolean setSendBuffer(final int bytes) {
        try {
            Sockets.changeSendBuffer(descriptor, bytes / 2, sendBuffer.address());
            return true;
        } catch (final LinuxException e) {
            return false;
        }
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
     * @param to after its last byte; the part that ends the frame gives its memory back.
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
        offeredFrames = 1;
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

    // The link's own addresses were written before the frame, or into the name of the first.
    private void enqueueFragments(
            final OutgoingFrame frame, final FrameOwner owner, final long group) {
        final long name = nextNameAddress();
        final int count = cutter.count();
        for (int i = 0; i < count; i++) {
            final int index = tail & mask;
            final long header =
                    headers.address() + (long) index * HEADER_STRIDE_BYTES + Link.HEADROOM_BYTES;
            Memory.copyShort(
                    frame.headerAddress() - prefixBytes, header - prefixBytes, prefixBytes);
            cutter.next(header);
            messages.setPiece(
                    index, header - prefixBytes, FrameHeaderFlyweight.LENGTH + prefixBytes);
            for (int slice = 0; slice < cutter.slices(); slice++) {
                messages.setPiece(
                        index, slice + 1, cutter.sliceAddress(slice), cutter.sliceBytes(slice));
            }
            messages.setPieceCount(index, cutter.slices() + 1);
            if (i > 0 && nameBytes > 0) {
                Memory.copyShort(name, messages.nameAddress(index), nameBytes);
            }
            groups[index] = group;
            owners[index] = i == count - 1 ? owner : null;
            tokens[index] = frame.token();
            frameBytes[index] = cutter.fragmentBytes();
            isPart[index] = false;
            tail++;
        }
        offeredFrames = count;
        cutter.take();
    }

    @Override
    public final int offeredFrames() {
        return offeredFrames;
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

    // True if the frames after the refused one can be tried.
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
