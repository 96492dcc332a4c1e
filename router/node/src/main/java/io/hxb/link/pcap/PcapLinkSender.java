package io.hxb.link.pcap;

import io.hxb.link.LinkSender;
import io.hxb.link.LongFrameCounts;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.TrainCounts;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A sender whose frames are written to the file once they are queued. Owned by one loop.
 *
 * <p>A frame is copied before it is offered, for its memory may go back during the offer. One that
 * the link cuts is written whole.
 */
final class PcapLinkSender implements LinkSender {
    private static final int COPY_BYTES = 1 << 17;

    private final PcapLink link;
    private final LinkSender sender;
    private final MemorySegment copy = Arena.ofAuto().allocate(COPY_BYTES, 8);

    PcapLinkSender(final PcapLink link, final LinkSender sender) {
        this.link = link;
        this.sender = sender;
    }

    @Override
    public boolean offer(final int neighbour, final OutgoingFrame frame) {
        final int length = frame.lengthBytes();
        final boolean fits = length <= COPY_BYTES;
        if (fits) {
            frame.copyTo(copy.address());
        }
        final boolean isTaken = sender.offer(neighbour, frame);
        if (isTaken && fits && frame.rangeLengthBytes() == 0) {
            final long header = copy.address();
            link.onSent(neighbour, sender.etherType(neighbour, header), header, length);
        }
        return isTaken;
    }

    @Override
    public int offeredFrames() {
        return sender.offeredFrames();
    }

    @Override
    public int flush() {
        return sender.flush();
    }

    @Override
    public int discard() {
        return sender.discard();
    }

    @Override
    public int queuedFrames() {
        return sender.queuedFrames();
    }

    @Override
    public int unsentFrames() {
        return sender.unsentFrames();
    }

    @Override
    public long unsentBytes() {
        return sender.unsentBytes();
    }

    @Override
    public boolean isBlocked() {
        return sender.isBlocked();
    }

    @Override
    public int descriptor() {
        return sender.descriptor();
    }

    @Override
    public long sendErrors() {
        return sender.sendErrors();
    }

    @Override
    public long sentFrames() {
        return sender.sentFrames();
    }

    @Override
    public long sentBytes() {
        return sender.sentBytes();
    }

    @Override
    public TrainCounts trains() {
        return sender.trains();
    }

    @Override
    public LongFrameCounts longFrames() {
        return sender.longFrames();
    }

    @Override
    public void close() {
        sender.close();
    }
}
