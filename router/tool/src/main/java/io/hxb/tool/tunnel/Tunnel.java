package io.hxb.tool.tunnel;

import io.hxb.config.ClusterConfig;
import io.hxb.log.RateLimitedLog;
import io.hxb.os.PortOwner;
import io.hxb.pm.PmDevice;
import io.hxb.pm.netty.HxbTransport;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.pm.stream.NodeGoneException;
import io.hxb.pm.stream.StreamOptions;
import io.hxb.tool.report.ToolException;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One event loop with TCP connections and the streams that they are joined to. Its methods are
 * called by the thread that made it, and what they are given is called by the event loop.
 *
 * <p>The loop is one of NIO: with Netty's epoll (4.2.18), a connection whose input has ended fails
 * when what is written to it does not fit into its send buffer at once.
 */
public final class Tunnel implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(Tunnel.class);
    private static final int BACKLOG = 1024;
    private static final int CONNECT_MS = 10_000;
    private static final long CHECK_MS = 500;
    private static final long CLOSE_S = 5;

    private final PmDevice device;
    private final HxbStreams streams;
    private final HxbTransport transport;
    private final TunnelOptions options;
    private final EventLoopGroup group;
    private final StreamDial dial;
    private final RateLimitedLog log = new RateLimitedLog(LOGGER);
    private final CountDownLatch end = new CountDownLatch(1);

    /** Of the event loop. */
    private final Set<DuplexChannel> connections = new HashSet<>();

    private Tunnel(
            final ClusterConfig config,
            final PmDevice device,
            final HxbStreams streams,
            final TunnelOptions options) {
        this.device = device;
        this.streams = streams;
        this.options = options;
        transport = new HxbTransport(streams);
        dial = new StreamDial(config, transport, options.waterMark());
        final ThreadFactory threads = new DefaultThreadFactory("hxb-tunnel", true);
        group = new MultiThreadIoEventLoopGroup(1, threads, NioIoHandler.newFactory());
        final var _ =
                group.scheduleAtFixedRate(
                        () -> log.doWork(System.nanoTime()),
                        CHECK_MS,
                        CHECK_MS,
                        TimeUnit.MILLISECONDS);
    }

    static Tunnel attach(final ClusterConfig config, final Path socket, final TunnelOptions options)
            throws IOException {
        final PmDevice device = PmDevice.attach(socket);
        try {
            final HxbStreams streams =
                    HxbStreams.open(
                            device,
                            StreamOptions.DEFAULT
                                    .withMaxStreams(2 * options.connections())
                                    .withWindowBytes(options.windowBytes()));
            return new Tunnel(config, device, streams, options);
        } catch (final IOException | RuntimeException e) {
            device.close();
            throw e;
        }
    }

    /** {@return the node of this machine} */
    public int node() {
        return device.nodeId();
    }

    /** {@return the address of a port of that node} */
    public HxbSocketAddress address(final int port) {
        return new HxbSocketAddress(node(), port);
    }

    /** {@return what opens streams to other nodes} */
    public StreamDial dial() {
        return dial;
    }

    /**
     * Listens on a TCP port.
     *
     * @param local where; port 0 for any free one.
     * @param onAccept takes each connection, which is not read yet.
     * @return where it listens.
     * @throws IOException if the port is taken, or the address is not of this machine.
     */
    public InetSocketAddress listen(
            final InetSocketAddress local, final Consumer<DuplexChannel> onAccept)
            throws IOException {
        final ServerBootstrap bootstrap =
                new ServerBootstrap()
                        .group(group)
                        .channel(NioServerSocketChannel.class)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .childOption(ChannelOption.SO_KEEPALIVE, true)
                        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, options.waterMark())
                        .childHandler(
                                new Accepting(
                                        channel -> {
                                            if (isTaken(channel)) {
                                                onAccept.accept(channel);
                                            } else {
                                                Relay.reset(channel);
                                            }
                                        }));
        final Channel channel =
                bound(
                        bootstrap.bind(local),
                        text(local),
                        reason -> PortOwner.whyNot(local, reason));
        return (InetSocketAddress) channel.localAddress();
    }

    /**
     * Listens on a port of the node, and joins each stream to a connection of TCP.
     *
     * @param port 1 to 65,535.
     * @param targets addresses of the service, which are tried in order.
     * @throws IOException if another process listens on that port.
     */
    public void expose(final int port, final List<InetSocketAddress> targets) throws IOException {
        final ServerBootstrap bootstrap =
                new ServerBootstrap()
                        .group(group)
                        .channelFactory(transport.server())
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, options.waterMark())
                        .childHandler(
                                new Accepting(
                                        channel -> {
                                            final ServiceDial service =
                                                    new ServiceDial(this, channel, targets);
                                            if (isTaken(channel)) {
                                                service.begin();
                                            } else {
                                                service.refuse(Answer.FULL);
                                            }
                                        }));
        final var _ =
                bound(
                        bootstrap.bind(address(port)),
                        "port " + port + " of the node",
                        Throwable::getMessage);
    }

    /** A connection of TCP that is not read yet; the caller adds a listener. */
    ChannelFuture connect(final Channel like, final InetSocketAddress target) {
        return new Bootstrap()
                .group(like.eventLoop())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, options.waterMark())
                .handler(new Accepting(_ -> {}))
                .connect(target);
    }

    private static Channel bound(
            final ChannelFuture bind, final String place, final Function<Throwable, String> why)
            throws IOException {
        if (bind.awaitUninterruptibly().isSuccess()) {
            return bind.channel();
        }
        final Throwable reason = bind.cause();
        if (reason instanceof final NodeGoneException gone) {
            throw gone;
        }
        final IOException failure =
                new BindException("cannot listen on " + place + ": " + why.apply(reason));
        failure.initCause(reason);
        throw failure;
    }

    /** Counts a connection until it is closed; false if there are as many as may be. */
    private boolean isTaken(final DuplexChannel channel) {
        if (connections.size() >= options.connections()) {
            warn(
                    "full",
                    "a connection was refused: there are "
                            + connections.size()
                            + " already, as many as --connections allows");
            return false;
        }
        connections.add(channel);
        channel.closeFuture().addListener(_ -> connections.remove(channel));
        return true;
    }

    /**
     * Tells people of something that others can cause as often as they like.
     *
     * @param kind one of a few words, each of which has an allowance of lines of its own.
     */
    public void warn(final String kind, final String line) {
        log.warn(kind, 0, line, System.nanoTime());
    }

    /** {@return an address as people write it} */
    public static String text(final InetSocketAddress address) {
        final String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /**
     * Serves until the process ends, which resets all connections: what was transferred so far must
     * not look complete.
     *
     * @throws ToolException if the node of this machine ends.
     */
    public void serve() throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(this::resetAll, "hxb-tunnel-stop"));
        while (!end.await(CHECK_MS, TimeUnit.MILLISECONDS)) {
            if (!device.isNodeAlive()) {
                throw new ToolException(
                        "the node of this machine is gone: start this command again when it is"
                                + " back");
            }
        }
    }

    private void resetAll() {
        try {
            group.submit(() -> new ArrayList<>(connections).forEach(Relay::reset))
                    .await(CLOSE_S, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Resets all connections and detaches from the node. */
    @Override
    public void close() {
        if (group.isShuttingDown()) {
            return;
        }
        end.countDown();
        resetAll();
        group.shutdownGracefully(0, CLOSE_S, TimeUnit.SECONDS).awaitUninterruptibly();
        streams.close();
        device.close();
    }

    /** Hands over each channel when it is on its loop. */
    private static final class Accepting extends ChannelInitializer<Channel> {
        private final Consumer<DuplexChannel> onAccept;

        Accepting(final Consumer<DuplexChannel> onAccept) {
            this.onAccept = onAccept;
        }

        @Override
        protected void initChannel(final Channel channel) {
            onAccept.accept((DuplexChannel) channel);
        }
    }
}
