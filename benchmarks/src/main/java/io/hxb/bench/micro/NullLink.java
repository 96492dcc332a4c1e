package io.hxb.bench.micro;

import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;

/** A link that is always up, receives nothing, and takes every frame at once. One thread. */
final class NullLink implements Link {
    private static final long ADDRESS = 0x020000000001L;

    private final int index;
    private long learned;

    NullLink(final int index) {
        this.index = index;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public String name() {
        return "null" + index;
    }

    @Override
    public int mtuBytes() {
        return 9000;
    }

    @Override
    public boolean isUp() {
        return true;
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
    public LinkSender newSender(final int queueFrames) {
        return new Sender();
    }

    @Override
    public long localAddress() {
        return ADDRESS;
    }

    @Override
    public void learn(final int neighbour, final long address) {
        learned = address;
    }

    @Override
    public long learned(final int neighbour) {
        return learned;
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
    public void close() {
        // Nothing is open.
    }

    private static final class Sender implements LinkSender {
        private long frames;
        private long bytes;

        @Override
        public boolean offer(final int neighbour, final OutgoingFrame frame) {
            frames++;
            bytes += frame.lengthBytes();
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
        public boolean isBlocked() {
            return false;
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
            return frames;
        }

        @Override
        public long sentBytes() {
            return bytes;
        }

        @Override
        public void close() {
            // Nothing is queued.
        }
    }
}
