package io.hxb.bench.vlan;

import io.hxb.os.NetworkNamespace;
import io.hxb.tool.lab.switches.HostPlace;
import io.hxb.tool.lab.switches.SwitchLab;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** One end of a TCP connection between two hosts of a lab. Owned by one thread. */
final class HostConnection implements AutoCloseable {
    private static final int CONNECT_LIMIT_MS = 30_000;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;

    private HostConnection(final SocketChannel channel) throws IOException {
        this.channel = channel;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        selector = Selector.open();
        key = channel.register(selector, SelectionKey.OP_READ);
    }

    /** Connects two hosts; returns the end at {@code from}, then the one at {@code to}. */
    static HostConnection[] join(final SwitchLab lab, final int from, final int to)
            throws IOException {
        try (ServerSocketChannel server =
                NetworkNamespace.run(
                        lab.network().host(to).namespace(),
                        () ->
                                ServerSocketChannel.open()
                                        .bind(new InetSocketAddress(HostPlace.address(to), 0)))) {
            final int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
            final SocketChannel near =
                    NetworkNamespace.run(
                            lab.network().host(from).namespace(),
                            () -> {
                                final SocketChannel channel = SocketChannel.open();
                                channel.socket()
                                        .connect(
                                                new InetSocketAddress(HostPlace.address(to), port),
                                                CONNECT_LIMIT_MS);
                                return channel;
                            });
            return new HostConnection[] {
                new HostConnection(near), new HostConnection(server.accept())
            };
        }
    }

    /**
     * Sends what remains in one buffer and receives as much as there is room in the other, both at
     * once.
     */
    void exchange(final ByteBuffer out, final ByteBuffer in) throws IOException {
        while (out.hasRemaining() || in.hasRemaining()) {
            int moved = 0;
            if (out.hasRemaining()) {
                moved += channel.write(out);
            }
            if (in.hasRemaining()) {
                final int read = channel.read(in);
                if (read < 0) {
                    throw new EOFException("the other host has gone");
                }
                moved += read;
            }
            if (moved == 0) {
                await(
                        (out.hasRemaining() ? SelectionKey.OP_WRITE : 0)
                                | (in.hasRemaining() ? SelectionKey.OP_READ : 0));
            }
        }
    }

    /** Sends what it can now, or waits 100 ms at most; returns bytes. */
    int send(final ByteBuffer out) throws IOException {
        final int sent = channel.write(out);
        if (sent == 0) {
            await(SelectionKey.OP_WRITE);
        }
        return sent;
    }

    /** Receives what has come, or waits 100 ms at most; returns bytes, negative at the end. */
    int receive(final ByteBuffer in) throws IOException {
        final int read = channel.read(in);
        if (read == 0) {
            await(SelectionKey.OP_READ);
        }
        return read;
    }

    private void await(final int operations) throws IOException {
        key.interestOps(operations);
        selector.select(100);
        selector.selectedKeys().clear();
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
