package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class BulkPauseTest {
    private static final long START_NS = 1_000_000_000L;
    private static final long SECOND_NS = 1_000_000_000L;

    private final BulkPause pause = new BulkPause();
    private long nowNs = START_NS;
    private long frames;
    private long lone;
    private long pausedNs;

    /**
     * A second of a loop that is idle whenever it has done what is there.
     *
     * @param framesPerSecond that arrive.
     * @param waitNs until it wakes when it does not pause.
     * @param maxFrames that arrive at most between two waits.
     */
    private void second(final long framesPerSecond, final long waitNs, final long maxFrames) {
        final long endNs = nowNs + SECOND_NS;
        pausedNs = 0;
        while (nowNs - endNs < 0) {
            final long ns = pause.pauseNs(frames, lone, nowNs);
            pausedNs += ns;
            final long waitedNs = Math.max(ns, waitNs);
            nowNs += waitedNs;
            frames += Math.clamp(waitedNs * framesPerSecond / SECOND_NS, 1, maxFrames);
        }
    }

    @Test
    void shouldPauseWhileManyFramesFlow() {
        // given, when: six links of 1 Gbit/s with frames of 9,000 bytes
        second(83_000, 12_000, Long.MAX_VALUE);
        // then: nearly always, and for long
        assertTrue(pausedNs > SECOND_NS * 9 / 10, "" + pausedNs);
        assertEquals(BulkPause.MAX_NS, pause.pauseNs(frames, lone, nowNs));
    }

    @Test
    void shouldPauseForLessWhereFramesAreShort() {
        // given, when: six links of 1 Gbit/s with frames of 1,500 bytes
        second(1_000_000, 1_000, Long.MAX_VALUE);
        // then
        final long lastNs = pause.pauseNs(frames, lone, nowNs);
        assertTrue(lastNs >= BulkPause.MIN_NS && lastNs < BulkPause.MAX_NS, "" + lastNs);
    }

    @Test
    void shouldHardlyEverPauseWhileMessagesAreExchanged() {
        // given, when: a frame arrives and one is sent for each wait, however long that is
        second(1_000_000, 30_000, 2);
        second(1_000_000, 30_000, 2);
        // then: one try each 128 ms
        assertTrue(pausedNs <= 8 * BulkPause.MIN_NS, "" + pausedNs);
    }

    @Test
    void shouldNotPauseWhileLoneMessagesAreAbout() {
        // given
        second(83_000, 12_000, Long.MAX_VALUE);
        // when
        lone++;
        // then: not at once, and not for 10 ms
        final long loneNs = nowNs;
        while (nowNs - loneNs < 10_000_000) {
            assertEquals(0, pause.pauseNs(frames, lone, nowNs));
            nowNs += 12_000;
            frames++;
        }
        second(83_000, 12_000, Long.MAX_VALUE);
        assertTrue(pausedNs > SECOND_NS / 2, "" + pausedNs);
    }

    @Test
    void shouldEndWithTheBulk() {
        // given
        second(83_000, 12_000, Long.MAX_VALUE);
        // when: nothing has arrived in the pause
        pause.pauseNs(frames, lone, nowNs);
        final long nextNs = pause.pauseNs(frames, lone, nowNs + BulkPause.MAX_NS);
        // then
        assertEquals(0, nextNs);
    }
}
