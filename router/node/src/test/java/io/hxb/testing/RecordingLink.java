package io.hxb.testing;

import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;

import java.util.ArrayList;
import java.util.List;

/** A link that keeps what is offered, and blocks or goes down on request. Owned by the test. */
public final class RecordingLink implements Link {
    /** One frame offered. */
    public record Offer(int neighbour, long headerAddress, int lengthBytes, long token) {}

    private final int index;
    private final List<Offer> offers = new ArrayList<>();
    private final List<Offer> ahead = new ArrayList<>();
    private boolean isUp = true;
    private boolean isBlocked;
    private long unsentBytes;
    private boolean hasTrains;
    private boolean isKeeping;
    private final List<OutgoingFrame> kept = new ArrayList<>();

    /** Makes link number {@code index}. */
    public RecordingLink(final int index) {
        this.index = index;
    }

    /** What was offered and taken, in order. */
    public List<Offer> offers() {
        return offers;
    }

    /** What was sent ahead of what waits, in order. */
    public List<Offer> ahead() {
        return ahead;
    }

    /** Keeps the memory of what is offered from now on, until {@link #releaseKept}. */
    public void keep() {
        isKeeping = true;
    }

    /** Gives the memory of what was kept back, and forgets all offers. */
    public void releaseKept() {
        kept.forEach(OutgoingFrame::release);
        kept.clear();
        offers.clear();
    }

    /** Makes the link take nothing, or everything again. */
    public void block(final boolean blocked) {
        isBlocked = blocked;
    }

    /** Sets how much waits in the NIC, whatever is offered. */
    public void unsentBytes(final long bytes) {
        unsentBytes = bytes;
    }

    /** Sets that its senders send trains. */
    public void sendTrains() {
        hasTrains = true;
    }

    /** Takes the carrier away, or gives it back. */
    public void up(final boolean up) {
        isUp = up;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public String name() {
        return "recording" + index;
    }

    @Override
    public int mtuBytes() {
        return 9_000;
    }

    @Override
    public boolean isUp() {
        return isUp;
    }

    @Override
    public int descriptorCount() {
        return 0;
    }

    @Override
    public int descriptor(final int source) {
        return -1;
    }

    @Override
    public int receive(final int source, final FrameSink sink, final int limitFrames) {
        return 0;
    }

    @Override
    public long localAddress() {
        return 1000L + index;
    }

    @Override
    public void learn(final int neighbour, final long address) {}

    @Override
    public long learned(final int neighbour) {
        return 0;
    }

    @Override
    public long kernelDrops() {
        return 0;
    }

    @Override
    public boolean refresh() {
        return false;
    }

    @Override
    public void close() {}

    @Override
    public LinkSender newSender(final int queueFrames) {
        return new Sender();
    }

    private final class Sender implements LinkSender {
        @Override
        public boolean offer(final int neighbour, final OutgoingFrame frame) {
            if (isBlocked) {
                return false;
            }
            offers.add(
                    new Offer(
                            neighbour, frame.headerAddress(), frame.lengthBytes(), frame.token()));
            if (isKeeping) {
                kept.add(new OutgoingFrame().set(frame));
            } else {
                frame.release();
            }
            return true;
        }

        @Override
        public boolean sendAhead(final int neighbour, final OutgoingFrame frame) {
            ahead.add(
                    new Offer(
                            neighbour, frame.headerAddress(), frame.lengthBytes(), frame.token()));
            frame.release();
            return true;
        }

        @Override
        public int flush() {
            return 0;
        }

        @Override
        public int queuedFrames() {
            return 0;
        }

        @Override
        public int unsentFrames() {
            return (int) Math.min(offers.size(), unsentBytes / 1_000);
        }

        @Override
        public long unsentBytes() {
            return unsentBytes;
        }

        @Override
        public boolean isBlocked() {
            return isBlocked;
        }

        @Override
        public boolean sendsTrains() {
            return hasTrains;
        }

        @Override
        public int descriptor() {
            return -1;
        }

        @Override
        public long sendErrors() {
            return 0;
        }

        @Override
        public long sentFrames() {
            return offers.size();
        }

        @Override
        public long sentBytes() {
            return 0;
        }

        @Override
        public void close() {}
    }
}
