package io.hxb.pm.netty;

import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.PromiseNotifier;
import io.netty.util.internal.StringUtil;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.SelectionKey;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.TimeUnit;

/**
 * A Netty channel over an HXB stream: made by {@link HxbTransport#client()} or accepted by an
 * {@link HxbServerChannel}. Owned by its event loop.
 *
 * <p>{@link #shutdownOutput()} flushes, and is done when everything written before has been sent,
 * followed by the end. {@link #close()} does not wait, as with other channels: writes that are not
 * done fail, and the peer gets a reset, not the end of a stream that seems complete.
 *
 * <p>What has arrived can be read before the end or the reset of the stream is seen. So a write
 * that fails because the peer has reset the stream closes the channel only when nothing is unread;
 * until then it and later ones fail, and the channel closes when everything has been read.
 */
@SuppressWarnings("exports") // Netty is optional, so that nobody else has to have it.
public final class HxbChannel extends HalfClosableChannel {
    private static final int MAX_BUFFERS = 256;
    private static final long MAX_GATHERED_BYTES = 1 << 20;
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final HxbTransport transport;
    private final HxbChannelConfig config = new HxbChannelConfig(this);
    private final StreamCheckTask streamCheckTask = new StreamCheckTask(this, this::look);
    private final LoopShutdownHook loopShutdownHook = new LoopShutdownHook(this);
    private volatile boolean isConnected;
    private ChannelPromise connectPromise;
    private Future<?> connectTimeout;
    private boolean isReadPending;
    private boolean isInputEnded;
    private boolean isListening;
    private boolean isFlushBlocked;
    private ChannelPromise endPromise;

    /** A write has failed and with it the output, which must not look as if it were complete. */
    private boolean isCut;

    /** What is written and not sent; Netty takes it away before it asks for the end. */
    private final ChannelOutboundBuffer unsent = unsafe().outboundBuffer();

    /** Bytes that were sent, and that Netty still counts while it completes promises. */
    private long sentBytes;

    /** Bytes that were written since the last flush. */
    private long unflushedBytes;

    HxbChannel(final HxbTransport transport) {
        super(null, HxbSocketChannel.open(transport.streams()));
        this.transport = transport;
    }

    HxbChannel(
            final Channel parent, final HxbTransport transport, final HxbSocketChannel accepted) {
        super(parent, accepted);
        this.transport = transport;
        isConnected = true;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new HxbUnsafe();
    }

    @Override
    protected boolean isCompatible(final EventLoop loop) {
        return true;
    }

    @Override
    public HxbChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public boolean isActive() {
        return isConnected && socket.isOpen();
    }

    @Override
    protected SocketAddress localAddress0() {
        return socket.localAddress();
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return socket.remoteAddress();
    }

    @Override
    protected void doRegister(final ChannelPromise promise) {
        try {
            transport.add(this, eventLoop());
            loopShutdownHook.watch();
            if (isConnected || connectPromise != null) {
                listen();
            }
        } catch (final IOException | RuntimeException e) {
            promise.setFailure(e);
            return;
        }
        promise.setSuccess();
        if (isListening) {
            onReady();
        }
    }

    private void listen() throws IOException {
        socket.listener(this::onReady);
        isListening = true;
    }

    @Override
    protected void doDeregister() throws IOException {
        loopShutdownHook.forget();
        if (isListening) {
            isListening = false;
            socket.listener(null);
        }
    }

    @Override
    protected void doBind(final SocketAddress local) {
        checkLocal(local);
    }

