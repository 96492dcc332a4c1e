package io.hxb.trunk.health;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.TrunkConfig;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class HoldDownTest {
    private static final long MS = 1_000_000;
    private static final long HOLD_NS = 100 * MS;
    private static final HoldDown.Terms TERMS =
            new HoldDown.Terms(HOLD_NS, 4 * HOLD_NS, TrunkConfig.DEFAULT.healBeats());

    private final HoldDown holdDown = new HoldDown(TERMS);
    private int beat = 1;

    @Test
    void shouldHealAfterEnoughHeartbeatsInARow() {
        // given
        holdDown.onFailed(false, 0);
        // when
        beats(TERMS.beats() - 1);
        assertFalse(holdDown.isOver(MS));
        beat++;
        beats(TERMS.beats() - 1);
        assertFalse(holdDown.isOver(MS), "one was missing between them");
        beats(1);
        // then
        assertTrue(holdDown.isOver(MS));
    }

    @Test
    void shouldCountOnlyHeartbeatsAmongTheStatusFramesThatArrive() {
        // given
        holdDown.onFailed(false, 0);
        // when: answers and announcements between them
        for (int i = 0; i < TERMS.beats(); i++) {
            assertFalse(holdDown.isOver(MS), i + " heartbeats");
            holdDown.onBeat(0);
            beats(1);
            holdDown.onBeat(0);
        }
        // then
        assertTrue(holdDown.isOver(MS));
    }

    @Test
    void shouldHoldALinkDownLongerEachTimeItFailsSoonAgain() {
        // given
        failAndRecover(0);
        // when, then: from the shortest to the longest hold-down.
        long nowNs = 10 * MS;
        for (final long holdNs : new long[] {HOLD_NS, 2 * HOLD_NS, 4 * HOLD_NS, 4 * HOLD_NS}) {
            holdDown.onFailed(false, nowNs);
            beats(TERMS.beats());
            assertFalse(holdDown.isOver(nowNs + holdNs - 1), holdNs + " ns");
            nowNs += holdNs;
            assertTrue(holdDown.isOver(nowNs), holdNs + " ns");
            holdDown.onRecovered(nowNs);
        }
    }

    @Test
    void shouldForgetWhatALinkOfAnEarlierIncarnationDid() {
        // given
        failAndRecover(0);
        // when
        holdDown.forget();
        holdDown.onFailed(false, 10 * MS);
        beats(TERMS.beats());
        // then
        assertTrue(holdDown.isOver(10 * MS));
    }

    @Test
    void shouldWatchALinkThatLostFramesForLonger() {
        // given
        holdDown.onFailed(true, 0);
        // when
        beats(TERMS.beats());
        // then
        assertFalse(holdDown.isOver(1_000 * HOLD_NS), "too few heartbeats");
        beats(4 * TERMS.beats());
        assertFalse(holdDown.isOver(4 * HOLD_NS - 1));
        assertTrue(holdDown.isOver(4 * HOLD_NS));
    }

    private void failAndRecover(final long nowNs) {
        holdDown.onFailed(false, nowNs);
        beats(TERMS.beats());
        assertTrue(holdDown.isOver(nowNs));
        holdDown.onRecovered(nowNs);
    }

    private void beats(final int count) {
        for (int i = 0; i < count; i++) {
            holdDown.onBeat(beat++);
        }
    }
}
