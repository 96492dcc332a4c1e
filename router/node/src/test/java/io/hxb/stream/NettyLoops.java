package io.hxb.stream;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.netty.HxbTransport;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbStreams;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Two nodes in this process, and event loops of each kind that Netty has here, for Netty's own
 * tests: node 1 serves, node 0 asks.
 */
final class NettyLoops implements AutoCloseable {
    private static final int THREADS = 2;

    private final StreamNodes nodes = new StreamNodes();
    private final HxbTransport serving;
    private final HxbTransport asking;
    private final HxbStreams plain;
    private final Map<String, EventLoopGroup> groups = new LinkedHashMap<>();

    NettyLoops() throws IOException {
        serving = new HxbTransport(nodes.streams(1));
        asking = new HxbTransport(nodes.streams(0));
        plain = nodes.streams(0);
        // The first that is used drives the streams if it is of epoll's kind.
        start("epoll", EpollIoHandler.newFactory());
        start("nio", NioIoHandler.newFactory());
        if (IoUring.isAvailable()) {
            start("io_uring", IoUringIoHandler.newFactory());
        }
    }

    private void start(final String name, final IoHandlerFactory factory) {
        groups.put(name, new MultiThreadIoEventLoopGroup(THREADS, factory));
    }

    /** Streams that no event loop drives. */
    HxbStreams plain() {
        return plain;
    }

    static SocketAddress serverAddress() {
        return new HxbSocketAddress(1, HxbSocketAddress.ANY_PORT);
    }

    List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> combos() {
        return groups.values().stream().map(this::combo).toList();
    }

    private BootstrapComboFactory<ServerBootstrap, Bootstrap> combo(final EventLoopGroup group) {
        return new BootstrapComboFactory<>() {
            @Override
            public ServerBootstrap newServerInstance() {
                return server(group);
            }

            @Override
            public Bootstrap newClientInstance() {
                return client(group);
            }
        };
    }

    List<BootstrapFactory<ServerBootstrap>> servers() {
        return groups.values().stream()
                .map(group -> (BootstrapFactory<ServerBootstrap>) () -> server(group))
                .toList();
    }

    private ServerBootstrap server(final EventLoopGroup group) {
        return new ServerBootstrap().group(group).channelFactory(serving.server());
    }

    private Bootstrap client(final EventLoopGroup group) {
        return new Bootstrap().group(group).channelFactory(asking.client());
    }

    @Override
    public void close() {
        for (final EventLoopGroup group : groups.values()) {
            final boolean isDone =
                    group.shutdownGracefully(0, 5, TimeUnit.SECONDS)
                            .awaitUninterruptibly(30, TimeUnit.SECONDS);
            assertTrue(isDone, "a group of event loops does not end");
        }
        nodes.close();
    }
}
