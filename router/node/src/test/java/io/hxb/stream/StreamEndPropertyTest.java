package io.hxb.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.LoopConfig;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.pm.stream.StreamOptions;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;

/**
 * Both ends of a stream write, read, end their output and close in any order, over links that lose
 * frames, all on one thread: nobody sees an end before the last byte, nobody is notified of a
 * delivery that was none, ends in order never fail, and nothing stays open.
 */
@Tag("property")
class StreamEndPropertyTest {
    private static final int CASES = 120;
    private static final int MAX_STEPS = 60;
    private static final int MAX_PIECE = 3_000;
    private static final double LOSS = 0.05;

    private Random random;
    private StreamNodes nodes;
    private HxbServerSocketChannel idle;
    private HxbServerSocketChannel server;
    private HxbSocketChannel accepted;
    private String story;
    private int orderly;
    private int failed;

    @Test
    void shouldEndInOrderOrWithAnException() throws Exception {
        // given
        final long seed = Long.getLong("hxb.test.seed", System.nanoTime());
        System.out.println("ends of streams from seed " + seed);
        random = new Random(seed);
        final Random losses = new Random(seed);
        try (StreamNodes lossy =
                new StreamNodes(
                        NodeThreads.invoker(LoopConfig.DEFAULT),
                        link -> LossyLink.of(link, losses, LOSS))) {
            nodes = lossy;
            final HxbStreams left = nodes.streams(0, options());
            final HxbStreams right = nodes.streams(1, options());
            idle = left.listen(0).configureBlocking(false);
            server = right.listen(0).configureBlocking(false);
            // when, then
            for (int i = 0; i < CASES; i++) {
                story = "seed " + seed + " case " + i + ":";
                play(left);
            }
            await("streams that are over", () -> left.streamCount() + right.streamCount() == 0);
        }
        assertTrue(orderly > CASES / 10, "ended in order: " + orderly);
        assertTrue(failed > CASES / 10, "failed: " + failed);
    }

    private StreamOptions options() {
        return StreamNodes.OPTIONS
                .withWindowBytes(1024 << random.nextInt(4))
                .withSendBuffers(16 + random.nextInt(100));
    }

    /** Lets the nodes and both ends' streams do what there is to do. */
    private void turn() throws IOException {
        nodes.run();
        assertNull(idle.accept());
        final HxbSocketChannel next = server.accept();
        accepted = next == null ? accepted : next;
    }

    private void play(final HxbStreams streams) throws Exception {
        accepted = null;
        final HxbSocketChannel client = HxbSocketChannel.open(streams).configureBlocking(false);
        client.connect(server.localAddress());
        await("the connection", () -> client.finishConnect() && accepted != null);
        accepted.configureBlocking(false);
        final End one = new End("client", client);
        final End other = new End("server", accepted);
        one.peer = other;
        other.peer = one;
        final int steps = random.nextInt(MAX_STEPS);
        for (int step = 0; step < steps; step++) {
            (random.nextBoolean() ? one : other).step();
        }
        finish(one, other);
        one.check();
        other.check();
        final boolean isOrderly = !one.isHasty && !other.isHasty;
        orderly += isOrderly ? 1 : 0;
        failed += one.failure != null || other.failure != null ? 1 : 0;
    }

    private void finish(final End one, final End other) throws Exception {
        await(
                "both ends",
                () -> {
                    final End end = random.nextBoolean() ? one : other;
                    end.finishStep();
                    return one.isOver && other.isOver;
                });
    }

    private void await(final String what, final java.util.concurrent.Callable<Boolean> condition)
            throws Exception {
        final long startNs = System.nanoTime();
        while (!condition.call()) {
            turn();
            assertTrue(
                    System.nanoTime() - startNs < StreamNodes.LIMIT,
                    () -> story + " waited in vain for " + what);
        }
    }