    /** The system chooses the address of this end; a bind to any port of the node is accepted. */
    private void checkLocal(final SocketAddress local) {
        final int own = transport.streams().device().nodeId();
        final boolean isAny =
                local == null
                        || (local instanceof final HxbSocketAddress address
                                && address.node() == own
                                && address.port() == HxbSocketAddress.ANY_PORT);
        if (!isAny) {
            throw new UnsupportedOperationException(
                    "a connecting end has no port to choose: " + local);
        }
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        final ChannelPromise promise = connectPromise;
        if (promise != null) {
            connectPromise = null;
            promise.tryFailure(new ClosedChannelException());
        }
        cancelTimeout();
        if (isCut || config.isResetOnClose() || isAnyUnsent()) {
            socket.reset();
        } else {
            socket.close();
        }
        failEnd(new ClosedChannelException());
        transport.remove(this);
    }

    /**
     * True if bytes that were written are not sent. Netty's own count contains a write while its
     * listener is called, who may close the channel; and it counts what has no bytes.
     */
    private boolean isAnyUnsent() {
        final long[] bytes = {unflushedBytes - sentBytes};
        try {
            unsent.forEachFlushedMessage(
                    message -> {
                        bytes[0] += unsentBytes(message);
                        return true;
                    });
        } catch (final Exception e) {
            throw new IllegalStateException("the messages to be sent cannot be counted", e);
        }
        return bytes[0] > 0;
    }

    private static long unsentBytes(final Object message) {
        return message instanceof final FileRegion region
                ? region.count() - region.transferred()
                : ((ByteBuf) message).readableBytes();
    }

    private void failEnd(final Throwable reason) {
        final ChannelPromise promise = endPromise;
        if (promise != null) {
            endPromise = null;
            promise.tryFailure(reason);
        }
    }

    @Override
    void endOutput(final ChannelPromise promise) {
        if (endPromise != null) {
            final var _ = PromiseNotifier.cascade(endPromise, promise);
            return;
        }
        unsafe().flush();
        if (!unsent.isEmpty() && isActive()) {
            endPromise = promise;
        } else {
            ((AbstractUnsafe) unsafe()).shutdownOutput(promise);
        }
    }

    /** The flush for which an end of the output waits may be done. */
    private void endWhenFlushed() {
        final ChannelPromise promise = endPromise;
        if (promise != null && unsent.isEmpty()) {
            endPromise = null;
            ((AbstractUnsafe) unsafe()).shutdownOutput(promise);
        }
    }

    @Override
    protected void doShutdownOutput() throws IOException {
        if (isAnyUnsent()) {
            // A write has failed, and Netty ends the output: the peer is not notified of an end,
            // and
            // gets a reset when the channel is closed. Until then what it sends can be read.
            isCut = true;
        } else {
            socket.shutdownOutput();
        }
    }

    @Override
    public boolean isOutputShutdown() {
        return isCut || super.isOutputShutdown();
    }

    /** The stream may have become ready; any thread, the streams' lock is held. */
    private void onReady() {
        streamCheckTask.onReady();
    }

    private void look() {
        if (connectPromise != null) {
            finishConnect();
        }
        if (isFlushBlocked) {
            isFlushBlocked = false;
            ((HxbUnsafe) unsafe()).forceFlush();
        }
        if (isInputEnded && isActive() && !socket.isConnected()) {
            onLost();
            return;
        }
        if (isReadPending && isActive() && (socket.readyOps() & SelectionKey.OP_READ) != 0) {
            read0();
        }
    }

    private void finishConnect() {
        final ChannelPromise promise = connectPromise;
        try {
            if (!socket.finishConnect()) {
                return;
            }
            isConnected = true;
            connectPromise = null;
            cancelTimeout();
            // A listener may close the channel: even so it was active, and is inactive later.
            final boolean isWanted = promise.trySuccess();
            pipeline().fireChannelActive();
            if (!isWanted) {
                unsafe().close(voidPromise());
            }
        } catch (final IOException e) {
            connectPromise = null;
            cancelTimeout();
            promise.tryFailure(e);
            unsafe().close(voidPromise());
        }
    }

