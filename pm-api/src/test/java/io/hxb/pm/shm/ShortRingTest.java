package io.hxb.pm.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

@Tag("unit")
class ShortRingTest {
    private static final int CAPACITY_BYTES = 1024;

    private final Arena arena = Arena.ofShared();
    private final long address =
            arena.allocate(ShortRing.DATA + CAPACITY_BYTES + 512L, 128).address();
    private final ShortRing application = new ShortRing(address, CAPACITY_BYTES);
    private final ShortRing node = new ShortRing(address, CAPACITY_BYTES);

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void shouldShowTheNodeWhatWasAppended() {
        // when
        Memory.putInt(application.payloadAddress(application.room(12)), 4711);
        application.append(0, 65_535, 12, -3);
        // then
        assertEquals(24, node.end());
        final long header = Memory.getLong(node.address(0));
        assertEquals(12, ShortRing.lengthBytes(header));
        assertEquals(65_535, ShortRing.slot(header));
        assertEquals(-3, ShortRing.tag(header));
        assertEquals(4711, Memory.getInt(node.payloadAddress(0)));
    }

    @Test
    void shouldHaveNoRoomForWhatTheNodeNeedsStill() {
        // given
        for (int i = 0; i < CAPACITY_BYTES / 64; i++) {
            application.append(application.room(56), i, 56, 0);
        }
        assertEquals(-1, application.room(0));
        // when
        node.take(64);
        // then
        assertEquals(CAPACITY_BYTES, application.room(56));
        assertEquals(-1, application.room(57));
    }

    @Test
    void shouldNotLetARecordGoOverTheEnd() {
        // given
        application.append(application.room(256), 1, 256, 0);
        application.append(application.room(256), 2, 256, 0);
        application.append(application.room(256), 3, 256, 0);
        node.take(3 * 264);
        // when
        final long begin = application.room(256);
        // then
        assertEquals(CAPACITY_BYTES, begin);
        assertEquals(node.address(0), application.address(begin));
    }

    @Test
    void shouldReportWhetherARecordFollowsInMemory() {
        assertFalse(application.isNext(application.room(8)), "the ring's start");
        application.append(application.room(8), 1, 8, 0);
        assertTrue(application.isNext(application.room(8)), "behind the first");
        for (int i = 0; i < 3; i++) {
            application.append(application.room(248), 1, 248, 0);
        }
        node.take(application.position());
        application.append(application.room(232), 1, 232, 0);
        assertEquals(CAPACITY_BYTES, application.position());
        assertFalse(application.isNext(application.room(8)), "the start again");
    }

    @Test
    void shouldSuitSlotsButStayBounded() {
        assertEquals(16 * 64, ShortRing.capacityBytes(16));
        assertEquals(1 << 20, ShortRing.capacityBytes(1 << 16));
    }

    @Test
    @Timeout(60)
    void shouldHandOverEveryByteBetweenThreads() {
        // given
        final long messages = 100_000;
        final CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(messages));
        final SplittableRandom lengths = new SplittableRandom(7);
        // when
        for (long number = 0; number < messages; ) {
            final long end = node.end();
            if (end == node.position()) {
                assertTrue(!writing.isCompletedExceptionally(), "the writer has failed");
                LockSupport.parkNanos(1_000);
                continue;
            }
            long at = node.position();
            while (at < end) {
                final int lengthBytes = lengths.nextInt(8, 100);
                final int left = CAPACITY_BYTES - ((int) at & (CAPACITY_BYTES - 1));
                at += ShortRing.recordBytes(lengthBytes) <= left ? 0 : left;
                // then
                final long header = Memory.getLong(node.address(at));
                assertEquals(lengthBytes, ShortRing.lengthBytes(header));
                assertEquals((int) number, ShortRing.tag(header));
                assertEquals(number, Memory.getLong(node.payloadAddress(at)));
                at += ShortRing.recordBytes(lengthBytes);
                number++;
            }
            node.take(at);
        }
        writing.join();
    }

    private void write(final long messages) {
        final SplittableRandom lengths = new SplittableRandom(7);
        for (long number = 0; number < messages; number++) {
            final int lengthBytes = lengths.nextInt(8, 100);
            long begin = application.room(lengthBytes);
            while (begin < 0) {
                LockSupport.parkNanos(1_000);
                begin = application.room(lengthBytes);
            }
            Memory.putLong(application.payloadAddress(begin), number);
            application.append(begin, 0, lengthBytes, (int) number);
        }
    }
}
