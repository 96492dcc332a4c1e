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
                new RoundTrips(18_811, 18_811, 18_811, 18_811, 18_811, 18_811, 0),
                RoundTrips.of(histogram));
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
    void shouldReportMeanAndDeviationOfAllThatWasAdded() {
        // given: 2, 4, 4, 4 and 5, 5, 7, 9 us
        final RoundTripHistogram all = new RoundTripHistogram(2);
        final RoundTripHistogram others = new RoundTripHistogram(2);
        for (final long us : new long[] {2, 4, 4, 4}) {
            all.record(us * 1_000);
        }
        for (final long us : new long[] {5, 5, 7, 9}) {
            others.record(us * 1_000);
        }

        // when
        all.add(others);

        // then
        assertEquals(5, RoundTrips.of(all).mean());
        assertEquals(2, RoundTrips.of(all).deviation());
    }

    @Test
    void shouldBeNothingWithoutRoundTrips() {
        assertEquals(RoundTrips.NONE, RoundTrips.of(new RoundTripHistogram(3)));
    }
}
