package io.hxb.tool.chaos.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

/** Gaps and full speed in sampled throughput. */
@Tag("unit")
class RateSeriesTest {
    private static final long MS = 1_000_000L;

    /** Samples of 10 ms with 100 bytes each, except for those given as index, value, ... */
    private static RateSeries series(final int count, final long... others) {
        final long[] bytes = new long[count];
        Arrays.fill(bytes, 100);
        for (int i = 0; i < others.length; i += 2) {
            bytes[(int) others[i]] = others[i + 1];
        }
        return new RateSeries(10 * MS, bytes);
    }

    @Test
    void shouldFindTheLongestRunBelow() {
        // given: one sample, then three, then two
        final RateSeries series = series(100, 10, 0, 20, 0, 21, 89, 22, 50, 40, 0, 41, 0);
        // then
        assertEquals(30 * MS, series.longestBelowNs(0, 100, 90));
        assertEquals(20 * MS, series.longestBelowNs(21, 100, 90));
        assertEquals(10 * MS, series.longestBelowNs(0, 20, 90));
        assertEquals(0, series.longestBelowNs(50, 100, 90));
        assertEquals(0, series.longestBelowNs(0, 100, 0));
        assertEquals(1000 * MS, series.longestBelowNs(0, 1000, 101));
        assertEquals(10 * MS, series.longestBelowNs(0, 20, 100, 90), "begins before 20");
        assertEquals(30 * MS, series.longestBelowNs(0, 21, 100, 90), "may go on behind it");
    }

    @Test
    void shouldFindWhenFullSpeedHasComeToStay() {
        // given: it falls at 20, comes for a moment at 24, and stays from 30
        final RateSeries series =
                series(60, 20, 0, 21, 0, 22, 0, 23, 0, 25, 0, 26, 0, 27, 0, 28, 0, 29, 0);
        // then
        assertEquals(300 * MS, series.steadyFromNs(20, 60, 90));
        assertEquals(0, series.steadyFromNs(0, 60, 90));
        assertEquals(-1, series.steadyFromNs(20, 30, 90));
        assertEquals(-1, series.steadyFromNs(55, 60, 90));
    }

    @Test
    void shouldNotTakeSamplesBeforeADelayedGapForFullSpeed() {
        // given: what was under way still arrives, then nothing does for 60 ms
        final RateSeries series = series(60, 22, 0, 23, 0, 24, 0, 25, 0, 26, 0, 27, 0);
        // then
        assertEquals(280 * MS, series.steadyFromNs(20, 60, 90));
    }

    @Test
    void shouldGiveMeansOfPartsAndNothingOfNothing() {
        assertEquals(75, series(10, 0, 0).mean(0, 4));
        assertEquals(100, series(10, 0, 0).mean(8, 100));
        assertEquals(0, series(10).mean(4, 4));
        assertEquals(10, series(10).index(1_000_000 * MS));
        assertEquals(2, series(10).index(25 * MS));
    }
}
