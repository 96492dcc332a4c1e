package io.hxb.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmDevice;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** A stream between two attached programs of one node, whose ring fills. */
@Tag("unit")
@Timeout(60)
class DirectStreamTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final HxbSocketAddress SERVER = new HxbSocketAddress(0, 7);
    private static final int BYTES = 32 << 20;
    private static final int PIECE_BYTES = 50_000;
    private static final int READS_BETWEEN_PAUSES = 40;

    @TempDir Path directory;

    private static byte at(final long position) {
        return (byte) (position * 31 + (position >> 10));
    }

    private static void write(final HxbSocketChannel channel) throws Exception {
        final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        long position = 0;
        while (position < BYTES) {
            piece.clear();
            while (piece.hasRemaining() && position + piece.position() < BYTES) {
                piece.put(at(position + piece.position()));
            }
            piece.flip();
            position += piece.remaining();
            while (piece.hasRemaining()) {
                channel.write(piece);
            }
        }
        channel.shutdownOutput();
    }

    private static long read(final HxbSocketChannel channel) throws Exception {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE_BYTES);
        long received = 0;
        for (int reads = 1; channel.read(buffer) >= 0; reads++) {
            buffer.flip();
            while (buffer.hasRemaining()) {
                assertEquals(at(received), buffer.get());
                received++;
            }
            buffer.clear();
            if (reads % READS_BETWEEN_PAUSES == 0) {
                LockSupport.parkNanos(2_000_000);
            }
        }
        return received;
    }

    @Test
    void shouldCarryAStreamWhoseReaderIsSlow() throws Exception {
        final ClusterConfig config =
                ClusterConfig.of(
                                "direct",
                                Shape.of(2),
                                Backend.UDP,
                                LinkPlan.udp(1, 2, TestPorts.take(4)))
                        .withAttach(new AttachConfig(directory, directory, List.of(), List.of()));
        final LoopConfig loop = new LoopConfig(1, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0);
        try (NodeThreads threads = NodeThreads.start(loop);
                Node node =
                        Node.start(new NodeOptions(config, 0, threads, true, false, link -> link));
                PmDevice left = PmDevice.attach(config.socketPath(0));
                PmDevice right = PmDevice.attach(config.socketPath(0));
                HxbStreams one = HxbStreams.open(left);
                HxbStreams two = HxbStreams.open(right);
                HxbServerSocketChannel listener = two.listen(SERVER.port())) {
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final Thread writer =
                    new Thread(
                            () -> {
                                try (HxbSocketChannel channel =
                                        one.connect(SERVER, 5 * SECOND_NS)) {
                                    write(channel);
                                } catch (final Throwable e) {
                                    failure.set(e);
                                }
                            });
            writer.start();
            // when
            try (HxbSocketChannel channel = listener.accept()) {
                // then
                assertEquals(BYTES, read(channel));
            }
            writer.join();
            assertNull(failure.get());
            assertEquals(0, node.nodeId());
        }
    }
}
