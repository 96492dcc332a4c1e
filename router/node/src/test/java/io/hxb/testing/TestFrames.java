package io.hxb.testing;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LongFrameJoin;
import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** Frames to send in tests, and a sink that keeps what arrives. Owned by the test's thread. */
public final class TestFrames implements FrameSink, FrameOwner {
    /** What a sink saw. */
    public record Arrival(
            Link link,
            FrameOwner owner,
            long token,
            long headerAddress,
            int lengthBytes,
            long sourceAddress,
            int vlanTci) {
        /** Gives the frame's memory back. */
        public void release() {
            owner.release(token);
        }

        /** The sequence in its header. */
        public int sequence() {
            return new FrameHeaderFlyweight().wrap(headerAddress).sequence();
        }
    }

    private static final int SLOT_BYTES = 66_048;

    private final Arena arena = Arena.ofAuto();
    private final List<Arrival> arrivals = new ArrayList<>();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private long released;
    private LongFrameJoin longFrames;

    /** Where pieces of long frames are joined from now on. */
    public void join(final LongFrameJoin join) {
        longFrames = join;
    }

    @Override
    public LongFrameJoin longFrames() {
        return longFrames;
    }

    /** A pool over memory that lives as long as this object. */
    public BufferPool pool(final int bufferCount, final int bufferBytes) {
        return new BufferPool(
                arena.allocate((long) bufferCount * bufferBytes, 64).address(),
                bufferCount,
                bufferBytes);
    }

    /**
     * Makes a data frame whose body bytes are its sequence plus their index.
     *
     * @return address of its HXB header, with headroom before it.
     */
    public long frame(final long destination, final int sequence, final int bodyLength) {
        final long address = arena.allocate(SLOT_BYTES, 64).address() + 64;
        header.wrap(address)
                .clear()
                .type(FrameType.DATA)
                .hopLimit(8)
                .destination(destination)
                .sequence(sequence)
                .bodyLength(bodyLength);
        for (int i = 0; i < bodyLength; i++) {
            Memory.putByte(header.bodyAddress() + i, sequence + i);
        }
        return address;
    }

    /** True if the frame at {@code headerAddress} is as {@link #frame} made it. */
    public boolean isIntact(
            final long headerAddress, final int lengthBytes, final int sequence, final int body) {
        header.wrap(headerAddress);
        if (header.sequence() != sequence
                || header.bodyLength() != body
                || lengthBytes < FrameHeaderFlyweight.LENGTH + body) {
            return false;
        }
        for (int i = 0; i < body; i++) {
            if (Memory.getByte(header.bodyAddress() + i) != (byte) (sequence + i)) {
                return false;
            }
        }
        return true;
    }

    /** What arrived and was not cleared. */
    public List<Arrival> arrivals() {
        return arrivals;
    }

    /** Gives the memory of all arrivals back and forgets them. */
    public void releaseAll() {
        arrivals.forEach(Arrival::release);
        arrivals.clear();
    }

    /** Frames of {@link #frame} that came back from a sender. */
    public long released() {
        return released;
    }

    @Override
    public void onFrame(
            final Link link,
            final FrameOwner owner,
            final long token,
            final long headerAddress,
            final int lengthBytes,
            final long sourceAddress,
            final int vlanTci) {
        arrivals.add(
                new Arrival(
                        link, owner, token, headerAddress, lengthBytes, sourceAddress, vlanTci));
    }

    @Override
    public void release(final long token) {
        released++;
    }
}
