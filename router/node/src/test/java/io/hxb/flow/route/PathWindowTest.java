package io.hxb.flow.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What one path beside the default route may have on its way. */
@Tag("unit")
class PathWindowTest {
    private static final long MS = 1_000_000L;
    private static final long TRIP_NS = MS;

    private final PathWindow window = new PathWindow();
    private long nowNs = 5 * MS;

    /** Sends as much as is allowed, which arrives after that time. */
    private void round(final long roundTripNs) {
        int sent = 0;
        while (window.mayTake(nowNs)) {
            window.onSent(nowNs);
            sent++;
        }
        nowNs += roundTripNs;
        for (int i = 0; i < sent; i++) {
            window.onArrived(roundTripNs, nowNs);
        }
    }

    @Test
    void shouldGrowWhileNothingWaits() {
        final int first = window.windowFrames();
        for (int i = 0; i < 10; i++) {
            round(TRIP_NS);
        }
        assertTrue(window.windowFrames() > 8 * first, window.windowFrames() + " frames");
        for (int i = 0; i < 100; i++) {
            round(TRIP_NS);
        }
        assertEquals(PathWindow.MAX_FRAMES, window.windowFrames());
        assertEquals(0, window.inFlight());
    }

    @Test
    void shouldStopGrowingWhereFramesWait() {
        // given: a path that carries 10 frames a ms
        for (int i = 0; i < 200; i++) {
            round(TRIP_NS + Math.max(0, window.windowFrames() - 10) * MS / 10);
        }
        // then: what waits is near the target, or half of it
        final long queuedNs = (window.windowFrames() - 10) * MS / 10;
        assertTrue(queuedNs >= PathWindow.TARGET_NS / 4, queuedNs + " ns");
        assertTrue(queuedNs <= 2 * PathWindow.TARGET_NS, queuedNs + " ns");
    }

    @Test
    void shouldNotTakeASingleLateFrameForAQueue() {
        round(TRIP_NS);
        round(TRIP_NS);
        final int before = window.windowFrames();
        for (int i = 0; i < 64; i++) {
            window.onSent(nowNs);
        }
        nowNs += TRIP_NS;
        for (int i = 0; i < 64; i++) {
            window.onArrived(i % 2 == 0 ? 50 * MS : TRIP_NS, nowNs);
        }
        assertTrue(window.windowFrames() >= before, window.windowFrames() + " of " + before);
    }

    @Test
    void shouldHalveOnceForFramesThatAreLostTogether() {
        for (int i = 0; i < 5; i++) {
            round(TRIP_NS);
        }
        final int before = window.windowFrames();
        for (int i = 0; i < 20; i++) {
            window.onSent(nowNs);
        }
        for (int i = 0; i < 20; i++) {
            window.onLost(nowNs);
        }
        assertEquals(before / 2, window.windowFrames());
        assertEquals(0, window.inFlight());
    }

    @Test
    void shouldRestEverLongerWhileTheRelayIsBusy() {
        assertTrue(window.mayTake(nowNs));
        long rested = 0;
        for (int i = 0; i < 12; i++) {
            window.onBusy(nowNs);
            window.onBusy(nowNs);
            assertFalse(window.mayTake(nowNs));
            final long startNs = nowNs;
            while (!window.mayTake(nowNs)) {
                nowNs += MS;
            }
            assertTrue(nowNs - startNs >= rested, "pause " + i);
            rested = nowNs - startNs;
        }
        assertEquals(1_000 * MS, rested);
        // after a quiet time it is as at first
        nowNs += 10_000 * MS;
        window.onBusy(nowNs);
        assertFalse(window.mayTake(nowNs + 19 * MS));
        assertTrue(window.mayTake(nowNs + 20 * MS));
    }

    @Test
    void shouldForgetFramesOfWhichNothingIsHeard() {
        while (window.mayTake(nowNs)) {
            window.onSent(nowNs);
        }
        nowNs += 199 * MS;
        assertFalse(window.mayTake(nowNs));
        nowNs += 2 * MS;
        assertTrue(window.mayTake(nowNs));
        assertEquals(PathWindow.MIN_FRAMES, window.windowFrames());
        assertEquals(0, window.inFlight());
    }
}
