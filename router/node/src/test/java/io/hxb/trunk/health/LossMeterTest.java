package io.hxb.trunk.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class LossMeterTest {
    private final LossMeter meter = new LossMeter();
    private int drains;

    @Test
    void shouldMeasureWhatIsMissing() {
        for (int sent = 0; sent <= 1_000; sent += 100) {
            tell(sent, sent - sent / 10, sent - sent / 10);

            assertEquals(sent == 0 ? 0 : 10, meter.percent());
        }
    }

    @Test
    void shouldNotCallLostWhatHasArrivedAndWaitsToBeRead() {
        // A node that relays reads what its neighbour reports before up to 200 older frames.
        for (int sent = 1_000; sent < 100_000; sent += 100) {
            final int waiting = sent / 100 * 37 % 200;
            tell(sent, sent - waiting, sent + 40);

            assertEquals(0, meter.percent(), "reported " + sent + ", waiting " + waiting);
        }
    }

    @Test
    void shouldFindLossBesideFramesThatWait() {
        for (int sent = 10_000; sent < 100_000; sent += 100) {
            final int arrived = sent - sent / 5;
            final int waiting = sent / 100 * 37 % 50;
            tell(sent, arrived - waiting, arrived + 5);
        }

        assertTrue(
                meter.percent() >= 20 - 4 && meter.percent() <= 20, () -> meter.percent() + " %");
    }

    @Test
    void shouldNotCallLostWhatWasCountedBeforeWordOfItWasRead() {
        // A node whose kernel relays counts frames that came after what the neighbour reported.
        tell(0, 0, 0);
        for (int sent = 500; sent < 100_000; sent += 500) {
            final int behind = behind(sent / 500);
            tell(sent, sent + behind, sent + behind + 5);

            assertEquals(0, meter.percent(), "reported " + sent + ", behind " + behind);
        }
    }

    @Test
    void shouldFindLossBesideWordsReadLate() {
        for (int sent = 0; sent < 100_000; sent += 500) {
            final int arrived = sent - sent / 5;
            final int behind = behind(sent / 500);
            tell(sent, arrived + behind, arrived + behind + 5);
        }

        assertEquals(2_000, meter.smoothedHundredths(), 500);
    }

    @Test
    void shouldFindSuddenLossAtOnce() {
        for (int sent = 0; sent <= 2_000; sent += 100) {
            tell(sent, sent, sent);
        }

        tell(2_100, 2_050, 2_050);

        assertEquals(50, meter.percent());
    }

    @Test
    void shouldNotCompareBeforeBothSocketsWereRead() {
        meter.onReported(0, 0, drains);
        drains++;

        assertFalse(meter.measure(0, drains));

        drains++;
        assertTrue(meter.measure(0, drains));
    }

    @Test
    void shouldFollowCountsThatWrapAround() {
        final int start = Integer.MAX_VALUE - 150;
        for (int i = 0; i < 10; i++) {
            tell(start + 100 * i, start + 75 * i, start + 75 * i);
        }

        assertEquals(25, meter.percent());
    }

    @Test
    void shouldNotCountFewMissingFrames() {
        tell(0, 0, 0);
        tell(50, 48, 48);

        assertEquals(0, meter.percent());
    }

    /** From time to time a word is read as soon as it arrives. */
    private static int behind(final int measurement) {
        return measurement % 4 == 0 ? 3 : measurement * 37 % 90;
    }

    private void tell(final int sent, final int readThen, final int readLater) {
        meter.onReported(sent, readThen, drains);
        drains += 2;
        meter.measure(readLater, drains);
    }
}
