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
import java.util.concurrent.TimeUnit;

/**
 * A Netty channel over an HXB stream: made by {@link HxbTransport#client()} or accepted by an
 * {@link HxbServerChannel}. Owned by its event loop.
 *
 * <p>{@link #shutdownOutput()} flushes, and is done when everything written before has been sent,
 * followed by the end. {@link #close()} does not wait, as with other channels: writes that are not
 * done fail, and the peer gets a reset, not the end of a stream that seems complete.
 */
@SuppressWarnings("exports") // Netty is optional, so that nobody else has to have it.
public final class HxbChannel extends HalfClosableChannel {
    private static final int MAX_BUFFERS = 256;
    private static final long MAX_GATHERED_BYTES = 1 << 20;
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final HxbTransport transport;
    private final HxbChannelConfig config = new HxbChannelConfig(this);
    private final Look look = new Look(this, this::look);
    private volatile boolean isConnected;
    private ChannelPromise connectPromise;
    private Future<?> connectTimeout;
    private boolean isReadPending;
    private boolean isInputEnded;
    private boolean isFlushBlocked;
    private ChannelPromise endPromise;

    private boolean isCut;

    /** What is written and not sent; Netty removes it before it asks for the end. */
    private final ChannelOutboundBuffer unsent = unsafe().outboundBuffer();

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
            if (isConnected) {
                socket.listener(this::onReady);
            }
        } catch (final IOException | RuntimeException e) {
            promise.setFailure(e);
            return;
        }
        promise.setSuccess();
    }

    @Override
    protected void doBind(final SocketAddress local) {
        throw new UnsupportedOperationException("a connecting end has no port to choose");
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
        if (isCut || unsent.totalPendingWriteBytes() > 0) {
            socket.reset();
        } else {
            socket.close();
        }
        failEnd(new ClosedChannelException());
        transport.remove(this);
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
        if (isFlushBlocked && isActive()) {
            endPromise = promise;
        } else {
            ((AbstractUnsafe) unsafe()).shutdownOutput(promise);
        }
    }

    /** The flush for which an end of the output waits may be done. */
    private void endWhenFlushed() {
        final ChannelPromise promise = endPromise;
        if (promise != null && !isFlushBlocked) {
            endPromise = null;
            ((AbstractUnsafe) unsafe()).shutdownOutput(promise);
        }
    }

    @Override
    protected void doShutdownOutput() throws IOException {
        if (unsent.totalPendingWriteBytes() > 0) {
            // A write has failed, and Netty ends the output: it is not an end in order.
            isCut = true;
            eventLoop().execute(() -> unsafe().close(voidPromise()));
            throw new ChannelOutputShutdownException("a write has failed: the stream is reset");
        }
        socket.shutdownOutput();
    }

    /** The stream may have become ready; any thread, the streams' lock is held. */
    private void onReady() {
        look.onReady();
    }

    private void look() {
        if (connectPromise != null) {
            finishConnect();
        }
        if (isFlushBlocked) {
            isFlushBlocked = false;
            ((HxbUnsafe) unsafe()).forceFlush();
            endWhenFlushed();
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
            if (promise.trySuccess()) {
                pipeline().fireChannelActive();
            } else {
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
        if (config.isAllowHalfClosure()) {
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
            return message;
        }
        throw new UnsupportedOperationException(
                "a stream takes ByteBuf and FileRegion, not "
                        + StringUtil.simpleClassName(message));
    }

    @Override
    protected void doWrite(final ChannelOutboundBuffer pending) throws Exception {
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
    }

    private boolean writeBuffers(final ChannelOutboundBuffer pending) throws IOException {
        final ByteBuffer[] buffers = pending.nioBuffers(MAX_BUFFERS, MAX_GATHERED_BYTES);
        final int count = pending.nioBufferCount();
        final long length = pending.nioBufferSize();
        final long written = count == 0 ? 0 : socket.write(buffers, 0, count);
        // Empty buffers are removed as well.
        pending.removeBytes(written);
        return written == length;
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
            if (!promise.setUncancellable() || !ensureOpen(promise)) {
                return;
            }
            try {
                if (connectPromise != null) {
                    throw new ConnectionPendingException();
                }
                if (isConnected) {
                    throw new AlreadyConnectedException();
                }
                connectPromise = promise;
                socket.connect((HxbSocketAddress) remote);
                socket.listener(HxbChannel.this::onReady);
                expectWithin(config.getConnectTimeoutMillis(), remote);
                onReady();
            } catch (final IOException | RuntimeException e) {
                connectPromise = null;
                promise.tryFailure(e);
                closeIfClosed();
            }
        }

        private void expectWithin(final int timeoutMs, final SocketAddress remote) {
            if (timeoutMs <= 0) {
                return;
            }
            connectTimeout =
                    eventLoop()
                            .schedule(
                                    () -> {
                                        final ChannelPromise promise = connectPromise;
                                        if (promise != null
                                                && promise.tryFailure(
                                                        new ConnectTimeoutException(
                                                                "no answer of "
                                                                        + remote
                                                                        + " in "
                                                                        + timeoutMs
                                                                        + " ms"))) {
                                            connectPromise = null;
                                            close(voidPromise());
                                        }
                                    },
                                    timeoutMs,
                                    TimeUnit.MILLISECONDS);
        }

        @Override
        protected void flush0() {
            // Continues when there is room, if it waited for that.
            if (!isFlushBlocked) {
                super.flush0();
            }
        }

        private void forceFlush() {
            super.flush0();
        }
    }
}
