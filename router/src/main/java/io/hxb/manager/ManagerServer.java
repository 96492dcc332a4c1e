package io.hxb.manager;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.PeerCredentials;
import io.netty.util.concurrent.DefaultThreadFactory;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/**
 * Serves a {@link HostManager} over sockets, on one thread of its own, which owns the manager.
 * Programs of this machine are known by the user that the kernel names.
 */
public final class ManagerServer implements AutoCloseable {
    private static final int BACKLOG = 64;
    private static final int CLOSE_SECONDS = 5;

    private final HostManager manager;
    private final EventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(
                    1, new DefaultThreadFactory("hxb-manager", true), EpollIoHandler.newFactory());
    private final List<Channel> listeners = new ArrayList<>();

    /** A server that listens nowhere yet, of a manager that nobody else calls from now on. */
    public ManagerServer(final HostManager manager) {
        this.manager = manager;
    }

    /**
     * Listens on a Unix socket.
     *
     * @param socket a path where nothing is.
     * @param mayChange whether the user of that id may change paths; all others may read them.
     * @throws IOException in words, if the path cannot be bound.
     */
    public void listen(final Path socket, final IntPredicate mayChange) throws IOException {
        final ServerBootstrap bootstrap =
                new ServerBootstrap()
                        .group(loop)
                        .channel(EpollServerDomainSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .childHandler(
                                new ChannelInitializer<EpollDomainSocketChannel>() {
                                    @Override
                                    protected void initChannel(
                                            final EpollDomainSocketChannel channel)
                                            throws IOException {
                                        final PeerCredentials peer = channel.peerCredentials();
                                        serve(channel, mayChange.test(peer.uid()));
                                    }
                                });
        bind(bootstrap, new DomainSocketAddress(socket.toString()));
    }

    private void serve(final Channel channel, final boolean mayChange) {
        final ManagerSession session = manager.open(mayChange);
        if (session == null) {
            channel.close();
        } else {
            channel.pipeline().addLast(new ManagerHandler(manager, session));
        }
    }

    private void bind(final ServerBootstrap bootstrap, final SocketAddress address)
            throws IOException {
        final var bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "the manager cannot listen on " + address + ": " + bound.cause().getMessage(),
                    bound.cause());
        }
        listeners.add(bound.channel());
    }

    /** Ends all sessions, which undoes what they have set, and stops listening. */
    @Override
    public void close() {
        listeners.forEach(listener -> listener.close().awaitUninterruptibly());
        loop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
