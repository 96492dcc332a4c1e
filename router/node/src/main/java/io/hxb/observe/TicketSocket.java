package io.hxb.observe;

import io.hxb.linux.FileStatus;
import io.hxb.linux.Folder;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.PeerCredentials;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A Unix socket that hands every process that connects one ticket, a line, for the user that the
 * kernel says it runs as. Owned by the server's thread. Source: unix(7), SO_PEERCRED.
 */
final class TicketSocket {
    private static final Logger LOGGER = LoggerFactory.getLogger(TicketSocket.class);
    private static final int FOR_ALL = 0666;
    private static final int KEEP_SECONDS = 1;

    private final Path file;
    private final WebSessions sessions;
    private Channel socket;
    private Future<?> keeping;
    private boolean isWarned;

    TicketSocket(final Path file, final WebSessions sessions) {
        this.file = file;
        this.sessions = sessions;
    }

    /** Begins; without it, users get no sessions. A socket of an earlier process is replaced. */
    void open(final EventLoopGroup loop) {
        bind(loop);
        keeping =
                loop.scheduleWithFixedDelay(
                        () -> keep(loop), KEEP_SECONDS, KEEP_SECONDS, TimeUnit.SECONDS);
    }

    private void bind(final EventLoopGroup loop) {
        try {
            remove();
        } catch (final IOException e) {
            warn(e);
            return;
        }
        new ServerBootstrap()
                .group(loop)
                .channel(EpollServerDomainSocketChannel.class)
                .childHandler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(final Channel channel) throws IOException {
                                answer((EpollDomainSocketChannel) channel);
                            }
                        })
                .bind(new DomainSocketAddress(file.toFile()))
                .addListener(
                        (ChannelFutureListener) bound -> begin(bound.channel(), bound.cause()));
    }

    private void begin(final Channel channel, final Throwable failure) {
        if (failure != null) {
            warn(failure);
            return;
        }
        socket = channel;
        isWarned = false;
        try (Folder folder = Folder.open(file.getParent())) {
            folder.changeMode(file.getFileName().toString(), FOR_ALL);
        } catch (final IOException e) {
            warn(e);
        }
    }

    private void warn(final Throwable failure) {
        if (!isWarned) {
            isWarned = true;
            LOGGER.warn(
                    "hxb web gives ordinary users no sessions: {}: {}", file, failure.getMessage());
        }
    }

    /** Makes the socket again where somebody has removed it, or its folder. */
    private void keep(final EventLoopGroup loop) {
        if (!Files.isDirectory(file.getParent()) || (socket != null && Files.exists(file))) {
            return;
        }
        if (socket == null) {
            bind(loop);
        } else {
            // A channel that closes removes what has its path, so it goes first.
            final Channel old = socket;
            socket = null;
            old.close().addListener(_ -> bind(loop));
        }
    }

    private void answer(final EpollDomainSocketChannel channel) throws IOException {
        final PeerCredentials peer = channel.peerCredentials();
        final boolean isOperator = peer.uid() == 0 || peer.uid() == FileStatus.ownUid();
        // A user id beyond 2^31 is negative here, and has no values of its own.
        final Viewer viewer =
                isOperator
                        ? Viewer.OPERATOR
                        : peer.uid() < 0 ? Viewer.PUBLIC : Viewer.user(peer.uid());
        channel.writeAndFlush(
                        Unpooled.copiedBuffer(
                                sessions.ticket(viewer) + "\n", StandardCharsets.US_ASCII))
                .addListener(ChannelFutureListener.CLOSE);
    }

    private void remove() throws IOException {
        try (Folder folder = Folder.open(file.getParent())) {
            folder.delete(file.getFileName().toString());
        }
    }

    /** Ends before another process may begin. */
    void close() {
        if (keeping != null) {
            keeping.cancel(false);
        }
        if (socket != null) {
            final var ignored = socket.close();
            try {
                remove();
            } catch (final IOException e) {
                LOGGER.debug("{} stays", file, e);
            }
        }
    }
}
