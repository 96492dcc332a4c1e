package io.hxb.link.sim;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.FragmentCutter;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.SentSizes;
import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** One loop's sender on a simulated link: frames are copied onto the wire by {@link #flush}. */
final class SimSender implements LinkSender {
    private static final int FIRST_NUMBER_SHIFT = 20;

    private final SimLink link;
    private final int queueFrames;
    private final ArrayDeque<Queued> queue = new ArrayDeque<>();
    private final SentSizes sizes = new SentSizes();
    private final FragmentCutter cutter;
    private final MemorySegment header =
            Arena.ofAuto().allocate(FrameHeaderFlyweight.LENGTH, Long.BYTES);
    private int offeredFrames;
    private boolean isBlocked;
    private long sendErrors;
    private long sentFrames;
    private long sentBytes;

    SimSender(final SimLink link, final int queueFrames) {
        this.link = link;
        this.queueFrames = queueFrames;
        cutter = new FragmentCutter((int) link.localAddress() << FIRST_NUMBER_SHIFT);
    }

    @Override
    public boolean offer(final int neighbour, final OutgoingFrame frame) {
        final boolean isKnown = neighbour == Link.BROADCAST || link.learned(neighbour) != 0;
        final int count = cutter.begin(frame, link.mtuBytes());
        // A frame that is longer than the whole queue goes alone.
        final boolean hasRoom = queue.isEmpty() || queue.size() + count <= queueFrames;
        if (!isKnown || !hasRoom || count == Integer.MAX_VALUE) {
            return false;
        }
        if (cutter.isCutting()) {
            cut(neighbour, frame, count);
        } else {
            queue.add(new Queued(neighbour, new OutgoingFrame().set(frame), null));
        }
        offeredFrames = count;
        return true;
    }

    @Override
    public boolean sendAhead(final int neighbour, final OutgoingFrame frame) {
        if (link.learned(neighbour) == 0 || !link.isUp() || frame.lengthBytes() > link.mtuBytes()) {
            return false;
        }
        final byte[] bytes = bytes(frame);
        link.put(neighbour, List.of(bytes));
        sentFrames++;
        sentBytes += bytes.length;
        sizes.add(bytes.length);
        frame.release();
        return true;
    }

    // The fragments are written now, since this is only a simulation, but the memory
    // returns when the last has been sent.
    private void cut(final int neighbour, final OutgoingFrame frame, final int count) {
        for (int i = 0; i < count; i++) {
            final byte[] bytes = new byte[link.mtuBytes()];
            cutter.next(header.address());
            MemorySegment.copy(header, 0, MemorySegment.ofArray(bytes), 0, header.byteSize());
            int end = (int) header.byteSize();
            for (int slice = 0; slice < cutter.slices(); slice++) {
                end =
                        copy(
                                cutter.sliceAddress(slice),
                                cutter.sliceBytes(slice),
                                MemorySegment.ofArray(bytes),
                                end);
            }
            queue.add(
                    new Queued(
                            neighbour,
                            i == count - 1 ? new OutgoingFrame().set(frame) : null,
                            MemorySegment.ofArray(bytes).asSlice(0, end)));
        }
        cutter.take();
    }

    @Override
    public int offeredFrames() {
        return offeredFrames;
    }

    @Override
    public int flush() {
        int frames = 0;
        isBlocked = false;
        while (!queue.isEmpty() && !isBlocked) {
            final List<byte[]> train = nextTrain();
            if (!link.isUp() || train.getFirst().length > link.maxFrameBytes()) {
                sendErrors++;
                releaseHead();
            } else if (link.transmit(queue.peek().neighbour(), train)) {
                for (final byte[] bytes : train) {
                    sentFrames++;
                    sizes.add(bytes.length);
                    sentBytes += bytes.length;
                    frames++;
                    releaseHead();
                }
            } else {
                isBlocked = true;
            }
        }
        return frames;
    }

    private void releaseHead() {
        queue.poll().release();
    }

    // The frames at the head that have one size and one neighbour, and the first shorter one.
    private List<byte[]> nextTrain() {
        final int neighbour = queue.peek().neighbour();
        final int limit = neighbour == Link.BROADCAST ? 1 : link.maxTrainFrames();
        final List<byte[]> train = new ArrayList<>();
        boolean isOpen = true;
        for (final Queued frame : queue) {
            if (!isOpen || train.size() == limit || frame.neighbour() != neighbour) {
                break;
            }
            final byte[] bytes = bytes(frame);
            final int size = train.isEmpty() ? bytes.length : train.getFirst().length;
            if (bytes.length > size) {
                break;
            }
            train.add(bytes);
            isOpen = bytes.length == size;
        }
        return train;
    }

    @Override
    public int discard() {
        final int frames = queue.size();
        isBlocked = false;
        close();
        return frames;
    }

    @Override
    public int queuedFrames() {
        return queue.size();
    }

    @Override
    public long unsentBytes() {
        return link.unsentBytes();
    }

    @Override
    public int unsentFrames() {
        return sizes.framesOf(unsentBytes());
    }

    @Override
    public boolean isBlocked() {
        return isBlocked;
    }

    @Override
    public int descriptor() {
        return -1;
    }

    @Override
    public long sendErrors() {
        return sendErrors;
    }

    @Override
    public long sentFrames() {
        return sentFrames;
    }

    @Override
    public long sentBytes() {
        return sentBytes;
    }

    @Override
    public void close() {
        while (!queue.isEmpty()) {
            releaseHead();
        }
    }

    private static byte[] bytes(final Queued queued) {
        return queued.fragment() != null
                ? queued.fragment().toArray(ValueLayout.JAVA_BYTE)
                : bytes(queued.frame());
    }

    private static byte[] bytes(final OutgoingFrame frame) {
        final byte[] bytes = new byte[frame.lengthBytes()];
        final MemorySegment target = MemorySegment.ofArray(bytes);
        int end = copy(frame.headerAddress(), frame.headerLengthBytes(), target, 0);
        end = copy(frame.payloadAddress(), frame.payloadLengthBytes(), target, end);
        copy(frame.trailerAddress(), frame.trailerLengthBytes(), target, end);
        return bytes;
    }

    private static int copy(
            final long address,
            final int lengthBytes,
            final MemorySegment target,
            final int offset) {
        if (lengthBytes > 0) {
            MemorySegment.copy(Memory.ALL, address, target, offset, lengthBytes);
        }
        return offset + lengthBytes;
    }

    // A frame, or a fragment: the last has the frame, whose memory returns with it.
    private record Queued(int neighbour, OutgoingFrame frame, MemorySegment fragment) {
        void release() {
            if (frame != null) {
                frame.release();
            }
        }
    }
}
