package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.zip.CRC32C;

/** The longest message there is by default, 1 GiB, in memory that does not grow with it. */
@Tag("system")
class HugeMessageTest {
    private static final long LENGTH = 1L << 30;
    private static final long STEP = 64L << 10;
    private static final int PIECE = 4_096;
    private static final long MAX_GROWTH_BYTES = 64L << 20;

    @TempDir private Path directory;

    @Test
    void shouldCarryAGigabyteInBoundedMemory() throws Exception {
        try (Arena arena = Arena.ofConfined();
                TestNode node = new TestNode();
                PmDevice device = node.invoked()) {
            // given a file that is a gigabyte long and has holes, so that it costs little to make
            final MemorySegment payload = map(arena);
            final Checksum received = new Checksum();
            final PmLargeMessages to =
                    new PmLargeMessages(
                            device.openContext(2), received, PmLargeMessages.Limits.DEFAULT);
            final PmLargeMessages from =
                    new PmLargeMessages(
                            device.openContext(1, PmContextOptions.DEFAULT.withSendBuffers(32)),
                            new Checksum(),
                            PmLargeMessages.Limits.DEFAULT);
            final long anonymousBytes = anonymousBytes();
            final long allocatedBytes = allocatedBytes();

            // when
            final long transfer = from.send(0, 2, payload, 7);
            int maxOutstanding = 0;
            while (!from.isSent(transfer) || received.ends == 0) {
                final int work = device.poll() + from.poll() + to.poll();
                assertTrue(work > 0, "stuck at " + received.nextOffset);
                maxOutstanding = Math.max(maxOutstanding, node.pool.outstanding());
            }

            while (device.poll() + from.poll() + to.poll() > 0) {
                assertEquals(1, received.ends);
            }

            // then
            assertEquals(PmStatus.OK, received.status);
            assertEquals(LENGTH, received.nextOffset);
            assertEquals(checksum(payload), received.crc.getValue());
            assertTrue(
                    maxOutstanding > 0 && maxOutstanding <= TestNode.QUOTA_FRAMES,
                    "frames held " + maxOutstanding);
            assertEquals(0, node.pool.outstanding());
            final long grownBytes = anonymousBytes() - anonymousBytes;
            assertTrue(grownBytes < MAX_GROWTH_BYTES, "memory grew by " + grownBytes);
            final long garbageBytes = allocatedBytes() - allocatedBytes;
            assertTrue(garbageBytes < MAX_GROWTH_BYTES, "allocated " + garbageBytes);
        }
    }

    private MemorySegment map(final Arena arena) throws IOException {
        final Path file = directory.resolve("gigabyte");
        final Random random = new Random(42);
        final byte[] piece = new byte[PIECE];
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            // Not a multiple of a fragment, so that pieces lie across the edges of fragments.
            for (long offset = 0; offset < LENGTH; offset += STEP) {
                random.nextBytes(piece);
                channel.write(ByteBuffer.wrap(piece), offset);
            }
            channel.write(ByteBuffer.wrap(new byte[] {1}), LENGTH - 1);
            return channel.map(MapMode.READ_ONLY, 0, LENGTH, arena);
        }
    }

    private static long checksum(final MemorySegment payload) {
        final CRC32C crc = new CRC32C();
        for (long offset = 0; offset < LENGTH; offset += LENGTH / 4) {
            crc.update(payload.asSlice(offset, LENGTH / 4).asByteBuffer());
        }
        return crc.getValue();
    }

    private static long anonymousBytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("RssAnon:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                .findFirst()
                .orElseThrow();
    }

    private static long allocatedBytes() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
                .getCurrentThreadAllocatedBytes();
    }

    /** Sums up what arrives in place and checks that it comes in order. */
    private static final class Checksum implements PmLargeHandler {
        private final CRC32C crc = new CRC32C();
        private long nextOffset;
        private int ends;
        private int status;

        @Override
        public MemorySegment onStart(
                final int sourceNode,
                final int sourceContext,
                final long lengthBytes,
                final int tag) {
            assertEquals(LENGTH, lengthBytes);
            return null;
        }

        @Override
        public void onFragment(
                final int sourceNode,
                final int sourceContext,
                final long offset,
                final long address,
                final int lengthBytes) {
            assertEquals(nextOffset, offset);
            crc.update(Memory.ALL.asSlice(address, lengthBytes).asByteBuffer());
            nextOffset += lengthBytes;
        }

        @Override
        public void onEnd(
                final int sourceNode,
                final int sourceContext,
                final long lengthBytes,
                final int tag,
                final MemorySegment target,
                final int newStatus) {
            status = newStatus;
            ends++;
        }

        @Override
        public void onSent(final long transfer, final int newStatus) {
            assertEquals(PmStatus.OK, newStatus);
        }
    }
}
