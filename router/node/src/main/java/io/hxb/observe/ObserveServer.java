package io.hxb.observe;

import io.hxb.http.HttpPipeline;
import io.hxb.http.RequestDeadline;
import io.hxb.os.Capabilities;
import io.hxb.os.PortOwner;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Answers HTTP requests on one TCP address, by a thread of its own. It starts without waiting, and
 * listens as soon as it is its turn and the port is free: once a second it tries. {@link #close}
 * may be called by any thread.
 */
public final class ObserveServer implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(ObserveServer.class);
    private static final int IDLE_SECONDS = 30;
    private static final int BACKLOG = 128;
    private static final int CLOSE_SECONDS = 5;

    /** Shorter than the time after which a connection without traffic ends. */
    private static final int BEAT_SECONDS = 5;

    private static final long RETRY_MS = 1_000;
    private static final String BUSY =
            "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

    private final InetSocketAddress address;
    private final Map<String, Resource> routes;
    private final Optional<ServingTurn> turn;
    private final Optional<TicketSocket> tickets;
    private final Consumer<String> warnings;
    private final AccessCheck access;
    private final ConnectionBounds bounds;
    private final long deadlineNs;
    private final EventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(
                    1, ObserveServer::newThread, EpollIoHandler.newFactory());
    private final CompletableFuture<InetSocketAddress> listening = new CompletableFuture<>();
    // Owned by the server's thread.
    private final List<Task> tasks;
    private Channel socket;
    private Future<?> attempts;
    private boolean hasWarned;

    private record Task(long periodMs, Runnable action) {}

    /** Sets up a server. Used by one thread. */
    public static final class Builder {
        private final InetSocketAddress address;
        private final Map<String, Resource> routes = new LinkedHashMap<>();
        private final List<Task> tasks = new ArrayList<>();
        private Optional<ServingTurn> turn = Optional.empty();
        private Optional<AccessToken> token = Optional.empty();
        private Optional<WebSessions> sessions = Optional.empty();
        private Optional<TicketSocket> tickets = Optional.empty();
        private Consumer<String> warnings = LOGGER::warn;
        private long deadlineNs = TimeUnit.SECONDS.toNanos(10);
        private long maxWaitingBytes = ConnectionBounds.MAX_WAITING_BYTES;

        /** A server that will listen on {@code address}; port 0 is any free one. */
        public Builder(final InetSocketAddress address) {
            this.address = address;
        }

        /** Has {@code resource} answer for a path, such as {@code /metrics}. */
        public Builder route(final String path, final Resource resource) {
            routes.put(path, resource);
            return this;
        }

        /** Has the server's thread run {@code action} again and again while it listens. */
        public Builder every(final long periodMs, final Runnable action) {
            tasks.add(new Task(periodMs, action));
            return this;
        }

        /** Listens only when it is its turn. */
        public Builder turn(final ServingTurn value) {
            turn = Optional.of(value);
            return this;
        }

        /** Lets programs with this token see all. */
        public Builder token(final AccessToken value) {
            token = Optional.of(value);
            return this;
        }

        /** Lets browsers with a session see what their user may see. */
        public Builder sessions(final WebSessions value) {
            sessions = Optional.of(value);
            return this;
        }

        /** Lets every user of the machine have a session, by a ticket that {@code socket} gives. */
        public Builder sessions(final WebSessions value, final Path socket) {
            tickets = Optional.of(new TicketSocket(socket, value));
            return sessions(value);
        }

        /** Where the one warning goes if it cannot listen. */
        Builder warnings(final Consumer<String> value) {
            warnings = value;
            return this;
        }

        /** How long one request may take to arrive. */
        Builder deadlineNs(final long value) {
            deadlineNs = value;
            return this;
        }

        /** How many bytes of events may wait for all viewers together. */
        Builder maxWaitingBytes(final long value) {
            maxWaitingBytes = value;
            return this;
        }

        /** Starts the server and does not wait for it. */
        public ObserveServer start() {
            final ObserveServer server = new ObserveServer(this);
            server.loop.execute(server::begin);
            return server;
        }
    }

    private ObserveServer(final Builder builder) {
        address = builder.address;
        routes = new LinkedHashMap<>(builder.routes);
        builder.sessions.ifPresent(
                sessions -> routes.put(SessionEntry.PATH, new SessionEntry(sessions, this::port)));
        tasks = List.copyOf(builder.tasks);
        turn = builder.turn;
        tickets = builder.tickets;
        warnings = builder.warnings;
        access = new AccessCheck(builder.token, builder.sessions);
        deadlineNs = builder.deadlineNs;
        bounds = new ConnectionBounds(builder.maxWaitingBytes);
    }

    private static Thread newThread(final Runnable action) {
        final Thread thread = new Thread(Capabilities.givingUp(action), "hxb-observe");
        thread.setDaemon(true);
        return thread;
    }

    private void begin() {
        attempts =
                loop.scheduleWithFixedDelay(
                        () -> run(this::attempt), 0, RETRY_MS, TimeUnit.MILLISECONDS);
    }

    private void attempt() {
        try {
            if (turn.isPresent() && !turn.get().take()) {
                return;
            }
        } catch (final IOException e) {
            // Whoever gets the port serves.
            LOGGER.debug("the turn cannot be taken", e);
        }
        new ServerBootstrap()
                .group(loop)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(final Channel channel) {
                                accept(channel);
                            }
                        })
                .bind(address)
                .addListener(
                        (ChannelFutureListener)
                                bound -> {
                                    if (bound.isSuccess()) {
                                        listen(bound.channel());
                                    } else {
                                        warn(bound.cause());
                                    }
                                });
    }

    private void listen(final Channel channel) {
        attempts.cancel(false);
        socket = channel;
        for (final Task task : tasks) {
            final var ignored =
                    loop.scheduleWithFixedDelay(
                            () -> run(task.action()), 0, task.periodMs(), TimeUnit.MILLISECONDS);
        }
        tickets.ifPresent(each -> each.open(loop));
        startBeat();
        listening.complete((InetSocketAddress) channel.localAddress());
    }

    private void startBeat() {
        final var ignored =
                loop.scheduleWithFixedDelay(
                        bounds::beat, BEAT_SECONDS, BEAT_SECONDS, TimeUnit.SECONDS);
    }

    // One that has failed runs again, which an executor would not let it.
    private static void run(final Runnable action) {
        try {
            action.run();
        } catch (final RuntimeException e) {
            LOGGER.warn("a task of the server failed", e);
        }
    }

    private void warn(final Throwable cause) {
        if (!hasWarned) {
            hasWarned = true;
            warnings.accept(
                    "metrics are not served while "
                            + text(address)
                            + " cannot be used ("
                            + PortOwner.whyNot(address, cause)
                            + "): stop what listens there, or change observe.listen");
        }
    }

    private static String text(final InetSocketAddress address) {
        return address.getAddress().getHostAddress() + " port " + address.getPort();
    }

    private void accept(final Channel channel) {
        if (!bounds.take(channel)) {
            channel.writeAndFlush(Unpooled.copiedBuffer(BUSY, StandardCharsets.US_ASCII))
                    .addListener(ChannelFutureListener.CLOSE);
            return;
        }
        final RequestDeadline deadline = new RequestDeadline(deadlineNs);
        HttpPipeline.limitReads(channel);
        channel.pipeline().addLast(deadline);
        HttpPipeline.add(
                channel.pipeline(),
                IDLE_SECONDS,
                new ObserveHandler(routes, access, bounds, deadline));
    }

    /** Where it listens, once it does. */
    public CompletableFuture<InetSocketAddress> listening() {
        return listening.copy();
    }

    private int port() {
        return listening.join().getPort();
    }

    private void stopListening() {
        attempts.cancel(false);
        if (socket != null) {
            final var ignored = socket.close();
            tickets.ifPresent(TicketSocket::close);
        }
    }

    /** Listens no longer; its thread ends soon. */
    @Override
    public void close() {
        if (loop.isShuttingDown()) {
            return;
        }
        // In order: the port is free before the turn goes to another process.
        loop.execute(this::stopListening);
        loop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                .addListener(
                        ended -> {
                            if (turn.isPresent()) {
                                turn.get().close();
                            }
                        })
                .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
