package io.hxb.tool.demo;

import io.hxb.os.NetworkNamespace;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * One TCP connection that sends as fast as it can, between two network namespaces of this machine.
 * Owned by the thread that measures; one thread each sends and receives.
 */
final class TcpStream implements AutoCloseable {
    private static final int CONNECT_MS = 10_000;
    private static final int BLOCK_BYTES = 256 << 10;
    private static final long JOIN_MS = 10_000;

    private final SocketChannel sender;
    private final SocketChannel receiver;
    private final AtomicLong receivedBytes = new AtomicLong();
    private final Thread sending;
    private final Thread receiving;

    /**
     * Connects, and begins to send.
     *
     * @param from namespace of the sender.
     * @param to namespace of the receiver.
     * @param address of the receiver.
     * @throws ToolException if it cannot connect.
     */
    TcpStream(final String from, final String to, final String address) {
        try (ServerSocketChannel server = NetworkNamespace.run(to, ServerSocketChannel::open)) {
            server.bind(new InetSocketAddress(InetAddress.ofLiteral(address), 0));
            sender = NetworkNamespace.run(from, SocketChannel::open);
            try {
                sender.socket().connect(server.getLocalAddress(), CONNECT_MS);
                receiver = server.accept();
            } catch (final IOException e) {
                sender.close();
                throw e;
            }
        } catch (final IOException e) {
            throw new ToolException("no TCP connection to " + address + ": " + e.getMessage(), e);
        }
        sending = Thread.ofPlatform().daemon().name("tcp-send").start(this::send);
        receiving = Thread.ofPlatform().daemon().name("tcp-receive").start(this::receive);
    }

    /**
     * Measures what arrives.
     *
     * @param warmUpNs is not counted.
     * @return MB a second during {@code sendNs} after it.
     * @throws ToolException if nothing arrived.
     */
    double megabytesPerSecond(final long warmUpNs, final long sendNs) {
        final long startNs = pause(warmUpNs);
        final long before = receivedBytes.get();
        final long endNs = pause(sendNs);
        final long bytes = receivedBytes.get() - before;
        if (bytes == 0) {
            throw new ToolException("a TCP connection carried nothing in " + sendNs / 1e9 + " s");
        }
        return bytes * 1e3 / (endNs - startNs);
    }

    private static long pause(final long ns) {
        final long untilNs = System.nanoTime() + ns;
        long nowNs = System.nanoTime();
        while (untilNs - nowNs > 0) {
            LockSupport.parkNanos(untilNs - nowNs);
            nowNs = System.nanoTime();
        }
        return nowNs;
    }

    // Both end when their channels are closed; a connection that breaks before carries nothing.
    private void send() {
        final ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
        try {
            while (sender.write(block.clear()) >= 0) {
                // Sends on until it is closed.
            }
        } catch (final IOException e) {
            return;
        }
    }

    private void receive() {
        final ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
        try {
            int count = receiver.read(block);
            while (count >= 0) {
                receivedBytes.getAndAdd(count);
                count = receiver.read(block.clear());
            }
        } catch (final IOException e) {
            return;
        }
    }

    private void closeBoth() throws IOException {
        try {
            sender.close();
        } finally {
            receiver.close();
        }
    }

    @Override
    public void close() {
        try {
            closeBoth();
        } catch (final IOException e) {
            throw new ToolException("cannot close a TCP connection: " + e.getMessage(), e);
        }
        try {
            sending.join(JOIN_MS);
            receiving.join(JOIN_MS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