    /** One end of a stream, and its notifications. */
    private final class End {
        private final String name;
        private final HxbSocketChannel channel;
        private final long key = random.nextLong();
        private End peer;
        private long written;
        private long read;
        private boolean isShut;
        private boolean isEndSeen;
        private boolean isDelivered;
        private IOException failure;

        /** It has closed before it knew that all was over in order. */
        private boolean isHasty;

        private boolean isOver;

        End(final String name, final HxbSocketChannel channel) {
            this.name = name;
            this.channel = channel;
        }

        private void step() throws IOException {
            if (isOver) {
                return;
            }
            final int choice = random.nextInt(100);
            try {
                if (choice < 40) {
                    write();
                } else if (choice < 75) {
                    read();
                } else if (choice < 90) {
                    turn();
                } else if (choice < 95) {
                    shutdownOutput();
                } else {
                    close(random.nextInt(5) == 0);
                }
            } catch (final IOException e) {
                fail(e);
            }
        }

        /** Goes on to the end: writes no more, reads all, and closes when it knows. */
        private void finishStep() throws IOException {
            if (isOver) {
                return;
            }
            try {
                if (random.nextInt(10) == 0) {
                    shutdownOutput();
                }
                read();
                if (channel.isDelivered()) {
                    onDelivered();
                } else if (isEndSeen && isShut && !channel.isConnected()) {
                    channel.awaitDelivery(1);
                }
                if (isEndSeen && isDelivered) {
                    close(false);
                }
            } catch (final IOException e) {
                fail(e);
            }
        }

        private void write() throws IOException {
            if (isShut) {
                return;
            }
            final ByteBuffer piece = ByteBuffer.allocate(1 + random.nextInt(MAX_PIECE));
            for (int i = 0; i < piece.limit(); i++) {
                piece.put(i, at(written + i));
            }
            written += channel.write(piece);
        }

        private byte at(final long position) {
            return (byte) (((position + key) * 0x9E3779B97F4A7C15L) >>> 56);
        }

        private void read() throws IOException {
            final ByteBuffer piece = ByteBuffer.allocate(1 + random.nextInt(MAX_PIECE));
            final int count = channel.read(piece);
            for (int i = 0; i < count; i++) {
                assertEquals(peer.at(read + i), piece.get(i), () -> story + " byte " + read);
            }
            read += Math.max(0, count);
            assertTrue(read <= peer.written, story);
            if (count < 0) {
                assertTrue(peer.isShut, () -> story + " the peer of " + name + " has not ended");
                assertEquals(peer.written, read, () -> story + " an end too early at " + name);
                isEndSeen = true;
            }
        }

        private void shutdownOutput() throws IOException {
            channel.shutdownOutput();
            story += isShut ? "" : " " + name + " ends after " + written;
            isShut = true;
        }

        private void onDelivered() {
            assertTrue(isShut, story);
            assertEquals(peer.read, written, () -> story + " delivered to the peer of " + name);
            isDelivered = true;
        }

        private void close(final boolean isReset) {
            story += " " + name + (isReset ? " resets" : " closes") + " after " + read;
            isHasty = isReset || !isEndSeen || !isDelivered;
            // What the peer reads as the end is whole if this was not a reset.
            isShut |= !isReset && channel.available() == 0;
            isOver = true;
            if (isReset) {
                channel.reset();
            } else {
                channel.close();
            }
        }

        private void fail(final IOException e) {
            story += " " + name + " fails: " + e.getMessage();
            failure = e;
            close(false);
        }

        private void check() {
            if (!isHasty && !peer.isHasty && failure == null) {
                assertTrue(isEndSeen && isDelivered, story);
            }
            if (!peer.isHasty && peer.failure == null) {
                assertTrue(failure == null || isHasty, () -> story + " " + failure);
            }
            if (isDelivered) {
                assertEquals(written, peer.read, story);
            }
            if (!isHasty && !peer.isHasty) {
                assertNull(failure, story);
            }
        }
    }
}
