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
 * A thread that spins for ever as long as its CPU is its own, on a clock and a CPU of the test's.
 */
@Tag("unit")
class CpuSharingTest {
    private static final long TURN_NS = 1_000;
    private static final long SLICE_NS = 4_000_000;
    private static final long SHARED_LIMIT_NS = 20_000;
    private static final long SECOND_NS = 1_000_000_000;

    private final Cpu cpu = new Cpu();
    private final IdlePolicy spin = new IdlePolicy(Long.MAX_VALUE, SHARED_LIMIT_NS, cpu);
    private final CpuSharing own = spin.cpu();
    private long nowNs = -30_000_000;

    /** One that another thread may wait for, which takes a slice whenever this one yields. */
    private final class Cpu implements CpuSharing.RunQueue {
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
        while (nowNs - startNs < waitNs && spin.isSpinning(nowNs)) {
            nowNs += TURN_NS;
        }
        final long spunNs = nowNs - startNs;
        nowNs = Math.max(nowNs, startNs + waitNs);
        spin.onWork();
        return spunNs;
    }

    /** Waits in vain for as long as it gives way; nobody else wants the CPU when it returns. */
    private void pause() {
        final long othersNs = cpu.othersNs;
        cpu.othersNs = 0;
        while (own.hasGivenWay()) {
            nowNs += TURN_NS;
            spin.isSpinning(nowNs);
        }
        spin.onWork();
        cpu.othersNs = othersNs;
    }

    @Test
    void shouldNotSleepAsLongAsNobodyWaitsForTheCpu() {
        // when, then
        assertEquals(SECOND_NS, spunNs(SECOND_NS));
        assertEquals(0, own.yields());
        assertFalse(own.isCrowded());
    }

    @Test
    void shouldNotGiveWayToThreadsThatWaitLikewise() {
        // given
        cpu.othersNs = 20_000;
        // when, then
        final long spunNs = spunNs(SECOND_NS);
        assertTrue(spunNs >= SECOND_NS, "spun " + spunNs);
        assertTrue(cpu.yields > 40_000, "yields: " + cpu.yields);
        assertEquals(0, own.yields());
    }

    @Test
    void shouldGiveWayAfterOneSliceOfAThreadThatComputes() {
        // given
        cpu.othersNs = SLICE_NS;
        // when
        final long spunNs = spunNs(SECOND_NS);
        // then
        assertEquals(IdleParameters.UNYIELDING_SPIN_NS + SLICE_NS, spunNs);
        assertEquals(1, cpu.yields);
        assertEquals(1, own.yields());
    }

    @Test
    void shouldWaitAsThreadsThatShareACpuWhileItGivesWay() {
        // given
        cpu.othersNs = SLICE_NS;
        giveWay(8);
        cpu.othersNs = 0;
        // when, then: the spin in vain took a slice, and it rests for as long
        assertTrue(own.hasGivenWay());
        assertEquals(0, spunNs(100_000));
        nowNs += SLICE_NS;
        assertEquals(SHARED_LIMIT_NS, spunNs(100_000));
        assertTrue(own.hasGivenWay());
    }

    /**
     * Waits until it has given way for the next {@code count} times, without a pause in between.
     */
    private void giveWay(final int count) {
        for (int i = 0; i < count; i++) {
            pause();
            spunNs(IdleParameters.UNYIELDING_SPIN_NS + TURN_NS);
        }
    }

    @Test
    void shouldSpinAgainWhenTheCpuIsItsOwn() {
        // given
        cpu.othersNs = SLICE_NS;
        giveWay(1);
        // when
        cpu.othersNs = 0;
        pause();
        // then
        assertEquals(SECOND_NS, spunNs(SECOND_NS));
        assertEquals(1, own.yields());
    }

    @Test
    void shouldSpinAgainInAWaitThatHasSlept() {
        // given
        cpu.othersNs = SLICE_NS;
        while (spin.isSpinning(nowNs)) {
            nowNs += TURN_NS;
        }
        cpu.othersNs = 0;
        // when
        nowNs += IdleParameters.MIN_GIVE_WAY_NS - 1;
        final boolean isSpinningEarly = spin.isSpinning(nowNs);
        nowNs += 1;
        final boolean isSpinning = spin.isSpinning(nowNs);
        // then
        assertFalse(isSpinningEarly);
        assertTrue(isSpinning);
        assertEquals(SECOND_NS, spunNs(SECOND_NS));
    }

    @Test
    void shouldGiveWayForTwiceAsLongEachTime() {
        // given
        cpu.othersNs = SLICE_NS;
        // when, then
        for (long ns = IdleParameters.MIN_GIVE_WAY_NS;
                ns < 8 * IdleParameters.MAX_GIVE_WAY_NS;
                ns *= 2) {
            giveWay(1);
            final long startNs = nowNs;
            final boolean isCrowded = own.isCrowded();
            pause();
            final long leftNs = nowNs - startNs;
            final long pauseNs = Math.min(ns, IdleParameters.MAX_GIVE_WAY_NS);
            assertTrue(leftNs <= pauseNs && leftNs >= pauseNs - 2 * TURN_NS, "pause of " + leftNs);
            assertEquals(
                    pauseNs >= IdleParameters.MAX_GIVE_WAY_NS / 8, isCrowded, "pause of " + leftNs);
        }
    }

    @Test
    void shouldTakeADisturbanceForOne() {
        // given: others wanted its CPU for some time
        cpu.othersNs = SLICE_NS;
        giveWay(20);
        assertTrue(own.isCrowded());
        cpu.othersNs = 0;
        pause();
        assertEquals(5 * SECOND_NS, spunNs(5 * SECOND_NS));
        // when
        cpu.othersNs = SLICE_NS;
        giveWay(1);
        // then
        assertFalse(own.isCrowded());
        cpu.othersNs = 0;
        nowNs += IdleParameters.MIN_GIVE_WAY_NS;
        assertEquals(SECOND_NS, spunNs(SECOND_NS));
    }

    @Test
    void shouldNotAllocate() {
        // given
        final var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        final IdlePolicy real = new IdlePolicy(Long.MAX_VALUE, SHARED_LIMIT_NS);
        look(real);
        // when
        final long before = threads.getCurrentThreadAllocatedBytes();
        final long nothing = threads.getCurrentThreadAllocatedBytes() - before;
        final long start = threads.getCurrentThreadAllocatedBytes();
        look(real);
        final long bytes = threads.getCurrentThreadAllocatedBytes() - start;
        // then
        assertEquals(0, bytes - nothing);
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
    void shouldNoticeThatAnotherThreadRunsOnTheSameCpu() throws Exception {
        // given: a thread that computes
        final AtomicBoolean isDone = new AtomicBoolean();
        final Thread other =
                onCpu0(
                        () -> {
                            while (!isDone.get()) {
                                Thread.onSpinWait();
                            }
                        });
        final CpuSharing real = new CpuSharing(new LinuxRunQueue());
        // when
        final Thread thread =
                onCpu0(
                        () -> {
                            while (!real.isShared() || real.letOthersRun()) {
                                real.letOthersRun();
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