    /** The stream has been lost after its input had ended, so that no read reports it. */
    private void onLost() {
        try {
            // Does not wait: everything was delivered, or never will be.
            socket.awaitDelivery(0);
            unsafe().close(voidPromise());
        } catch (final IOException e) {
            close0(e);
        }
    }

    private void close0(final Throwable reason) {
        pipeline().fireExceptionCaught(reason);
        unsafe().close(voidPromise());
    }

    private void cancelTimeout() {
        if (connectTimeout != null) {
            connectTimeout.cancel(false);
            connectTimeout = null;
        }
    }

    /** A read that is asked for and not done is not wanted any more; any thread. */
    void takeBackRead() {
        if (!isRegistered() || eventLoop().inEventLoop()) {
            isReadPending = false;
        } else {
            eventLoop().execute(() -> isReadPending = false);
        }
    }

    @Override
    protected void doBeginRead() {
        isReadPending = !isInputEnded;
        if (isReadPending && (socket.readyOps() & SelectionKey.OP_READ) != 0) {
            onReady();
        }
    }

    private void read0() {
        final ChannelPipeline pipeline = pipeline();
        final var handle = unsafe().recvBufAllocHandle();
        handle.reset(config);
        boolean isEnd = false;
        IOException failure = null;
        do {
            final ByteBuf buffer = handle.allocate(config.getAllocator());
            handle.attemptedBytesRead(buffer.writableBytes());
            try {
                handle.lastBytesRead(
                        socket.read(
                                buffer.internalNioBuffer(
                                        buffer.writerIndex(), buffer.writableBytes())));
            } catch (final IOException e) {
                handle.lastBytesRead(-1);
                failure = e;
            }
            if (handle.lastBytesRead() <= 0) {
                buffer.release();
                isEnd = handle.lastBytesRead() < 0;
                break;
            }
            buffer.writerIndex(buffer.writerIndex() + handle.lastBytesRead());
            handle.incMessagesRead(1);
            isReadPending = false;
            pipeline.fireChannelRead(buffer);
        } while (handle.continueReading() && socket.isOpen());
        handle.readComplete();
        if (isEnd) {
            isReadPending = false;
        }
        pipeline.fireChannelReadComplete();
        if (failure != null) {
            close0(failure);
        } else if (isEnd) {
            onEnd();
        }
    }

    private void onEnd() {
        if (isInputEnded) {
            return;
        }
        if (isInputShutHere()) {
            isInputEnded = true;
            pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        } else if (config.isAllowHalfClosure()) {
            isInputEnded = true;
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        } else {
            unsafe().close(voidPromise());
        }
    }

    @Override
    protected Object filterOutboundMessage(final Object message) throws IOException {
        if (endPromise != null) {
            throw new ChannelOutputShutdownException("the output has been shut down");
        }
        if (message instanceof ByteBuf || message instanceof FileRegion) {
            unflushedBytes += unsentBytes(message);
            return message;
        }
        throw new UnsupportedOperationException(
                "a stream takes ByteBuf and FileRegion, not "
                        + StringUtil.simpleClassName(message));
    }

    @Override
    protected void doWrite(final ChannelOutboundBuffer pending) throws Exception {
        try {
            while (!pending.isEmpty()) {
                final boolean isDone =
                        pending.current() instanceof final FileRegion region
                                ? write(pending, region)
                                : writeBuffers(pending);
                if (!isDone) {
                    isFlushBlocked = true;
                    return;
                }
            }
        } catch (final IOException e) {
            if (socket.isConnected() || socket.available() == 0 || !config.isAutoClose()) {
                throw e;
            }
            // Netty would close the channel, and what has arrived would be lost.
            failAll(pending, e);
        }
    }

    private static void failAll(final ChannelOutboundBuffer pending, final Throwable reason) {
        while (!pending.isEmpty()) {
            pending.remove(reason);
        }
    }

