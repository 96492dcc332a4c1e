package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class PiggybackPredictorTest {
    private static final long LONGEST_NS = 1_000;

    private final PiggybackPredictor rides = new PiggybackPredictor();
    private long nowNs;

    /** An acknowledgement goes alone, and {@code laterNs} after it comes a frame it had missed. */
    private void miss(final long laterNs) {
        rides.onArrival();
        rides.onSentAlone(false, nowNs);
        nowNs += laterNs;
        rides.onRide(LONGEST_NS, nowNs);
    }

    private void waitInVain() {
        rides.onArrival();
        rides.onSentAlone(true, nowNs);
    }

    @Test
    void shouldWaitForRidesThatWereMissedTwice() {
        miss(LONGEST_NS);
        assertFalse(rides.isLikely());
        miss(LONGEST_NS);
        assertTrue(rides.isLikely());
    }

    @Test
    void shouldNotWaitForRidesThatComeLater() {
        for (int i = 0; i < 100; i++) {
            miss(LONGEST_NS + 1);
        }
        assertFalse(rides.isLikely());
    }

    @Test
    void shouldNotWaitWhereTheSourceMayWaitForTheAcknowledgement() {
        for (int i = 0; i < 100; i++) {
            miss(1);
            // The source sends the next one before anything goes the other way.
            rides.onArrival();
            rides.onSentAlone(false, nowNs);
            rides.onArrival();
            rides.onRide(LONGEST_NS, nowNs);
            assertFalse(rides.isLikely());
        }
    }

    @Test
    void shouldWaitLessOftenTheMoreOftenItWasInVain() {
        int misses = 0;
        for (int vain = 0; vain < 10; vain++) {
            misses = 0;
            while (!rides.isLikely()) {
                miss(1);
                misses++;
            }
            waitInVain();
            assertFalse(rides.isLikely());
        }
        // then
        assertTrue(misses == 64, "misses before the tenth wait: " + misses);
    }

    @Test
    void shouldForgetWaitsInVainWhereRidesCome() {
        for (int vain = 0; vain < 10; vain++) {
            while (!rides.isLikely()) {
                miss(1);
            }
            if (vain < 9) {
                waitInVain();
            }
        }
        // when
        for (int i = 0; i < 64; i++) {
            rides.onArrival();
            rides.onRide(LONGEST_NS, nowNs);
        }
        waitInVain();
        // then
        miss(1);
        miss(1);
        miss(1);
        assertFalse(rides.isLikely());
        miss(1);
        assertTrue(rides.isLikely());
    }
}
