package io.hxb.pm.netty;

import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannelRecvByteBufAllocator;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Map;

/**
 * A Netty channel that listens on a port of this node: bind it to an {@link HxbSocketAddress} of
 * the node. Binding waits for the node's answer, microseconds. Owned by its event loop.
 */
@SuppressWarnings("exports") // Netty is optional, so that nobody else has to have it.
public final class HxbServerChannel extends AbstractServerChannel {
    private final HxbTransport transport;
    private final HxbServerSocketChannel socket;
    private final Config config = new Config(this);
    private final StreamCheckTask streamCheckTask = new StreamCheckTask(this, this::look);
    private final LoopShutdownHook loopShutdownHook = new LoopShutdownHook(this);
    private boolean isReadPending;

    /** Closed by Netty; the socket may have been closed before, by the end of its node. */
    private volatile boolean isClosed;

    HxbServerChannel(final HxbTransport transport) {
        this.transport = transport;
        socket = HxbServerSocketChannel.open(transport.streams()).configureBlocking(false);
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return !isClosed;
    }

    @Override
    public boolean isActive() {
        return !isClosed && socket.localAddress() != null;
    }

    @Override
    protected boolean isCompatible(final EventLoop loop) {
        return true;
    }

    @Override
    protected SocketAddress localAddress0() {
        return socket.localAddress();
    }

    @Override
    protected void doRegister(final ChannelPromise promise) {
        try {
            transport.add(this, eventLoop());
            loopShutdownHook.watch();
        } catch (final RuntimeException e) {
            promise.setFailure(e);
            return;
        }
        promise.setSuccess();
        onReady();
    }

    @Override
    protected void doDeregister() {
        loopShutdownHook.forget();
    }

    @Override
    protected void doBind(final SocketAddress local) throws IOException {
        socket.bind(port(local), config.backlog);
        socket.listener(this::onReady);
    }

    private int port(final SocketAddress local) {
        final int own = transport.streams().device().nodeId();
        if (local instanceof final HxbSocketAddress address && address.node() == own) {
            return address.port();
        }
        if (local instanceof final InetSocketAddress address
                && address.getAddress() != null
                && address.getAddress().isAnyLocalAddress()) {
            return address.getPort();
        }
        final var reason =
                new IllegalArgumentException(
                        "an HXB server listens on its own node only, which is node "
                                + own
                                + ": bind to new HxbSocketAddress("
                                + own
                                + ", port), not to "
                                + local);
        if (local instanceof HxbSocketAddress) {
            throw reason;
        }
        throw (UnsupportedAddressTypeException)
                new UnsupportedAddressTypeException().initCause(reason);
    }

    @Override
    protected void doClose() {
        isClosed = true;
        socket.close();
        transport.remove(this);
    }

    @Override
    protected void doBeginRead() {
        isReadPending = true;
        onReady();
    }

    /** A read that is asked for and not done is not wanted any more; any thread. */
    private void takeBackRead() {
        if (!isRegistered()) {
            isReadPending = false;
        } else if (eventLoop().inEventLoop()) {
            isReadPending = false;
        } else {
            eventLoop().execute(() -> isReadPending = false);
        }
    }

    private void onReady() {
        streamCheckTask.onReady();
    }

    private void look() {
        if (!isReadPending || !isActive()) {
            return;
        }
        final ChannelPipeline pipeline = pipeline();
        final var handle = unsafe().recvBufAllocHandle();
        handle.reset(config);
        boolean isAny = false;
        try {
            HxbSocketChannel accepted = socket.accept();
            while (accepted != null) {
                isAny = true;
                isReadPending = false;
                handle.incMessagesRead(1);
                pipeline.fireChannelRead(new HxbChannel(this, transport, accepted));
                accepted = handle.continueReading() && socket.isOpen() ? socket.accept() : null;
            }
        } catch (final IOException e) {
            pipeline.fireExceptionCaught(e);
            unsafe().close(voidPromise());
            return;
        }
        if (isAny) {
            handle.readComplete();
            pipeline.fireChannelReadComplete();
        }
    }

    /** Netty's general options and SO_BACKLOG. */
    private static final class Config extends DefaultChannelConfig {
        private final HxbServerChannel ownChannel;
        private volatile int backlog = HxbServerSocketChannel.DEFAULT_BACKLOG;

        Config(final HxbServerChannel channel) {
            super(channel, new ServerChannelRecvByteBufAllocator());
            ownChannel = channel;
        }

        @Override
        protected void autoReadCleared() {
            ownChannel.takeBackRead();
        }

        @Override
        public Map<ChannelOption<?>, Object> getOptions() {
            return getOptions(super.getOptions(), ChannelOption.SO_BACKLOG);
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T getOption(final ChannelOption<T> option) {
            return ChannelOption.SO_BACKLOG.equals(option)
                    ? (T) Integer.valueOf(backlog)
                    : super.getOption(option);
        }

        @Override
        public <T> boolean setOption(final ChannelOption<T> option, final T value) {
            if (ChannelOption.SO_BACKLOG.equals(option)) {
                validate(option, value);
                backlog = Math.max(1, (Integer) value);
                return true;
            }
            return super.setOption(option, value);
        }
    }
}
