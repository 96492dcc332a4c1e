package io.hxb.pm.idle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The choice between spinning and sleeping, on a clock of the test's. */
@Tag("unit")
class IdlePolicyTest {
    private static final long LIMIT_NS = 50_000;
    private static final long LONG_NS = 1_000_000;
    private static final long MAX_REST_NS = IdleParameters.MAX_REST_SPINS * LIMIT_NS;

    private final Cpu cpu = new Cpu();
    private final IdlePolicy spin = new IdlePolicy(LIMIT_NS, cpu);
    private long nowNs = -70_000;

    /** Time spun in a wait that ends {@code waitNs} after its start. */
    private long spunNs(final long waitNs) {
        final long startNs = nowNs;
        while (nowNs - startNs < waitNs && spin.isSpinning(nowNs)) {
            nowNs += 1_000;
        }
        final long spunNs = nowNs - startNs;
        nowNs = startNs + waitNs;
        spin.onWork();
        return spunNs;
    }

    @Test
    void shouldSpinAsLongAsSpinningFindsSomething() {
        for (int i = 0; i < 1_000; i++) {
            assertEquals(20_000, spunNs(20_000));
        }
    }

    @Test
    void shouldSleepAfterTheLimit() {
        assertEquals(LIMIT_NS, spunNs(LONG_NS));
    }

    @Test
    void shouldRestForTwiceAsLongAfterEachFailedSpin() {
        long restNs = LIMIT_NS;
        for (int i = 0; i < 12; i++) {
            final long startNs = nowNs;
            assertEquals(LIMIT_NS, spunNs(LIMIT_NS + 1));
            nowNs = startNs + LIMIT_NS + restNs - 1;
            assertEquals(0, spunNs(1), "spin " + i);
            restNs = Math.min(2 * restNs, MAX_REST_NS);
        }
        assertEquals(MAX_REST_NS, restNs);
    }

    @Test
    void shouldForgetFailedSpinsOneByOne() {
        // given
        giveUp();
        // when
        for (int found = 0; found < 7; found++) {
            assertEquals(10_000, spunNs(10_000));
        }
        // then
        assertEquals(LIMIT_NS, spunNs(LONG_NS));
        assertEquals(LIMIT_NS, spunNs(LONG_NS), "a short rest");
    }

    @Test
    void shouldNotBeginAnewAfterOneSpinThatFoundSomethingByChance() {
        // given
        giveUp();
        assertEquals(10_000, spunNs(10_000));
        // when
        assertEquals(LIMIT_NS, spunNs(LONG_NS));
        // then
        for (int i = 0; i < 4; i++) {
            assertEquals(0, spunNs(LONG_NS), "wait " + i);
        }
        nowNs += LONG_NS;
        assertEquals(LIMIT_NS, spunNs(LONG_NS));
    }

    /** Spins in vain until it rests for as long as ever, and lets that time pass. */
    private void giveUp() {
        for (int i = 0; i < 10; i++) {
            assertEquals(LIMIT_NS, spunNs(LONG_NS));
            nowNs += MAX_REST_NS;
        }
    }

    @Test
    void shouldTakeAWaitThatSleepsSeveralTimesForOne() {
        assertEquals(LIMIT_NS, spunNs(LIMIT_NS + 1));
        assertFalse(spin.isSpinning(nowNs));
        assertFalse(spin.isSpinning(nowNs + 2 * MAX_REST_NS), "a timer only");
        spin.onWork();
        assertTrue(spin.isSpinning(nowNs + 3 * MAX_REST_NS));
    }

    @Test
    void shouldNotCountWhatTheFirstLookFinds() {
        // given
        giveUp();
        // when
        for (int i = 0; i < 7; i++) {
            assertTrue(spin.isSpinning(nowNs));
            spin.onWork();
        }
        // then
        assertEquals(LIMIT_NS, spunNs(LONG_NS));
        assertEquals(0, spunNs(LONG_NS), "a rest as long as before");
    }

    @Test
    void shouldNeverSpinOrNeverSleepAtTheLimitsOfTheRange() {
        final IdlePolicy never = new IdlePolicy(0);
        final IdlePolicy forEver = new IdlePolicy(Long.MAX_VALUE, new Cpu());
        for (int i = 0; i < 10; i++) {
            assertFalse(never.isSpinning(i));
            never.onWork();
            assertTrue(forEver.isSpinning(i * LONG_NS));
            assertTrue(forEver.isSpinning(Long.MAX_VALUE / 2 + i));
            forEver.onWork();
        }
    }

    @Test
    void shouldYieldWhateverAnAnswerTakesLongerThan() {
        // when, then: once in each turn of a microsecond, after the first five
        assertEquals(5_000, spunNs(5_000));
        assertEquals(0, cpu.yields);
        assertEquals(15_000, spunNs(15_000));
        assertEquals(10, cpu.yields);
    }

    @Test
    void shouldYieldAtOnceWhereAnotherThreadRanTheLastTime() {
        // given
        cpu.othersNs = 3_000;
        spunNs(6_000);
        assertEquals(1, cpu.yields);
        // when, then
        assertEquals(3_000, spunNs(3_000));
        assertEquals(4, cpu.yields);
        cpu.othersNs = 0;
        assertEquals(3_000, spunNs(3_000));
        assertEquals(5, cpu.yields, "it is alone again");
    }

    @Test
    void shouldSleepWhereAThreadThatComputesTookTheCpu() {
        // given
        cpu.othersNs = LONG_NS;
        // when, then: in vain even if it found something meanwhile
        assertEquals(5_000, spunNs(6_000));
        assertEquals(0, spunNs(6_000));
        assertEquals(1, cpu.yields);
    }

    /** One that other threads may wait for, which run for some time whenever this one yields. */
    private static final class Cpu implements IdlePolicy.RunQueue {
        private long othersNs;
        private int yields;

        @Override
        public long yieldOnce() {
            yields++;
            return 300 + othersNs;
        }
    }
}
