package io.hxb.pm.stream;

import io.hxb.pm.stream.wire.PortProtocol;

import java.io.IOException;
import java.net.BindException;
import java.net.SocketTimeoutException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;

/**
 * Listens on a port of this node, in the manner of java.nio.channels.ServerSocketChannel. Any
 * thread may call it; a blocking call that is interrupted closes the channel and ends with a
 * ClosedByInterruptException. When the node of this machine ends, the channel is closed as well:
 * {@code while (server.isOpen())} is how a loop of accepts ends.
 *
 * <p>The node keeps the ports: a port is taken by one context of the node until the channel, its
 * streams or the process end.
 */
public final class HxbServerSocketChannel extends BlockingChannel {
    /** Default number of streams that may wait to be accepted. */
    public static final int DEFAULT_BACKLOG = 128;

    private static final long BIND_LIMIT_NS = 5_000_000_000L;

    private volatile PortListener listener;

    private HxbServerSocketChannel(final HxbStreams streams) {
        super(streams);
    }

    /**
     * {@return a channel that does not listen yet}
     *
     * @param streams that accept connections.
     */
    public static HxbServerSocketChannel open(final HxbStreams streams) {
        return new HxbServerSocketChannel(streams);
    }

    /**
     * Sets whether {@link #accept} blocks, as it does at first.
     *
     * @param blocking false to return immediately.
     * @return this channel.
     */
    public HxbServerSocketChannel configureBlocking(final boolean blocking) {
        blocking(blocking);
        return this;
    }

    /**
     * Takes a port and listens. Asks the node, which takes a round trip to it, at most 5 seconds.
     *
     * @param port 1 to 65,535, or 0 for any free one, see {@link #localAddress()}.
     * @param backlog streams that may wait to be accepted, 1 or more; who else connects tries again
     *     until the time of its connect is over.
     * @return this channel.
     * @throws BindException if the port is in use on this node.
     * @throws NodeGoneException if the node has ended.
     */
    public HxbServerSocketChannel bind(final int port, final int backlog) throws IOException {
        if (port < 0 || port > PortProtocol.MAX_PORT) {
            throw new IllegalArgumentException(
                    "port must be 0.." + PortProtocol.MAX_PORT + ": " + port);
        }
        if (backlog < 1) {
            throw new IllegalArgumentException("backlog must be 1 or more: " + backlog);
        }
        lock.lock();
        try {
            checkOpen();
            engine.checkNotBroken();
            if (listener != null) {
                throw new AlreadyBoundException();
            }
            if (engine.listener(port) != null) {
                throw inUse(port);
            }
            final Binding binding = new Binding(engine);
            engine.ports().request(engine.device().nodeId(), PortProtocol.LISTEN, port, binding);
            awaitAnswer(binding, port);
            listener = new PortListener(binding.value, backlog);
            engine.add(listener);
            return this;
        } finally {
            leave();
        }
    }

    private void awaitAnswer(final Binding binding, final int port) throws IOException {
        final long startNs = System.nanoTime();
        while (!binding.isDone) {
            final long leftNs = BIND_LIMIT_NS - (System.nanoTime() - startNs);
            if (leftNs <= 0) {
                throw new SocketTimeoutException("the node does not answer about port " + port);
            }
            await(binding, leftNs);
        }
        if (binding.failure == ResetReason.NODE_GONE) {
            throw new NodeGoneException("port " + port);
        }
        if (binding.failure != null) {
            throw new BindException(binding.failure.text());
        }
        switch (binding.status) {
            case PortProtocol.OK -> {}
            case PortProtocol.IN_USE -> throw inUse(port);
            default ->
                    throw new BindException(
                            "the node gives no port "
                                    + (port == 0 ? "(all dynamic ports are taken)" : port)
                                    + ": status "
                                    + binding.status);
        }
    }

    private BindException inUse(final int port) {
        return new BindException(
                "address already in use: port "
                        + port
                        + " of node "
                        + engine.device().nodeId()
                        + "; choose another one or end the process that listens there");
    }

    /**
     * Accepts a stream.
     *
     * @return its channel, which blocks; null if this channel does not block and none waits.
     * @throws NodeGoneException if the node is gone: the channel has been closed.
     * @throws java.nio.channels.ClosedChannelException if it or its streams were closed.
     */
    public HxbSocketChannel accept() throws IOException {
        return accept(0);
    }

