package io.hxb.node;

import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.node.loop.Interest;
import io.hxb.node.loop.Loop;
import io.hxb.node.loop.ReadinessListener;
import io.hxb.node.loop.Registration;
import io.hxb.trunk.health.HealthLoop;

import java.util.ArrayList;
import java.util.List;

/**
 * Receives on the links dealt to one loop: knows which have frames left, and passes these on in
 * batches. Owned by that loop.
 */
final class LoopReceiver {
    private final Loop loop;
    private final Link[] links;
    private final FrameSink sink;
    private final int batchFrames;
    private final List<Source> sources = new ArrayList<>();
    private final List<Source> unread = new ArrayList<>();
    // Sources that a spinning loop checks in each turn: frames there are visible without a system
    // call.
    private final List<Source> watched = new ArrayList<>();
    private boolean hasReceived;

    /**
     * Makes the receiver.
     *
     * @param links dealt to the loop.
     * @param sink takes the frames.
     * @param batchFrames frames taken from one source at a time.
     */
    LoopReceiver(final Loop loop, final Link[] links, final FrameSink sink, final int batchFrames) {
        this.loop = loop;
        this.links = links.clone();
        this.sink = sink;
        this.batchFrames = batchFrames;
    }

    /** Waits for frames from now on. */
    void start() {
        for (final Link link : links) {
            register(link);
        }
    }

    private void register(final Link link) {
        for (int number = 0; number < link.descriptorCount(); number++) {
            if (link.descriptor(number) >= 0) {
                final Source source = new Source(link, number);
                sources.add(source);
                unread.add(source);
                if (loop.isSpinning() && link.isInMemory(number)) {
                    watched.add(source);
                }
            }
        }
    }

    /** The descriptors of a link have changed: forgets the old ones and waits for the new. */
    void relink(final Link changed) {
        for (final Link link : links) {
            if (link.index() == changed.index()) {
                sources.stream().filter(source -> source.isOf(link)).forEach(Source::cancel);
                sources.removeIf(source -> source.isOf(link));
                unread.removeIf(source -> source.isOf(link));
                watched.removeIf(source -> source.isOf(link));
                register(link);
            }
        }
    }

    /**
     * Receives one batch of one source of a link.
     *
     * @return frames received.
     */
    int receive(final Link link, final int source) {
        final int frames = link.receive(source, sink, batchFrames);
        assert frames <= batchFrames : frames + " frames in a batch of " + batchFrames;
        if (frames <= 0) {
            return 0;
        }
        hasReceived = true;
        return frames;
    }

    /** Receives what is left and what is available without a system call. */
    int doWork() {
        int frames = unread.isEmpty() ? 0 : receiveUnread();
        for (int i = 0; i < watched.size(); i++) {
            frames += watched.get(i).receive();
        }
        return frames;
    }

    // Sources whose last batch was full may have more, and epoll reports only once.
    private int receiveUnread() {
        int frames = 0;
        for (int i = unread.size() - 1; i >= 0; i--) {
            final Source source = unread.get(i);
            final int received = source.receive();
            frames += received;
            if (received < batchFrames) {
                source.isUnread = false;
                unread.remove(i);
            }
        }
        return frames;
    }

    /** True if frames are left. */
    boolean hasUnread() {
        return !unread.isEmpty();
    }

    /** Reports the links on which frames are left. */
    void reportUnread(final HealthLoop health) {
        for (int i = 0; i < unread.size(); i++) {
            health.onUnread(unread.get(i).link.index());
        }
    }

    /** True once after frames were received, in the turn or when epoll reported them. */
    boolean takeReceived() {
        final boolean isNews = hasReceived;
        hasReceived = false;
        return isNews;
    }

    /** Stops waiting for links: the numbers of closed descriptors will be reused. */
    void forgetDescriptors() {
        sources.forEach(Source::cancel);
        sources.clear();
        unread.clear();
        watched.clear();
    }

    /** One descriptor of a link. */
    private final class Source implements ReadinessListener {
        private final Link link;
        private final int number;
        private final Registration registration;
        private boolean isUnread = true;

        Source(final Link link, final int number) {
            this.link = link;
            this.number = number;
            // A ring stays readable while its newest frame is held, so only changes count.
            registration = loop.register(link.descriptor(number), Interest.NEWLY_READABLE, this);
        }

        boolean isOf(final Link other) {
            return link.index() == other.index();
        }

        int receive() {
            return LoopReceiver.this.receive(link, number);
        }

        void cancel() {
            registration.cancel();
        }

        @Override
        public void onReady(final boolean isReadable, final boolean isWritable) {
            if (isReadable && !isUnread && receive() == batchFrames) {
                isUnread = true;
                unread.add(this);
            }
        }
    }
}
