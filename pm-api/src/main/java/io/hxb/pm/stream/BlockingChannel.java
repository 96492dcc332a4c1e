package io.hxb.pm.stream;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.locks.ReentrantLock;

/** What channels that connect and channels that listen have in common. Any thread may call it. */
abstract class BlockingChannel implements Channel {
    static final long FOR_EVER_NS = Long.MAX_VALUE;

    final StreamEngine engine;
    final ReentrantLock lock;
    private final HxbStreams streams;
    private volatile boolean isBlocking = true;
    private volatile boolean isClosed;

    BlockingChannel(final HxbStreams streams) {
        this.streams = streams;
        engine = streams.engine();
        lock = engine.lock();
    }

    /** {@return the streams that it was opened of} */
    public final HxbStreams streams() {
        return streams;
    }

    /** {@return true if calls wait, as they do at first} */
    public final boolean isBlocking() {
        return isBlocking;
    }

    final void blocking(final boolean newBlocking) {
        isBlocking = newBlocking;
    }

    @Override
    public final boolean isOpen() {
        return !isClosed;
    }

    /** Notes that it is closed; false if it was before. The lock is held. */
    final boolean markClosed() {
        final boolean wasOpen = !isClosed;
        isClosed = true;
        return wasOpen;
    }

    /** Waits a while; the lock is held, and let go meanwhile. */
    final void await(final StreamEventLoop.Source source, final long timeoutNs) throws IOException {
        try {
            engine.pump().await(source, timeoutNs);
        } catch (final InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new ClosedByInterruptException();
        }
        if (isClosed) {
            throw new AsynchronousCloseException();
        }
    }

    /** Lets the lock go; somebody else serves the streams while this thread does not. */
    final void leave() {
        engine.pump().leave();
        lock.unlock();
    }

    final void checkOpen() throws ClosedChannelException {
        if (isClosed) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public abstract void close();
}
