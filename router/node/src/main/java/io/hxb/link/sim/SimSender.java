package io.hxb.link.sim;

import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.SentSizes;
import io.hxb.linux.Memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** One loop's sender on a simulated link: frames are copied onto the wire by {@link #flush}. */
final class SimSender implements LinkSender {
    private final SimLink link;
    private final int queueFrames;
    private final ArrayDeque<Queued> queue = new ArrayDeque<>();
    private final SentSizes sizes = new SentSizes();
    private boolean isBlocked;
    private long sendErrors;
    private long sentFrames;
    private long sentBytes;

    SimSender(final SimLink link, final int queueFrames) {
        this.link = link;
        this.queueFrames = queueFrames;
    }

    @Override
    public boolean offer(final int neighbour, final OutgoingFrame frame) {
        final boolean isKnown = neighbour == Link.BROADCAST || link.learned(neighbour) != 0;
        if (!isKnown || queue.size() >= queueFrames) {
            return false;
        }
        queue.add(
                new Queued(
                        neighbour,
                        new OutgoingFrame()
                                .wrap(
                                        frame.headerAddress(),
                                        frame.headerLengthBytes(),
                                        frame.owner(),
                                        frame.token())
                                .payload(frame.payloadAddress(), frame.payloadLengthBytes())
                                .trailer(frame.trailerLengthBytes())));
        return true;
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
        final Queued frame = queue.poll();
        frame.frame().release();
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
            final Queued frame = queue.poll();
            frame.frame().release();
        }
    }

    private static byte[] bytes(final Queued queued) {
        final OutgoingFrame frame = queued.frame();
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

    private record Queued(int neighbour, OutgoingFrame frame) {}
}
