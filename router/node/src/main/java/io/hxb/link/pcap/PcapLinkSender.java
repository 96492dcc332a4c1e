package io.hxb.link.pcap;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.SealFlyweight;
import io.hxb.link.FrameOwner;
import io.hxb.link.LinkSender;
import io.hxb.link.TrainCounts;
import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A sender whose frames are written to the file once they are queued. Owned by one loop.
 *
 * <p>A frame is copied before it is offered, for its memory may go back during the offer.
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
    public boolean offer(
            final int neighbour,
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes,
            final FrameOwner owner,
            final long token) {
        final int trailerBytes =
                payloadLengthBytes > 0 && FrameHeaderFlyweight.isSealed(headerAddress)
                        ? SealFlyweight.LENGTH
                        : 0;
        final int length = headerLengthBytes + payloadLengthBytes + trailerBytes;
        final boolean fits = length <= COPY_BYTES;
        if (fits) {
            Memory.copy(headerAddress, copy.address(), headerLengthBytes);
            if (payloadLengthBytes > 0) {
                Memory.copy(payloadAddress, copy.address() + headerLengthBytes, payloadLengthBytes);
                Memory.copy(
                        headerAddress + headerLengthBytes,
                        copy.address() + headerLengthBytes + payloadLengthBytes,
                        trailerBytes);
            }
        }
        final boolean isTaken =
                sender.offer(
                        neighbour,
                        headerAddress,
                        headerLengthBytes,
                        payloadAddress,
                        payloadLengthBytes,
                        owner,
                        token);
        if (isTaken && fits) {
            link.onSent(neighbour, copy.address(), length);
        }
        return isTaken;
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
    public void close() {
        sender.close();
    }
}
