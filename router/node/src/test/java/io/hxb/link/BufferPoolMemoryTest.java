package io.hxb.link;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.linux.Memory;
import io.hxb.linux.SharedMemory;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** How much memory a pool of buffers for the longest frames takes. */
@Tag("unit")
class BufferPoolMemoryTest {
    private static final int MAX_OUT = 64;
    private static final int PAGE_BYTES = 4_096;

    @Test
    void shouldTakeMemoryForFramesAsLongAsTheyAre() throws Exception {
        // given
        final ClusterConfig config =
                ClusterConfig.of("test", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, 20_000));
        final int buffers = config.pool().bufferCount();
        final long bytes = (long) buffers * config.bufferBytes();
        try (SharedMemory memory = SharedMemory.create("hxb-pool-test", bytes)) {
            final BufferPool pool = new BufferPool(memory.address(), buffers, config.bufferBytes());
            final BufferPool.Share share = pool.newShare();
            // when
            receive(pool, share, 1_500);
            final long shortBytes = residentBytes(memory);
            receive(pool, share, config.maxFrameBytes());
            final long longBytes = residentBytes(memory);
            // then
            assertTrue(shortBytes <= 2L * MAX_OUT * 2 * PAGE_BYTES, "short: " + shortBytes);
            assertTrue(shortBytes > 0 && longBytes > shortBytes, "long: " + longBytes);
            assertTrue(
                    longBytes <= 2L * MAX_OUT * (config.bufferBytes() + 2 * PAGE_BYTES),
                    "long: " + longBytes);
        }
    }

    // Frames that wait a little, as many as a turn of a loop takes.
    private static void receive(
            final BufferPool pool, final BufferPool.Share share, final int lengthBytes) {
        final Random random = new Random(1);
        final int[] out = new int[MAX_OUT];
        for (int turn = 0; turn < 1_000; turn++) {
            final int count = 1 + random.nextInt(MAX_OUT);
            for (int i = 0; i < count; i++) {
                out[i] = share.acquire();
                Memory.putByte(pool.headerAddress(out[i]), 1);
                for (int offset = PAGE_BYTES; offset < lengthBytes; offset += PAGE_BYTES) {
                    Memory.putByte(pool.headerAddress(out[i]) + offset, 1);
                }
                Memory.putByte(pool.headerAddress(out[i]) + lengthBytes - 1, 1);
            }
            for (int i = 0; i < count; i++) {
                share.release(out[i]);
            }
        }
    }

    // Source: proc_pid_smaps(5).
    private static long residentBytes(final SharedMemory memory) throws IOException {
        final String range = Long.toHexString(memory.address()) + "-";
        long bytes = 0;
        boolean isThere = false;
        for (final String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                isThere = line.startsWith(range);
            } else if (isThere && line.startsWith("Rss:")) {
                bytes += Long.parseLong(line.replaceAll("\\D", "")) * 1_024;
            }
        }
        return bytes;
    }
}
