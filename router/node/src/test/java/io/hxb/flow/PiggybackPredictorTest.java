package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class PiggybackPredictorTest {
    private static final long LONGEST_NS = 1_000;

    private final PiggybackPredictor piggyback = new PiggybackPredictor();
    private long nowNs;

    /** An acknowledgement goes alone, and {@code laterNs} after it comes a frame it had missed. */
    private void miss(final long laterNs) {
        piggyback.onArrival();
        piggyback.onSentAlone(false, nowNs);
        nowNs += laterNs;
        piggyback.onPiggyback(LONGEST_NS, nowNs);
    }

    private void waitInVain() {
        piggyback.onArrival();
        piggyback.onSentAlone(true, nowNs);
    }

    @Test
    void shouldWaitForRidesThatWereMissedTwice() {
        miss(LONGEST_NS);
        assertFalse(piggyback.isLikely());
        miss(LONGEST_NS);
        assertTrue(piggyback.isLikely());
    }

    @Test
    void shouldNotWaitForRidesThatComeLater() {
        for (int i = 0; i < 100; i++) {
            miss(LONGEST_NS + 1);
        }
        assertFalse(piggyback.isLikely());
    }

    @Test
    void shouldNotWaitWhereTheSourceMayWaitForTheAcknowledgement() {
        for (int i = 0; i < 100; i++) {
            miss(1);
            // The source sends the next one before anything goes the other way.
            piggyback.onArrival();
            piggyback.onSentAlone(false, nowNs);
            piggyback.onArrival();
            piggyback.onPiggyback(LONGEST_NS, nowNs);
            assertFalse(piggyback.isLikely());
        }
    }

    @Test
    void shouldWaitLessOftenTheMoreOftenItFailed() {
        int misses = 0;
        for (int vain = 0; vain < 10; vain++) {
            misses = 0;
            while (!piggyback.isLikely()) {
                miss(1);
                misses++;
            }
            waitInVain();
            assertFalse(piggyback.isLikely());
        }
        // then
        assertTrue(misses == 64, "misses before the tenth wait: " + misses);
    }

    @Test
    void shouldForgetFailedWaitsWhereRidesCome() {
        for (int vain = 0; vain < 10; vain++) {
            while (!piggyback.isLikely()) {
                miss(1);
            }
            if (vain < 9) {
                waitInVain();
            }
        }
        // when
        for (int i = 0; i < 64; i++) {
            piggyback.onArrival();
            piggyback.onPiggyback(LONGEST_NS, nowNs);
        }
        waitInVain();
        // then
        miss(1);
        miss(1);
        miss(1);
        assertFalse(piggyback.isLikely());
        miss(1);
        assertTrue(piggyback.isLikely());
    }
}
