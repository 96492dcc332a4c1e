package io.hxb.node.ip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.SplittableRandom;

/** Packets that wait to be passed on. */
@Tag("unit")
class CopyQueueTest {
    private static final int CAPACITY = 1_024;
    private static final int MAX_BYTES = 400;

    private final Arena arena = Arena.ofConfined();
    private final CopyQueue queue = new CopyQueue(arena, CAPACITY);
    private final long packet = arena.allocate(CAPACITY, 8).address();

    private record Put(int origin, int lengthBytes) {}

    @AfterEach
    void close() {
        arena.close();
    }

    private boolean put(final int origin, final int lengthBytes) {
        for (int i = 0; i < lengthBytes; i++) {
            Memory.putByte(packet + i, origin + i);
        }
        return queue.put(origin, packet, lengthBytes);
    }

    private void take(final Put expected) {
        final long entry = queue.peek();
        assertEquals(expected.origin, CopyQueue.origin(entry));
        assertEquals(expected.lengthBytes, CopyQueue.lengthBytes(entry));
        for (int i = 0; i < expected.lengthBytes; i++) {
            assertEquals((byte) (expected.origin + i), Memory.getByte(CopyQueue.packet(entry) + i));
        }
        queue.remove();
    }

    @Test
    void shouldKeepPacketsOfAnyLengthInOrder() {
        final SplittableRandom random = new SplittableRandom(46);
        final ArrayDeque<Put> inside = new ArrayDeque<>();
        int refused = 0;
        for (int number = 0; number < 20_000; number++) {
            if (random.nextBoolean()) {
                final Put put = new Put(number, 1 + random.nextInt(MAX_BYTES));
                if (put(put.origin, put.lengthBytes)) {
                    inside.add(put);
                } else {
                    refused++;
                }
            } else if (!inside.isEmpty()) {
                take(inside.poll());
            }
            assertEquals(inside.isEmpty(), queue.isEmpty());
        }
        assertTrue(refused > 0, "was full");
    }

    @Test
    void shouldRefusePacketsWithoutRoomAndTakeThemLater() {
        // given
        assertTrue(put(1, 900));
        // when, then
        assertFalse(put(2, 200));
        take(new Put(1, 900));
        assertEquals(0, queue.peek());
        assertTrue(put(2, 200));
        take(new Put(2, 200));
        assertTrue(queue.isEmpty());
    }
}
