package io.hxb.bench.message;

import io.hxb.pm.PmDevice;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.pm.stream.StreamOptions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Messages of one length over a blocking stream. Owned by one thread. */
final class StreamTransport implements Transport {
    private static final int PORT = 9;
    private static final long CONNECT_LIMIT_NS = 30_000_000_000L;

    private final HxbStreams streams;
    private final Runnable closing;
    private final ByteBuffer buffer;
    private final int peerNode;
    private final HxbServerSocketChannel server;
    private HxbSocketChannel channel;

    /**
     * Opens the streams and, as a server, listens.
     *
     * @param closing closes the device and what lies under it.
     * @param lengthBytes of each message.
     */
    StreamTransport(
            final PmDevice device,
            final Runnable closing,
            final boolean isServer,
            final int peerNode,
            final int lengthBytes,
            final boolean isSpinning)
            throws IOException {
        this.closing = closing;
        this.peerNode = peerNode;
        streams =
                HxbStreams.open(
                        device, StreamOptions.DEFAULT.withSpinNs(isSpinning ? Long.MAX_VALUE : 0));
        buffer = ByteBuffer.allocateDirect(lengthBytes).order(ByteOrder.nativeOrder());
        server = isServer ? streams.listen(PORT) : null;
    }

    private HxbSocketChannel channel() throws IOException {
        if (channel == null) {
            channel = server == null ? connect() : server.accept();
        }
        return channel;
    }

    // The other end may need a while to listen.
    private HxbSocketChannel connect() throws IOException {
        final long startNs = System.nanoTime();
        while (true) {
            try {
                return streams.connect(new HxbSocketAddress(peerNode, PORT), CONNECT_LIMIT_NS);
            } catch (final SocketException e) {
                if (System.nanoTime() - startNs > CONNECT_LIMIT_NS) {
                    throw e;
                }
            }
        }
    }

    @Override
    public boolean offer(final int sequence, final int lengthBytes) {
        try {
            buffer.clear().putInt(0, sequence);
            channel().write(buffer);
            return true;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public int receive(final Receiver receiver, final int limit) {
        try {
            buffer.clear();
            while (buffer.hasRemaining()) {
                if (channel().read(buffer) < 0) {
                    throw new IOException("the peer has ended");
                }
            }
            receiver.onMessage(buffer.getInt(0), buffer.limit());
            return 1;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void idle() {
        // Reading and writing wait by themselves.
    }

    @Override
    public int unfinished() {
        return 0;
    }

    @Override
    public void close() {
        streams.close();
        closing.run();
    }
}
