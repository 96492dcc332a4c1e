package io.hxb.pm.idle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;

/**
 * A thread that spins for ever as long as its CPU is its own, on a clock and a CPU of the test's.
 */
@Tag("unit")
class OwnCpuTest {
    private static final long TURN_NS = 1_000;
    private static final long SLICE_NS = 4_000_000;
    private static final long SHARED_LIMIT_NS = 20_000;
    private static final long SECOND_NS = 1_000_000_000;

    private final Cpu cpu = new Cpu();
    private final OwnCpu own = new OwnCpu(cpu);
    private final AdaptiveSpin spin = new AdaptiveSpin(Long.MAX_VALUE, SHARED_LIMIT_NS, own);
    private long nowNs = -30_000_000;

    /** One that another thread may wait for, which takes a slice whenever this one yields. */
    private final class Cpu implements OwnCpu.RunQueue {
        private boolean isShared;
        private long switches = 7;
        private int yields;

        @Override
        public void yieldOnce() {
            yields++;
            if (isShared) {
                switches++;
                nowNs += SLICE_NS;
            }
        }

        @Override
        public long switches() {
            return switches;
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

    /** Waits in vain for as long as it gives way. */
    private void pause() {
        while (own.hasGivenWay()) {
            nowNs += TURN_NS;
            spin.isSpinning(nowNs);
        }
        spin.onWork();
    }

    @Test
    void shouldNotSleepAsLongAsNobodyWaitsForTheCpu() {
        // when, then
        assertEquals(SECOND_NS, spunNs(SECOND_NS));
        assertEquals(0, own.giveWays());
        assertFalse(own.isCrowded());
    }

    @Test
    void shouldAskNothingInShortWaits() {
        // given
        cpu.isShared = true;
        // when
        for (int i = 0; i < 1_000; i++) {
            assertEquals(40_000, spunNs(40_000));
        }
        // then
        assertEquals(0, cpu.yields);
    }

    @Test
    void shouldYieldNowAndThenInLongWaits() {
        // when
        spunNs(AdaptiveSpin.UNASKED_SPIN_NS + 20 * OwnCpu.LOOK_INTERVAL_NS);
        // then
        assertEquals(20, cpu.yields);
    }

    @Test
    void shouldGiveWayAfterOneSliceOfAnotherThread() {
        // given
        cpu.isShared = true;
        // when
        final long spunNs = spunNs(SECOND_NS);
        // then: the time it yielded the CPU, and one look at the clock more
        assertEquals(AdaptiveSpin.UNASKED_SPIN_NS + SLICE_NS + TURN_NS, spunNs);
        assertEquals(1, cpu.yields);
        assertEquals(1, own.giveWays());
    }

    @Test
    void shouldGiveWayInTheNextWaitWhenTheOtherThreadBroughtWhatItWaitedFor() {
        // given
        cpu.isShared = true;
        assertEquals(
                AdaptiveSpin.UNASKED_SPIN_NS + SLICE_NS + TURN_NS,
                spunNs(AdaptiveSpin.UNASKED_SPIN_NS + 2 * TURN_NS));
        assertEquals(0, own.giveWays());
        // when, then
        assertEquals(0, spunNs(40_000));
        assertEquals(1, own.giveWays());
    }

    @Test
    void shouldWaitAsThreadsThatShareACpuWhileItGivesWay() {
        // given
        cpu.isShared = true;
        giveWay(8);
        final int yields = cpu.yields;
        // when, then: a trial of 20 us after each two, four, ... waits that sleep at once
        assertTrue(own.hasGivenWay());
        assertEquals(0, spunNs(100_000));
        assertEquals(SHARED_LIMIT_NS, spunNs(100_000));
        assertEquals(0, spunNs(100_000));
        assertEquals(0, spunNs(100_000));
        assertEquals(SHARED_LIMIT_NS, spunNs(100_000));
        assertEquals(yields, cpu.yields);
    }

    /**
     * Waits until it has given way for the next {@code count} times, without a pause in between.
     */
    private void giveWay(final int count) {
        for (int i = 0; i < count; i++) {
            pause();
            spunNs(AdaptiveSpin.UNASKED_SPIN_NS + SLICE_NS + 2 * TURN_NS);
        }
    }

    @Test
    void shouldSpinAgainWhenTheCpuIsItsOwn() {
        // given
        cpu.isShared = true;
        giveWay(1);
        // when
        cpu.isShared = false;
        pause();
        // then
        assertEquals(SECOND_NS, spunNs(SECOND_NS));
        assertEquals(1, own.giveWays());
    }

    @Test
    void shouldSpinAgainInAWaitThatHasSlept() {
        // given
        cpu.isShared = true;
        while (spin.isSpinning(nowNs)) {
            nowNs += TURN_NS;
        }
        cpu.isShared = false;
        // when
        nowNs += OwnCpu.MIN_PAUSE_NS - 1;
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
        cpu.isShared = true;
        // when, then
        for (long ns = OwnCpu.MIN_PAUSE_NS; ns < 8 * OwnCpu.MAX_PAUSE_NS; ns *= 2) {
            giveWay(1);
            final long startNs = nowNs;
            final boolean isCrowded = own.isCrowded();
            pause();
            final long leftNs = nowNs - startNs;
            final long pauseNs = Math.min(ns, OwnCpu.MAX_PAUSE_NS);
            assertTrue(leftNs <= pauseNs && leftNs >= pauseNs - 2 * TURN_NS, "pause of " + leftNs);
            assertEquals(pauseNs >= OwnCpu.MAX_PAUSE_NS / 8, isCrowded, "pause of " + leftNs);
        }
    }

    @Test
    void shouldTakeADisturbanceForOne() {
        // given: others wanted its CPU for some time
        cpu.isShared = true;
        giveWay(20);
        assertTrue(own.isCrowded());
        cpu.isShared = false;
        pause();
        assertEquals(5 * SECOND_NS, spunNs(5 * SECOND_NS));
        // when
        cpu.isShared = true;
        giveWay(1);
        // then
        assertFalse(own.isCrowded());
        cpu.isShared = false;
        nowNs += OwnCpu.MIN_PAUSE_NS;
        assertEquals(SECOND_NS, spunNs(SECOND_NS));
    }

    @Test
    void shouldNotTakeTheSwitchesOfAnotherThreadForItsOwn() throws InterruptedException {
        // given
        spunNs(AdaptiveSpin.UNASKED_SPIN_NS + 2 * OwnCpu.LOOK_INTERVAL_NS);
        cpu.switches += 1_000;
        // when
        Thread.ofPlatform().start(() -> spunNs(1_000_000)).join();
        // then
        assertEquals(0, own.giveWays());
        assertTrue(cpu.yields > 10);
    }

    @Test
    void shouldNotAllocate() {
        // given
        final var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        final AdaptiveSpin real = new AdaptiveSpin(Long.MAX_VALUE, SHARED_LIMIT_NS);
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
    private static void look(final AdaptiveSpin real) {
        for (int i = 1; i < 20_000; i++) {
            real.isSpinning(i * SECOND_NS);
            real.isSpinning(i * SECOND_NS + 100_000);
            real.isSpinning(i * SECOND_NS + 200_000);
            real.onWork();
        }
    }
}
