package io.hxb.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random pieces in random order of calls, against what a stream has to be: the same bytes. */
@Tag("property")
class StreamPropertyTest {
    private static final int STREAMS = 6;
    private static final int STEPS = 3_000;
    private static final int MAX_PIECE = 30_000;

    @Test
    void shouldDeliverWhatWasWrittenHoweverItIsCut() throws Exception {
        final long seed = System.nanoTime();
        System.out.println("streams from seed " + seed);
        final Random random = new Random(seed);
        try (StreamNodes nodes = new StreamNodes()) {
            // given
            final HxbStreams left =
                    nodes.streams(
                            0, StreamNodes.OPTIONS.withWindowBytes(1024 << random.nextInt(9)));
            final HxbStreams right =
                    nodes.streams(1, StreamNodes.OPTIONS.withSendBuffers(16 + random.nextInt(500)));
            final HxbServerSocketChannel server = right.listen(0);
            final List<Direction> directions = new ArrayList<>();
            for (int i = 0; i < STREAMS; i++) {
                final HxbSocketChannel client =
                        left.connect(server.localAddress(), StreamNodes.LIMIT);
                final HxbSocketChannel accepted = server.accept();
                client.configureBlocking(false);
                accepted.configureBlocking(false);
                directions.add(new Direction(client, accepted, random.nextLong()));
                directions.add(new Direction(accepted, client, random.nextLong()));
            }
            // when
            for (int step = 0; step < STEPS; step++) {
                final Direction direction = directions.get(random.nextInt(directions.size()));
                if (random.nextInt(3) > 0) {
                    direction.write(random);
                } else {
                    direction.read(random);
                }
            }
            // then
            for (final Direction direction : directions) {
                direction.finish(random);
            }
        }
    }

    /** One direction of a stream; both ends know the bytes by their position. */
    private static final class Direction {
        private final HxbSocketChannel from;
        private final HxbSocketChannel to;
        private final long key;
        private long written;
        private long read;

        Direction(final HxbSocketChannel from, final HxbSocketChannel to, final long key) {
            this.from = from;
            this.to = to;
            this.key = key;
        }

        private byte at(final long position) {
            final long mixed = (position / 8 + key) * 0x9E3779B97F4A7C15L;
            return (byte) (mixed >>> (position % 8 * 8));
        }

        private static ByteBuffer buffer(final Random random, final int size) {
            return random.nextBoolean()
                    ? ByteBuffer.allocateDirect(size)
                    : ByteBuffer.allocate(size + 3).position(3).slice();
        }

        void write(final Random random) throws Exception {
            final ByteBuffer piece =
                    buffer(random, 1 + random.nextInt(1 + random.nextInt(MAX_PIECE)));
            for (int i = 0; i < piece.limit(); i++) {
                piece.put(i, at(written + i));
            }
            final int count = from.write(piece);
            assertEquals(piece.position(), count);
            written += count;
        }

        int read(final Random random) throws Exception {
            final ByteBuffer piece =
                    buffer(random, 1 + random.nextInt(1 + random.nextInt(MAX_PIECE)));
            final int count = to.read(piece);
            for (int i = 0; i < count; i++) {
                assertEquals(at(read + i), piece.get(i), "byte " + (read + i));
            }
            read += Math.max(count, 0);
            assertTrue(read <= written, "read " + read + " of " + written);
            return count;
        }

        void finish(final Random random) throws Exception {
            from.shutdownOutput();
            to.configureBlocking(true);
            int count = 0;
            while (count >= 0) {
                count = read(random);
            }
            assertEquals(written, read);
        }
    }
}
