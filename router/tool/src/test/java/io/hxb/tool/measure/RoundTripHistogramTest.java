package io.hxb.tool.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class RoundTripHistogramTest {
    @Test
    void shouldReportASingleRoundTripExactly() {
        // given
        final RoundTripHistogram histogram = new RoundTripHistogram(3);

        // when
        histogram.record(18_811_000);

        // then
        assertEquals(
                new RoundTrips(18_811, 18_811, 18_811, 18_811, 18_811), RoundTrips.of(histogram));
    }

    @Test
    void shouldKeepMinimumAndMaximumOfAllThatWasAdded() {
        // given
        final RoundTripHistogram all = new RoundTripHistogram(3);
        final RoundTripHistogram slow = new RoundTripHistogram(3);
        final RoundTripHistogram empty = new RoundTripHistogram(2);
        slow.record(18_811_000);
        slow.record(27_000_010);
        all.record(12_340);

        // when
        all.add(slow);
        all.add(empty);

        // then
        assertEquals(3, all.count());
        assertEquals(12_340, all.minNs());
        assertEquals(27_000_010, all.maxNs());
        assertEquals(27_000_010, all.percentileNs(100));
        assertTrue(Math.abs(18_811_000 - all.percentileNs(50)) <= 18_811, "three digits");
    }

    @Test
    void shouldBeNothingWithoutRoundTrips() {
        assertEquals(RoundTrips.NONE, RoundTrips.of(new RoundTripHistogram(3)));
    }
}
