package io.hxb.pm.stream;

import io.hxb.pm.stream.wire.Bytes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ScatteringByteChannel;
import java.util.Objects;

/**
 * A stream of bytes to a port of a node, in the manner of java.nio.channels.SocketChannel: what is
 * written arrives once and in order, or both sides get a {@link StreamResetException}, or a {@link
 * NodeGoneException} where the machine's own node has ended. Any thread may call it; one may read
 * while another writes. A blocking call that is interrupted closes the channel and ends with a
 * ClosedByInterruptException.
 *
 * <p>A reader sees the end (-1) when it has read all that the peer wrote and the peer has ended in
 * order, by {@link #shutdownOutput} or {@link #close}; every other end is an exception: the end of
 * the peer's process or node, and a close with bytes unread or in the middle of a write. A writer
 * that has to know that its peer has read everything ends like this:
 *
 * <pre>{@code
 * channel.shutdownOutput();
 * channel.awaitDelivery(0);
 * channel.close();
 * }</pre>
 *
 * <p>The peer grants bytes as it reads: a writer whose peer does not read is stopped when the
 * peer's window is full, but no other stream.
 */
public final class HxbSocketChannel extends BlockingChannel
        implements ScatteringByteChannel, GatheringByteChannel {
    private volatile StreamState stream;
    private boolean isConnectPending;

    private HxbSocketChannel(final HxbStreams streams, final StreamState stream) {
        super(streams);
        this.stream = stream;
    }

    /**
     * {@return a channel that is not connected yet}
     *
     * @param streams that carry it.
     */
    public static HxbSocketChannel open(final HxbStreams streams) {
        return new HxbSocketChannel(streams, null);
    }

    /** The channel of a stream that a peer has opened. */
    static HxbSocketChannel of(final HxbStreams streams, final StreamState stream) {
        return new HxbSocketChannel(streams, stream);
    }

    /**
     * Sets whether calls block, as they do at first.
     *
     * @param blocking false for calls that return immediately.
     * @return this channel.
     */
    public HxbSocketChannel configureBlocking(final boolean blocking) {
        blocking(blocking);
        return this;
    }

    /**
     * Connects. Without blocking it only begins to, and {@link #finishConnect} completes it.
     *
     * @param remote node and port of the peer.
     * @return true if connected; false if still connecting.
     * @throws ConnectException if the peer refuses: nobody listens on the port, the listener's
     *     backlog was full for 127 seconds, or the peer vanished; its cause is a {@link
     *     StreamResetException} with the reason.
     * @throws NoRouteToHostException if its node cannot be reached.
     * @throws NodeGoneException if this machine's node has ended.
     */
    public boolean connect(final HxbSocketAddress remote) throws IOException {
        return connect(remote, 0);
    }

    /**
     * Connects, within a time. While the listener's backlog is full it is tried again.
     *
     * @param remote node and port of the peer.
     * @param timeoutNs longest wait in ns, 0 for as long as it takes; only when blocking.
     * @return true if connected; false if still connecting.
     * @throws SocketTimeoutException if it took too long; the channel is closed.
     */
    public boolean connect(final HxbSocketAddress remote, final long timeoutNs) throws IOException {
        Objects.requireNonNull(remote);
        lock.lock();
        try {
            checkOpen();
            if (stream != null) {
                throw isConnectPending
                        ? new ConnectionPendingException()
                        : new AlreadyConnectedException();
            }
            stream = engine.newStream(remote);
            isConnectPending = true;
            stream.connect();
            if (isBlocking()) {
                awaitConnected(timeoutNs == 0 ? FOR_EVER_NS : timeoutNs);
                return finish();
            }
            engine.pump().help();
            return false;
        } finally {
            leave();
        }
    }

    private void awaitConnected(final long timeoutNs) throws IOException {
        final long startNs = System.nanoTime();
        long leftNs = timeoutNs;
        while (stream.isConnecting() && isOpen()) {
            if (leftNs <= 0) {
                final boolean wasRefused = stream.isRefused();
                closeStream();
                throw timedOut(timeoutNs, wasRefused);
            }
            await(stream, leftNs);
            leftNs = timeoutNs - (System.nanoTime() - startNs);
        }
    }

    private SocketTimeoutException timedOut(final long timeoutNs, final boolean wasRefused) {
        final String time = timeoutNs / 1_000_000 + " ms";
        return new SocketTimeoutException(
                wasRefused
                        ? "the backlog of the listener was full for "
                                + time
                                + ": "
                                + stream.remote()
                        : "no answer of " + stream.remote() + " in " + time);
    }

    /**
     * Completes a connect without blocking.
     *
     * @return true if connected; false if still connecting.
     * @throws IOException as {@link #connect(HxbSocketAddress)}; the channel is closed.
     */
    public boolean finishConnect() throws IOException {
        lock.lock();
        try {
            checkOpen();
            if (stream == null) {
                throw new NotYetConnectedException();
            }
            engine.pump().help();
            if (stream.isConnecting() && isBlocking()) {
                awaitConnected(FOR_EVER_NS);
            }
            return !stream.isConnecting() && finish();
        } finally {
            leave();
        }
    }

    private boolean finish() throws IOException {
        if (!isOpen()) {
            throw new AsynchronousCloseException();
        }
        final boolean wasPending = isConnectPending;
        isConnectPending = false;
        final ResetReason reason = stream.resetReason();
        if (reason == null || !wasPending) {
            return true;
        }
        closeStream();
        throw reason.connectFailure(stream.remote());
    }

    /**
     * Reads. If blocking, it waits for at least one byte.
     *
     * @return bytes read; 0 if not blocking and there are none; -1 when the peer has ended.
     * @throws StreamResetException if the stream was reset, after what had arrived before.
     */
    @Override
    public int read(final ByteBuffer target) throws IOException {
        lock.lock();
        try {
            int count = readNow(target);
            if (count == 0 && !isBlocking()) {
                engine.pump().help();
                count = readNow(target);
            }
            while (count == 0 && isBlocking() && target.hasRemaining()) {
                await(stream, FOR_EVER_NS);
                count = readNow(target);
            }
            return count;
        } finally {
            leave();
        }
    }

    private int readNow(final ByteBuffer target) throws IOException {
        checkConnected();
        return target.hasRemaining() ? stream.read(target) : 0;
    }

    @Override
    public long read(final ByteBuffer[] targets) throws IOException {
        return read(targets, 0, targets.length);
    }

    @Override
    public long read(final ByteBuffer[] targets, final int offset, final int length)
            throws IOException {
        Objects.checkFromIndexSize(offset, length, targets.length);
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            if (targets[i].hasRemaining()) {
                // Waits for the first byte only.
                final int count = total == 0 || available() > 0 ? read(targets[i]) : 0;
                if (count <= 0) {
                    return total == 0 ? count : total;
                }
                total += count;
            }
        }
        return total;
    }

    /**
     * Writes. If blocking, it waits until everything is handed to the node.
     *
     * @return bytes written; without blocking as many as there is room for, possibly 0.
     * @throws StreamResetException if the stream was reset; what was written before may not have
     *     arrived.
     */
    @Override
    public int write(final ByteBuffer source) throws IOException {
        return (int) write(new ByteBuffer[] {source}, 0, 1);
    }

    @Override
    public long write(final ByteBuffer[] sources) throws IOException {
        return write(sources, 0, sources.length);
    }

    /** Writes several buffers, small ones together; as {@link #write(ByteBuffer)}. */
    @Override
    public long write(final ByteBuffer[] sources, final int offset, final int length)
            throws IOException {
        Objects.checkFromIndexSize(offset, length, sources.length);
        final long total = Bytes.remaining(sources, offset, length);
        lock.lock();
        try {
            long written = writeNow(sources, offset, length);
            if (written < total && !isBlocking()) {
                engine.pump().help();
                written += writeNow(sources, offset, length);
            }
            return written < total && isBlocking()
                    ? written + writeRest(sources, offset, length, total - written)
                    : written;
        } finally {
            leave();
        }
    }

    private long writeRest(
            final ByteBuffer[] sources, final int offset, final int length, final long restBytes)
            throws IOException {
        long written = 0;
        stream.beginWrite();
        try {
            while (written < restBytes && isBlocking()) {
                await(stream, FOR_EVER_NS);
                checkConnected();
                written += stream.write(sources, offset, length);
            }
        } finally {
            stream.endWrite();
        }
        return written;
    }

    private long writeNow(final ByteBuffer[] sources, final int offset, final int length)
            throws IOException {
        checkConnected();
        if (stream.isEnding()) {
            throw new ClosedChannelException();
        }
        return stream.write(sources, offset, length);
    }

    /** {@return the number of bytes that can be read without waiting} */
    public int available() {
        lock.lock();
        try {
            return stream == null ? 0 : stream.available();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Notifies the peer that no more bytes follow; reading continues. A write in which another
     * thread waits is finished first, while this returns immediately.
     *
     * @return this channel.
     * @throws StreamResetException if the stream was reset; what was written before may not have
     *     arrived.
     */
    public HxbSocketChannel shutdownOutput() throws IOException {
        lock.lock();
        try {
            checkConnected();
            stream.shutdownOutput();
            return this;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Drops what arrives from now on; reads return -1.
     *
     * @return this channel.
     * @throws IOException if the channel is closed or not connected.
     */
    public HxbSocketChannel shutdownInput() throws IOException {
        lock.lock();
        try {
            checkConnected();
            stream.shutdownInput();
            return this;
        } finally {
            lock.unlock();
        }
    }

    /** {@return true if no more bytes can be written} */
    public boolean isOutputShutdown() {
        return stream != null && stream.isEnding();
    }

    /**
     * {@return true if the peer has read everything and the end that {@link #shutdownOutput}
     * announced to it, or has announced by shutdownInput that it wants no further bytes} Stays true
     * whatever happens to the peer.
     */
    public boolean isDelivered() {
        lock.lock();
        try {
            return stream != null && stream.isDelivered();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until {@link #isDelivered()}, whether the channel blocks or not. Some thread has to
     * call {@link #shutdownOutput} before this or at the same time.
     *
     * @param timeoutNs longest wait in ns, 0 for as long as it takes.
     * @return false if that was not long enough.
     * @throws StreamResetException if the stream was reset: the peer may not have read all.
     */
    public boolean awaitDelivery(final long timeoutNs) throws IOException {
        final long limitNs = timeoutNs == 0 ? FOR_EVER_NS : timeoutNs;
        final long startNs = System.nanoTime();
        lock.lock();
        try {
            checkConnected();
            long leftNs = limitNs;
            while (!stream.isDelivered() && leftNs > 0) {
                stream.checkNotReset();
                await(stream, leftNs);
                leftNs = limitNs - (System.nanoTime() - startNs);
            }
            return stream.isDelivered();
        } finally {
            leave();
        }
    }

    /** {@return true if the peer has ended, or reading was shut down} */
    public boolean isInputShutdown() {
        return stream != null && stream.isInputEnded();
    }

    /** {@return true if connected, and neither reset nor closed} */
    public boolean isConnected() {
        final StreamState current = stream;
        return current != null && current.isOpen() && isOpen();
    }

    /** {@return the address of this end; null before it is connected} */
    public HxbSocketAddress localAddress() {
        return stream == null ? null : stream.local();
    }

    /** {@return the address of the peer; null before it is connected} */
    public HxbSocketAddress remoteAddress() {
        return stream == null ? null : stream.remote();
    }

    /**
     * Sets the listener that is called when the channel may have become ready, for event loops;
     * null for none. Connect without blocking first; a listener set after that learns of the
     * connection.
     *
     * @param listener called by whichever thread serves the streams; null for none.
     * @throws IllegalStateException if a selector or another listener has it.
     * @throws IOException if the channel is closed.
     */
    public void listener(final StreamListener listener) throws IOException {
        lock.lock();
        try {
            if (stream == null) {
                throw new NotYetConnectedException();
            }
            stream.listener(listener);
        } finally {
            lock.unlock();
        }
    }

    /** {@return the operations of SelectionKey that would not block now} */
    public int readyOps() {
        lock.lock();
        try {
            return stream == null ? 0 : stream.readyOps();
        } finally {
            lock.unlock();
        }
    }

    /** {@return a view for blocking code; closing it closes the channel} */
    public InputStream input() {
        return Channels.newInputStream(this);
    }

    /**
     * {@return a view for blocking code; closing it closes the channel} Each write is sent at once.
     */
    public OutputStream output() {
        return Channels.newOutputStream(this);
    }

    /** Ends the stream immediately on both sides: the peer gets a {@link StreamResetException}. */
    public void reset() {
        lock.lock();
        try {
            if (markClosed() && stream != null) {
                stream.abort();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes the channel: what was written still arrives, and then the end. If bytes of the peer
     * are unread, or arrive later, or another thread waits in a write, the peer gets a {@link
     * StreamResetException} instead, after what was sent. Does not wait, and does not report
     * whether everything arrives: see {@link #awaitDelivery} and {@link StreamOptions#lingerNs()}.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            closeStream();
        } finally {
            lock.unlock();
        }
    }

    private void closeStream() {
        if (markClosed() && stream != null) {
            stream.close();
        }
    }

    /** The state, for a selector; null before it is connected. */
    StreamState state() {
        return stream;
    }

    private void checkConnected() throws IOException {
        checkOpen();
        if (stream == null || stream.isConnecting()) {
            throw new NotYetConnectedException();
        }
    }
}