    /**
     * Accepts a stream, within a time.
     *
     * @param timeoutNs longest wait in ns, 0 for as long as it takes; only when blocking.
     * @return as {@link #accept()}.
     * @throws SocketTimeoutException if no stream came; the channel continues to listen.
     */
    public HxbSocketChannel accept(final long timeoutNs) throws IOException {
        final long limitNs = timeoutNs == 0 ? FOR_EVER_NS : timeoutNs;
        final long startNs = System.nanoTime();
        lock.lock();
        try {
            checkBound();
            engine.pump().help();
            StreamState stream = listener.poll();
            while (stream == null && isBlocking()) {
                checkNotFailed();
                final long leftNs = limitNs - (System.nanoTime() - startNs);
                if (leftNs <= 0) {
                    throw new SocketTimeoutException(
                            "nobody has connected to "
                                    + localAddress()
                                    + " within "
                                    + timeoutNs / 1_000_000
                                    + " ms");
                }
                await(listener, leftNs);
                stream = listener.poll();
            }
            if (stream == null) {
                checkNotFailed();
            }
            return stream == null ? null : HxbSocketChannel.of(streams(), stream);
        } finally {
            leave();
        }
    }

    private void checkNotFailed() throws IOException {
        final ResetReason failure = listener.failure();
        if (failure != null) {
            close();
            throw failure == ResetReason.NODE_GONE
                    ? new NodeGoneException(localAddress())
                    : new AsynchronousCloseException();
        }
    }

    /** {@return where it listens; null before it is bound} */
    public HxbSocketAddress localAddress() {
        return listener == null
                ? null
                : new HxbSocketAddress(engine.device().nodeId(), listener.port());
    }

    /**
     * Sets the listener for new streams; as {@link HxbSocketChannel#listener}. Bind it first.
     *
     * @param newListener called by whichever thread serves the streams; null for none.
     * @throws IOException if the channel is closed or not bound.
     */
    public void listener(final StreamListener newListener) throws IOException {
        lock.lock();
        try {
            checkBound();
            listener.listener(newListener);
        } finally {
            lock.unlock();
        }
    }

    /** Releases the port and resets the streams that nobody has accepted. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (markClosed() && listener != null) {
                closeListener();
            }
        } finally {
            lock.unlock();
        }
    }

    private void closeListener() {
        engine.remove(listener);
        for (StreamState stream = listener.poll(); stream != null; stream = listener.poll()) {
            stream.abort();
        }
        if (!engine.isBroken()) {
            engine.ports()
                    .request(
                            engine.device().nodeId(),
                            PortProtocol.CLOSE,
                            listener.port(),
                            new Binding(engine));
        }
        engine.changed(listener);
    }

    /** The state, for a selector. */
    PortListener state() {
        return listener;
    }

    private void checkBound() throws IOException {
        checkOpen();
        if (listener == null) {
            throw new NotYetBoundException();
        }
    }

    /** Waits for the node's answer. */
    private static final class Binding extends StreamEventLoop.Source
            implements PortClient.ReplyListener {
        private final StreamEngine engine;
        private boolean isDone;
        private int status;
        private int value;
        private ResetReason failure;

        Binding(final StreamEngine engine) {
            this.engine = engine;
        }

        @Override
        public void onReply(final int newStatus, final int newValue) {
            isDone = true;
            status = newStatus;
            value = newValue;
            engine.changed(this);
        }

        @Override
        public void onFailure(final ResetReason reason) {
            isDone = true;
            failure = reason;
            engine.changed(this);
        }

        @Override
        int readyOps() {
            return 0;
        }
    }

    /** A port that is listened on, and the streams that wait to be taken. Guarded by the lock. */
    static final class PortListener extends StreamEventLoop.Source {
        private final int port;
        private final int backlog;
        private final ArrayDeque<StreamState> waiting = new ArrayDeque<>();
        private ResetReason failure;

        PortListener(final int port, final int backlog) {
            this.port = port;
            this.backlog = backlog;
        }

        int port() {
            return port;
        }

        boolean isFull() {
            return waiting.size() >= backlog;
        }

        void add(final StreamState stream) {
            waiting.add(stream);
        }

        /** The next stream, or null. */
        StreamState poll() {
            return waiting.poll();
        }

        /** The node is gone. */
        void fail(final ResetReason reason) {
            failure = reason;
        }

        ResetReason failure() {
            return failure;
        }

        @Override
        int readyOps() {
            return failure != null || !waiting.isEmpty() ? SelectionKey.OP_ACCEPT : 0;
        }
    }
}
