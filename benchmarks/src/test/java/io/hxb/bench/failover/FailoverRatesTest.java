package io.hxb.bench.failover;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

@Tag("unit")
class FailoverRatesTest {
    private static final double SAMPLE_S = 0.01;

    private static List<FailoverRates.Event> events() {
        return List.of(
                new FailoverRates.Event(1, 1, "pull", 0.5, 0, 0),
                new FailoverRates.Event(2, 2, "restore", 1, 0, 0));
    }

    /** Two wires of 125 MB/s for a second, one for the next, two again. */
    private static double[] rates() {
        final double[] rates = new double[300];
        Arrays.fill(rates, 250);
        Arrays.fill(rates, 100, 200, 125);
        return rates;
    }

    @Test
    void shouldFindNoGapOnWiresThatStayFull() {
        assertEquals(
                "{quiet wire gap ms=0.0, fault 1 wire gap ms=0.0, repaired wire gap ms=0.0}",
                FailoverRates.wireGaps(rates(), SAMPLE_S, events(), 250).toString());
    }

    @Test
    void shouldCountRunsOfLowSamplesThatBeginNearTheirEvent() {
        // given
        final double[] rates = rates();
        Arrays.fill(rates, 50, 52, 200);
        Arrays.fill(rates, 100, 103, 60);
        Arrays.fill(rates, 170, 190, 60);
        Arrays.fill(rates, 210, 214, 100);
        // when, then
        assertEquals(
                "{quiet wire gap ms=20.0, fault 1 wire gap ms=30.0, repaired wire gap ms=40.0}",
                FailoverRates.wireGaps(rates, SAMPLE_S, events(), 250).toString());
    }

    @Test
    void shouldMeanWhatPassesOnceAFaultHasSettled() {
        // when
        final var figures = FailoverRates.figures(rates(), SAMPLE_S, events(), 7, 250);
        // then
        assertEquals(250, figures.get("quiet MB/s"));
        assertEquals(100, figures.get("fault 1 of left %"));
        assertEquals(100, figures.get("repaired of left %"));
        assertEquals(7, figures.get("quiet gap ms"));
    }
}
