package io.hxb.pm.idle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.LinuxException;
import io.hxb.linux.Threads;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A thread that spins without limit as long as its CPU is its own, on a clock and a CPU of the
 * test's.
 */
@Tag("unit")
class UnlimitedSpinTest {
    private static final long TURN_NS = 1_000;
    private static final long SLICE_NS = 4_000_000;
    private static final long SECOND_NS = 1_000_000_000;
    private static final long LIMIT_NS = 60 * SECOND_NS;

    private final Cpu cpu = new Cpu();
    private final IdlePolicy idle = new IdlePolicy(Long.MAX_VALUE, cpu);
    private long nowNs = -30_000_000;

    /** One that another thread may wait for, which takes a slice whenever this one yields. */
    private final class Cpu implements IdlePolicy.RunQueue {
        private long othersNs;
        private int yields;

        @Override
        public long yieldOnce() {
            yields++;
            nowNs += othersNs;
            return Math.max(300, othersNs);
        }
    }

    /** Time spun in a wait that ends {@code waitNs} after its start or with the spin, if later. */
    private long spunNs(final long waitNs) {
        final long startNs = nowNs;
        while (nowNs - startNs < waitNs && idle.isSpinning(nowNs)) {
            nowNs += TURN_NS;
        }
        final long spunNs = nowNs - startNs;
        nowNs = Math.max(nowNs, startNs + waitNs);
        idle.onWork();
        return spunNs;
    }

    /** Time for which a wait that has lost its CPU sleeps. */
    private long restNs() {
        final long startNs = nowNs;
        while (!idle.isSpinning(nowNs)) {
            nowNs += TURN_NS;
        }
        return nowNs - startNs;
    }

    @Test
    void shouldNotSleepAsLongAsNobodyWaitsForTheCpu() {
        // when, then
        assertEquals(SECOND_NS, spunNs(SECOND_NS));
        assertEquals(0, idle.losses());
        assertFalse(idle.isCrowded());
    }

    @Test
    void shouldNotSleepBesideThreadsThatWaitLikewise() {
        // given
        cpu.othersNs = 20_000;
        // when, then
        final long spunNs = spunNs(SECOND_NS);
        assertTrue(spunNs >= SECOND_NS, "spun " + spunNs);
        assertTrue(cpu.yields > 40_000, "yields: " + cpu.yields);
        assertEquals(0, idle.losses());
    }

    @Test
    void shouldSleepAfterOneSliceOfAThreadThatComputes() {
        // given
        cpu.othersNs = SLICE_NS;
        // when
        final long spunNs = spunNs(SECOND_NS);
        // then
        assertEquals(IdleParameters.UNYIELDING_SPIN_NS + SLICE_NS, spunNs);
        assertEquals(1, cpu.yields);
        assertEquals(1, idle.losses());
    }

    @Test
    void shouldSpinAgainInTheSameWaitAfterAsLongAsItHadLostItsCpu() {
        // given: it was alone for a second, and then a thread computed
        for (int i = 0; i < 1_000_000; i++) {
            assertTrue(idle.isSpinning(nowNs));
            nowNs += TURN_NS;
        }
        cpu.othersNs = SLICE_NS;
        assertFalse(idle.isSpinning(nowNs));
        cpu.othersNs = 0;
        // when
        final long restNs = restNs();
        // then
        assertEquals(SLICE_NS, restNs);
        assertEquals(SECOND_NS, spunNs(SECOND_NS));
        assertEquals(1, idle.losses());
    }

    @Test
    void shouldRestForTwiceAsLongEachTime() {
        // given
        cpu.othersNs = SLICE_NS;
        while (idle.isSpinning(nowNs)) {
            nowNs += TURN_NS;
        }
        for (long ns = SLICE_NS; ns < 200 * SLICE_NS; ns *= 2) {
            // when: it yields once it has rested, and loses its CPU again
            final long startNs = nowNs;
            final boolean isCrowded = idle.isCrowded();
            final long losses = idle.losses();
            while (idle.losses() == losses) {
                idle.isSpinning(nowNs);
                nowNs += TURN_NS;
            }
            // then
            final long restNs = Math.min(ns, IdleParameters.MAX_REST_SPINS * SLICE_NS);
            final long leftNs = nowNs - startNs - SLICE_NS;
            assertTrue(leftNs >= restNs - TURN_NS && leftNs <= restNs + TURN_NS, "" + leftNs);
            assertEquals(restNs >= IdleParameters.CROWDED_REST_NS, isCrowded, "" + leftNs);
        }
    }

    @Test
    void shouldTakeADisturbanceForOne() {
        // given: others wanted its CPU for some time
        cpu.othersNs = SLICE_NS;
        while (!idle.isCrowded()) {
            idle.isSpinning(nowNs);
            nowNs += TURN_NS;
        }
        // when
        cpu.othersNs = 0;
        restNs();
        for (int i = 0; i < 5; i++) {
            assertEquals(SECOND_NS, spunNs(SECOND_NS));
        }
        // then
        assertFalse(idle.isCrowded());
    }

    @Test
    void shouldNotAllocate() {
        // given
        final var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        final IdlePolicy real = new IdlePolicy(Long.MAX_VALUE);
        // when: the compiler needs some rounds
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        long bytes;
        do {
            final long before = threads.getCurrentThreadAllocatedBytes();
            look(real);
            bytes = threads.getCurrentThreadAllocatedBytes() - before;
        } while (bytes != 0 && System.nanoTime() - deadlineNs < 0);
        // then
        assertEquals(0, bytes);
    }

    /** Many waits, of which each looks, whatever this machine's CPUs are used for. */
    private static void look(final IdlePolicy real) {
        for (int i = 1; i < 20_000; i++) {
            real.isSpinning(i * SECOND_NS);
            real.isSpinning(i * SECOND_NS + 100_000);
            real.isSpinning(i * SECOND_NS + 200_000);
            real.onWork();
        }
    }

    @Test
    void shouldNoticeThatAnotherThreadComputesOnTheSameCpu() throws Exception {
        // given: a thread that computes
        final AtomicBoolean isDone = new AtomicBoolean();
        final Thread other =
                onCpu0(
                        () -> {
                            while (!isDone.get()) {
                                Thread.onSpinWait();
                            }
                        });
        final IdlePolicy real = new IdlePolicy(Long.MAX_VALUE);
        // when
        final Thread thread =
                onCpu0(
                        () -> {
                            while (real.losses() == 0) {
                                real.isSpinning(System.nanoTime());
                            }
                        });
        // then
        assertTrue(thread.join(Duration.ofSeconds(60)), "it never lost its CPU");
        isDone.set(true);
        other.join();
    }

    private static Thread onCpu0(final Runnable task) {
        return Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                Threads.pin(0);
                            } catch (final LinuxException e) {
                                throw new UncheckedIOException(e);
                            }
                            task.run();
                        });
    }
}