    private boolean writeBuffers(final ChannelOutboundBuffer pending) throws IOException {
        final ByteBuffer[] buffers = pending.nioBuffers(MAX_BUFFERS, MAX_GATHERED_BYTES);
        final int count = pending.nioBufferCount();
        final long length = pending.nioBufferSize();
        final long written = count == 0 ? 0 : socket.write(buffers, 0, count);
        sentBytes = written;
        remove(pending);
        return written == length;
    }

    /** Removes what was sent, and buffers without bytes; listeners of writes are called. */
    private void remove(final ChannelOutboundBuffer pending) {
        while (sentBytes > 0 && pending.current() instanceof final ByteBuf buffer) {
            final int length = (int) Math.min(buffer.readableBytes(), sentBytes);
            final boolean isDone = length == buffer.readableBytes();
            buffer.skipBytes(length);
            sentBytes -= length;
            pending.progress(length);
            if (isDone) {
                pending.remove();
            }
        }
        sentBytes = 0;
        pending.removeBytes(0);
    }

    private boolean write(final ChannelOutboundBuffer pending, final FileRegion region)
            throws IOException {
        long written = 1;
        while (written > 0 && region.transferred() < region.count()) {
            written = region.transferTo(socket, region.transferred());
            pending.progress(written);
        }
        if (region.transferred() < region.count()) {
            return false;
        }
        pending.remove();
        return true;
    }

    /** What Netty calls internally. */
    private final class HxbUnsafe extends AbstractUnsafe {
        @Override
        public void connect(
                final SocketAddress remote,
                final SocketAddress local,
                final ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                if (connectPromise != null) {
                    throw new ConnectionPendingException();
                }
                if (isConnected) {
                    throw new AlreadyConnectedException();
                }
                checkLocal(local);
            } catch (final RuntimeException e) {
                promise.tryFailure(e);
                return;
            }
            try {
                begin(remote, promise);
            } catch (final IOException | RuntimeException e) {
                connectPromise = null;
                close(voidPromise());
                promise.tryFailure(e);
            }
        }

        private void begin(final SocketAddress remote, final ChannelPromise promise)
                throws IOException {
            if (!(remote instanceof final HxbSocketAddress address)) {
                throw (UnsupportedAddressTypeException)
                        new UnsupportedAddressTypeException()
                                .initCause(
                                        new IllegalArgumentException(
                                                "a stream needs an HxbSocketAddress, not "
                                                        + remote));
            }
            connectPromise = promise;
            socket.connect(address);
            listen();
            expectWithin(config.getConnectTimeoutMillis(), remote);
            promise.addListener(
                    done -> {
                        if (done.isCancelled() && promise.equals(connectPromise)) {
                            connectPromise = null;
                            cancelTimeout();
                            close(voidPromise());
                        }
                    });
            onReady();
        }

        private void expectWithin(final int timeoutMs, final SocketAddress remote) {
            if (timeoutMs <= 0) {
                return;
            }
            connectTimeout =
                    eventLoop()
                            .schedule(
                                    () -> onConnectTimeout(timeoutMs, remote),
                                    timeoutMs,
                                    TimeUnit.MILLISECONDS);
        }

        private void onConnectTimeout(final int timeoutMs, final SocketAddress remote) {
            if (!eventLoop().inEventLoop()) {
                // It has moved to another loop meanwhile.
                eventLoop().execute(() -> onConnectTimeout(timeoutMs, remote));
                return;
            }
            final ChannelPromise promise = connectPromise;
            if (promise != null
                    && promise.tryFailure(
                            new ConnectTimeoutException(
                                    "no connection to " + remote + " in " + timeoutMs + " ms"))) {
                connectPromise = null;
                close(voidPromise());
            }
        }

        @Override
        protected void flush0() {
            unflushedBytes = 0;
            // Continues when there is room, if it waited for that.
            if (!isFlushBlocked) {
                forceFlush();
            }
        }

        private void forceFlush() {
            super.flush0();
            endWhenFlushed();
        }
    }
}
