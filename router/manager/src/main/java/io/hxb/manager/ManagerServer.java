package io.hxb.manager;

import io.hxb.http.HttpPipeline;
import io.hxb.os.NativeLibrary;
import io.hxb.os.PortOwner;
import io.hxb.os.StaleSocket;
import io.hxb.session.KeyRing;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ImmediateEventExecutor;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;

/**
 * Serves a {@link HostManager} over sockets, on one thread of its own, which owns the manager.
 * Programs of this machine are identified by the user that the kernel names, others by the key of
 * the cluster.
 */
public final class ManagerServer implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(ManagerServer.class);
    private static final int BACKLOG = 64;
    private static final int CLOSE_SECONDS = 5;
    private static final int TICK_MS = 1_000;

    private final ConnectionResources connectionResources;
    private final boolean hasKey;
    private final IoEventLoopGroup loop;
    private final List<Channel> listeners = new CopyOnWriteArrayList<>();
    private final ChannelGroup connections =
            new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);
    private final List<Path> sockets = new ArrayList<>();

    /**
     * A server that listens nowhere yet.
     *
     * @param manager that nobody else calls from now on.
     * @param keys of the cluster; none if nobody comes from other machines.
     * @param spinForNs how long the thread looks for the next request before it sleeps, in ns.
     */
    public ManagerServer(final HostManager manager, final KeyRing keys, final long spinForNs) {
        NativeLibrary.require();
        final RequestWait wait = new RequestWait(spinForNs);
        connectionResources = new ConnectionResources(manager, keys);
        hasKey = !keys.isEmpty();
        loop =
                new MultiThreadIoEventLoopGroup(
                        1,
                        new DefaultThreadFactory("hxb-manager", true),
                        EpollIoHandler.newFactory(0, () -> wait));
        every(TICK_MS, connectionResources::tick);
    }

    /**
     * Listens on a Unix socket; one that a dead manager has left is replaced.
     *
     * @param mayChange whether the user of that id may change paths; all others may read them.
     * @throws IOException if the path cannot be bound.
     */
    public void listen(final Path socket, final IntPredicate mayChange) throws IOException {
        if (!StaleSocket.remove(socket)) {
            throw new IOException(
                    "a manager listens on " + socket + " already: stop it, or choose another path");
        }
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
                                        final int user = channel.peerCredentials().uid();
                                        serve(
                                                channel,
                                                mayChange.test(user) ? Access.CHANGE : Access.READ,
                                                false);
                                    }
                                });
        final SocketAddress address = new DomainSocketAddress(socket.toString());
        final AtomicReference<Channel> current = new AtomicReference<>(bind(bootstrap, address));
        sockets.add(socket);
        permit(socket);
        every(TICK_MS, () -> keep(socket, bootstrap, current));
    }

    // The kernel reports the credentials of the other end.
    private static void permit(final Path socket) throws IOException {
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
    }

    /** Makes a socket again that somebody has removed, once its folder is there. */
    private void keep(
            final Path socket,
            final ServerBootstrap bootstrap,
            final AtomicReference<Channel> current) {
        if (Files.exists(socket) || !Files.isDirectory(socket.toAbsolutePath().getParent())) {
            return;
        }
        // A channel that closes removes what has its path, so it goes first.
        final Channel old = current.get();
        old.close()
                .addListener(
                        _ -> {
                            listeners.remove(old);
                            bootstrap
                                    .bind(new DomainSocketAddress(socket.toString()))
                                    .addListener(
                                            (ChannelFutureListener)
                                                    bound -> begin(socket, bound, current));
                        });
    }

    // Where it failed, the next round tries again.
    private void begin(
            final Path socket, final ChannelFuture bound, final AtomicReference<Channel> current)
            throws IOException {
        if (bound.isSuccess()) {
            current.set(bound.channel());
            listeners.add(bound.channel());
            permit(socket);
            LOGGER.warn("the socket {} had been removed, and was made again", socket);
        }
    }

    /**
     * Listens on a TCP port. Programs of this machine may read without a key; to do more they need
     * that of the cluster.
     *
     * @return the address with the port that was taken.
     * @throws IOException if it cannot be bound, or is open to other machines while there is no
     *     key.
     */
    public InetSocketAddress listen(final InetSocketAddress address) throws IOException {
        if (address.isUnresolved()) {
            throw new IOException("cannot resolve the host name " + address.getHostString());
        }
        if (!hasKey && !address.getAddress().isLoopbackAddress()) {
            throw new IOException(
                    "the manager listens on "
                            + address
                            + " only with the key of a cluster: hxb key generate makes one");
        }
        final ServerBootstrap bootstrap =
                new ServerBootstrap()
                        .group(loop)
                        .channel(EpollServerSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.SO_KEEPALIVE, true)
                        .childHandler(
                                new ChannelInitializer<EpollSocketChannel>() {
                                    @Override
                                    protected void initChannel(final EpollSocketChannel channel) {
                                        final boolean isHere =
                                                channel.remoteAddress() != null
                                                        && channel.remoteAddress()
                                                                .getAddress()
                                                                .isLoopbackAddress();
                                        serve(channel, isHere ? Access.READ : Access.KEY, true);
                                    }
                                });
        return (InetSocketAddress) bind(bootstrap, address).localAddress();
    }

    private void serve(final Channel channel, final Access access, final boolean isNetwork) {
        connections.add(channel);
        HttpPipeline.limitReads(channel);
        channel.pipeline().addLast(new FirstByteHandler(connectionResources, access, isNetwork));
    }

    private Channel bind(final ServerBootstrap bootstrap, final SocketAddress address)
            throws IOException {
        final var bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "the manager cannot listen on "
                            + address
                            + ": "
                            + (address instanceof final InetSocketAddress place
                                    ? PortOwner.whyNot(place, bound.cause())
                                    : bound.cause().getMessage()),
                    bound.cause());
        }
        listeners.add(bound.channel());
        return bound.channel();
    }

    /** Runs something again and again on the manager's thread, until this is closed. */
    void every(final long intervalMs, final Runnable action) {
        final var ignored =
                loop.scheduleAtFixedRate(action, intervalMs, intervalMs, TimeUnit.MILLISECONDS);
    }

    /**
     * Runs something once on the manager's thread.
     *
     * @return so that it can be cancelled.
     */
    Future<?> in(final long delayNs, final Runnable action) {
        return loop.schedule(action, delayNs, TimeUnit.NANOSECONDS);
    }

    /**
     * Has the manager's thread run something whenever a descriptor can be read, until this is
     * closed; blocks until that is so.
     */
    void whenReadable(final int descriptor, final Runnable action) throws IOException {
        final var registration =
                loop.register(new ReadableHandle(descriptor, action)).awaitUninterruptibly();
        if (!registration.isSuccess()) {
            throw new IOException("a socket cannot be waited for", registration.cause());
        }
        registration.getNow().submit(EpollIoOps.EPOLLIN);
    }

    /** Counts {@code amount} of something; by the manager's thread. */
    void count(final ManagerCount count, final long amount) {
        connectionResources.count(count, amount);
    }

    /** Ends all sessions, which undoes what they have set, and stops listening. */
    @Override
    public void close() {
        listeners.forEach(listener -> listener.close().awaitUninterruptibly());
        // The end of the loop alone leaves them open as long as the process lives.
        connections.close().awaitUninterruptibly();
        loop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
        for (final Path socket : sockets) {
            try {
                Files.deleteIfExists(socket);
            } catch (final IOException e) {
                // The next manager replaces it.
                LOGGER.warn("cannot remove the socket {}: {}", socket, e.getMessage());
            }
        }
    }
}
