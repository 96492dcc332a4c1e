package io.hxb.pm.stream;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits for many channels of the same {@link HxbStreams}; the work of a selection grows with the
 * number of channels to which something has happened, not with all. One thread selects; any thread
 * may register and wake.
 */
public final class HxbSelector implements AutoCloseable {
    private final StreamEngine engine;
    private final ReentrantLock lock;
    private final Waiting waiting = new Waiting();
    private final Set<Key> keys = new HashSet<>();
    private final Set<Key> candidates = new LinkedHashSet<>();
    private boolean isWoken;
    private boolean isClosed;

    private HxbSelector(final StreamEngine engine) {
        this.engine = engine;
        lock = engine.lock();
    }

    /**
     * {@return a selector for channels of these streams}
     *
     * @param streams whose channels it waits for.
     */
    public static HxbSelector open(final HxbStreams streams) {
        return new HxbSelector(streams.engine());
    }

    /**
     * Registers a channel that is connected or being connected.
     *
     * @param channel connected or being connected, and registered nowhere else.
     * @param ops of {@link SelectionKey}: OP_CONNECT, OP_READ, OP_WRITE. A channel that has ended
     *     or was reset is ready for all, and its calls report why.
     * @param attachment any object, for {@link Key#attachment()}.
     * @return its key, which identifies it when it is ready.
     * @throws IOException if the channel is closed.
     */
    public Key register(final HxbSocketChannel channel, final int ops, final Object attachment)
            throws IOException {
        return register(channel, channel.state(), ops, attachment);
    }

    /**
     * Registers a channel that listens.
     *
     * @param channel bound, and registered nowhere else.
     * @param attachment any object, for {@link Key#attachment()}.
     * @return its key, which identifies it when it is ready.
     * @throws IOException if the channel is closed or not bound.
     */
    public Key register(final HxbServerSocketChannel channel, final Object attachment)
            throws IOException {
        return register(channel, channel.state(), SelectionKey.OP_ACCEPT, attachment);
    }

    private Key register(
            final java.nio.channels.Channel channel,
            final StreamEventLoop.Source source,
            final int ops,
            final Object attachment)
            throws ClosedChannelException {
        lock.lock();
        try {
            if (isClosed || source == null || !channel.isOpen()) {
                throw new ClosedChannelException();
            }
            final Key key = new Key(this, channel, source, ops, attachment);
            source.listener(key::onReady);
            keys.add(key);
            key.onReady();
            return key;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until a channel is ready, somebody calls {@link #wakeup}, or the time is up.
     *
     * @param timeoutNs longest wait in ns; 0 does not wait.
     * @return keys that are ready, in the order of what happened; empty if none is.
     * @throws ClosedChannelException if the selector is closed.
     * @throws NodeGoneException if the node has ended and no channel is left that is ready.
     */
    public List<Key> select(final long timeoutNs) throws IOException {
        lock.lock();
        try {
            engine.pump().help();
            final long startNs = System.nanoTime();
            long leftNs = timeoutNs;
            List<Key> ready = ready();
            while (ready.isEmpty() && leftNs > 0 && !isWoken && !engine.isBroken()) {
                engine.pump().await(waiting, leftNs);
                leftNs = timeoutNs - (System.nanoTime() - startNs);
                ready = ready();
            }
            if (ready.isEmpty()) {
                engine.checkNotBroken();
            }
            return ready;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        } finally {
            isWoken = false;
            engine.pump().leave();
            lock.unlock();
        }
    }

    private List<Key> ready() throws ClosedChannelException {
        if (isClosed) {
            throw new ClosedChannelException();
        }
        final List<Key> ready = new ArrayList<>();
        for (final Iterator<Key> i = candidates.iterator(); i.hasNext(); ) {
            final Key key = i.next();
            if (!key.channel.isOpen()) {
                i.remove();
                keys.remove(key);
            } else if (key.readyOps() == 0) {
                i.remove();
            } else {
                ready.add(key);
            }
        }
        return ready;
    }

    /** Makes the waiting selection, or otherwise the next one, return immediately. */
    public void wakeup() {
        lock.lock();
        try {
            isWoken = true;
            engine.changed(waiting);
        } finally {
            lock.unlock();
        }
    }

    /** {@return the number of registered channels} */
    public int keyCount() {
        return keys.size();
    }

    /** Ends all registrations; the channels stay open. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            for (final Key key : List.copyOf(keys)) {
                key.cancel();
            }
            engine.changed(waiting);
        } finally {
            lock.unlock();
        }
    }

    private static final class Waiting extends StreamEventLoop.Source {
        @Override
        int readyOps() {
            return 0;
        }
    }

    /** A registered channel. Any thread may call it. */
    public static final class Key {
        private final HxbSelector selector;
        private final java.nio.channels.Channel channel;
        private final StreamEventLoop.Source source;
        private final Object attachment;
        private int interestOps;

        private Key(
                final HxbSelector selector,
                final java.nio.channels.Channel channel,
                final StreamEventLoop.Source source,
                final int interestOps,
                final Object attachment) {
            this.selector = selector;
            this.channel = channel;
            this.source = source;
            this.interestOps = interestOps;
            this.attachment = attachment;
        }

        private void onReady() {
            if (selector.candidates.add(this)) {
                selector.engine.changed(selector.waiting);
            }
        }

        /** {@return the channel: a {@link HxbSocketChannel} or {@link HxbServerSocketChannel}} */
        public java.nio.channels.Channel channel() {
            return channel;
        }

        /** {@return what was attached at registration, or null} */
        public Object attachment() {
            return attachment;
        }

        /**
         * Sets the operations to wait for.
         *
         * @param ops of {@link SelectionKey}, 0 for nothing.
         */
        public void interestOps(final int ops) {
            selector.lock.lock();
            try {
                interestOps = ops;
                onReady();
            } finally {
                selector.lock.unlock();
            }
        }

        /** {@return the operations waited for that would not block now} */
        public int readyOps() {
            selector.lock.lock();
            try {
                return source.readyOps() & interestOps;
            } finally {
                selector.lock.unlock();
            }
        }

        /** Ends the registration. */
        public void cancel() {
            selector.lock.lock();
            try {
                if (selector.keys.remove(this)) {
                    source.listener(null);
                    selector.candidates.remove(this);
                }
            } finally {
                selector.lock.unlock();
            }
        }
    }
}
