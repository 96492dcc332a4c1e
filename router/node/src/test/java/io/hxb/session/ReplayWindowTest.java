package io.hxb.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerArray;

@Tag("unit")
class ReplayWindowTest {
    @Test
    void shouldTakeWhatIsLateByLessThanTheWindowOnceAndNothingTwice() {
        for (int seed = 0; seed < 20; seed++) {
            // given
            final Random random = new Random(seed);
            final ReplayWindow window = new ReplayWindow();
            final Set<Long> taken = new HashSet<>();
            long newest = 0;
            for (int i = 0; i < 20_000; i++) {
                final long lateness = random.nextInt(random.nextBoolean() ? 8 : 3000);
                final long count = Math.max(1, newest + 1 + random.nextInt(4) - lateness);
                // when
                final boolean isTaken = window.take(count);
                // then
                final String message = "seed " + seed + " count " + count + " newest " + newest;
                if (taken.contains(count)) {
                    assertFalse(isTaken, message);
                } else if (count > newest - ReplayWindow.COUNTERS) {
                    assertTrue(isTaken, message);
                }
                if (isTaken) {
                    taken.add(count);
                    newest = Math.max(newest, count);
                }
            }
        }
    }

    @Test
    void shouldRefuseCountersThatNoSessionReaches() {
        final ReplayWindow window = new ReplayWindow();
        assertFalse(window.take(0));
        assertFalse(window.take((1L << 48) - 1));
        assertTrue(window.take(Sessions.RENEW_FRAMES + 5));
        assertFalse(window.take(Sessions.RENEW_FRAMES + 5));
    }

    @Test
    void shouldGiveEachCounterToOneOfManyThreads() throws InterruptedException {
        // given
        final ReplayWindow window = new ReplayWindow();
        final AtomicIntegerArray takers = new AtomicIntegerArray(100_001);
        final Thread[] threads = new Thread[3];
        // when
        for (int i = 0; i < threads.length; i++) {
            threads[i] =
                    new Thread(
                            () -> {
                                for (int count = 1; count <= 100_000; count++) {
                                    if (window.take(count)) {
                                        takers.incrementAndGet(count);
                                    }
                                }
                            });
            threads[i].start();
        }
        for (final Thread thread : threads) {
            thread.join();
        }
        // then
        int total = 0;
        for (int count = 1; count <= 100_000; count++) {
            assertTrue(takers.get(count) <= 1, "count " + count);
            total += takers.get(count);
        }
        assertEquals(100_000, total);
    }
}
