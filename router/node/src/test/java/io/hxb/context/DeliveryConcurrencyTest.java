package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.SharedMemory;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.DeliveryRing;
import io.hxb.testing.Together;

import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Several loops deliver into one context while it is released and closed. Allowed: every claimed
 * position is claimed once and published before the ring counts as quiet; never more than its
 * capacity is out; a loop that found no room is noticed by a later release.
 */
@Tag("concurrency")
class DeliveryConcurrencyTest {
    private static final int INTERLEAVINGS = Integer.getInteger("hxb.test.interleavings", 100);

    @Test
    void shouldNoticeALoopThatFoundNoRoomAndStayShutWhenClosed() {
        // given
        final DeliveryCounts counts = new DeliveryCounts(2);
        assertEquals(0, counts.claim(2));
        // when
        assertEquals(DeliveryCounts.FULL, counts.claim(1));
        counts.published(2);
        counts.released(2, 1);
        // then
        assertTrue(counts.takeStalled());
        assertFalse(counts.takeStalled());
        assertEquals(2, counts.claim(1));
        counts.close();
        assertFalse(counts.isQuiet());
        counts.published(1);
        assertTrue(counts.isQuiet());
        assertEquals(DeliveryCounts.FULL, counts.claim(1));
    }

    @Test
    void shouldClaimEachPositionOnceAndBeQuietOnlyWhenAllIsPublished() {
        Lincheck.runConcurrentTest(
                INTERLEAVINGS,
                () -> {
                    final DeliveryCounts counts = new DeliveryCounts(4);
                    final AtomicInteger claimed = new AtomicInteger();
                    final AtomicInteger published = new AtomicInteger();
                    final Runnable deliver =
                            () -> {
                                final long first = counts.claim(2);
                                if (first == DeliveryCounts.FULL) {
                                    return;
                                }
                                claimed.addAndGet(3 << first);
                                published.addAndGet(2);
                                counts.published(2);
                            };
                    Together.run(
                            deliver,
                            deliver,
                            () -> {
                                counts.close();
                                if (counts.isQuiet() && published.get() != counts.delivered()) {
                                    throw new AssertionError("quiet while a loop still writes");
                                }
                            });
                    final int positions = Integer.bitCount(claimed.get());
                    if (!counts.isQuiet()
                            || positions != counts.delivered()
                            || counts.claim(1) != DeliveryCounts.FULL) {
                        throw new AssertionError(
                                positions + " positions, delivered " + counts.delivered());
                    }
                });
    }

    @Test
    void shouldNeverMissThatALoopFoundNoRoom() {
        Lincheck.runConcurrentTest(
                INTERLEAVINGS,
                () -> {
                    final DeliveryCounts counts = new DeliveryCounts(1);
                    counts.claim(1);
                    counts.published(1);
                    final AtomicBoolean isRefused = new AtomicBoolean();
                    final AtomicBoolean isNoticed = new AtomicBoolean();
                    Together.run(
                            () -> isRefused.set(counts.claim(1) == DeliveryCounts.FULL),
                            () -> {
                                counts.released(1, 1);
                                isNoticed.set(counts.takeStalled());
                            });
                    // A refused loop is noticed by the release, or would be by the next check.
                    if (isRefused.get() && !isNoticed.get()) {
                        throw new AssertionError("a loop waits that nobody knows of");
                    }
                });
    }

    @Test
    void shouldCarryAllMessagesOfSeveralLoopsInTheOrderOfEach() throws Exception {
        final int perLoop = 100_000;
        final int capacity = 64;
        try (SharedMemory memory =
                SharedMemory.create("test", ControlMemory.lengthBytes(16, capacity))) {
            final ControlMemory control = new ControlMemory(memory.address(), 16, capacity);
            final DeliveryCounts counts = new DeliveryCounts(capacity);
            final AtomicLong wrong = new AtomicLong();
            final AtomicInteger frames = new AtomicInteger();
            Together.run(
                    () -> frames.addAndGet(produce(control.deliveryRing(), counts, 1, perLoop)),
                    () -> frames.addAndGet(produce(control.deliveryRing(), counts, 2, perLoop)),
                    () -> wrong.set(consume(control.deliveryRing(), counts, 2 * perLoop)));
            assertEquals(0, wrong.get());
            assertEquals(2L * perLoop, counts.delivered());
            assertEquals(frames.get(), counts.framesHeld());
            counts.released(0, frames.get());
            assertEquals(0, counts.framesHeld());
            assertFalse(counts.claim(capacity) == DeliveryCounts.FULL);
        }
    }

    // Returns the number of frames; only the consumer, as the owner, may release.
    private static int produce(
            final DeliveryRing ring, final DeliveryCounts counts, final int source, final int all) {
        int sent = 0;
        int frames = 0;
        while (sent < all) {
            final int messages = Math.min(1 + sent % 3, all - sent);
            final long first = counts.claim(messages);
            if (first == DeliveryCounts.FULL) {
                LockSupport.parkNanos(1_000);
                continue;
            }
            for (int i = 0; i < messages; i++) {
                ring.write(first + i, 0, 0, sent + i, ~(sent + i), source, 0);
            }
            for (int i = 0; i < messages; i++) {
                ring.publish(first + i);
            }
            counts.published(messages);
            frames++;
            sent += messages;
        }
        return frames;
    }

    private static long consume(
            final DeliveryRing ring, final DeliveryCounts counts, final int all) {
        final int[] next = new int[3];
        long wrong = 0;
        for (long position = 0; position < all; position++) {
            while (!ring.isReady(position)) {
                LockSupport.parkNanos(1_000);
            }
            final long entry = ring.entry(position);
            final int source = DeliveryRing.sourceNode(entry);
            final int value = DeliveryRing.lengthBytes(entry);
            if (value != next[source]++ || DeliveryRing.tag(entry) != ~value) {
                wrong++;
            }
            counts.released(1, 0);
        }
        return wrong;
    }
}
