package io.hxb.bench.harness;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class SeriesTest {
    @Test
    void shouldTakeTheMiddleOfAnOddNumberOfSamples() {
        // given
        final Series series = new Series(9, 1, 5);

        // when
        final double median = series.median();

        // then
        assertEquals(5, median);
        assertEquals(1, series.min());
        assertEquals(9, series.max());
    }

    @Test
    void shouldTakeTheMeanOfTheTwoMiddleSamplesOfAnEvenNumber() {
        // given
        final Series series = new Series(4, 1, 2, 8);

        // when
        final double median = series.median();

        // then
        assertEquals(3, median);
    }

    @Test
    void shouldDivideSamplesOfTheSameRound() {
        // given
        final Series series = new Series(2, 6);

        // when
        final Series ratio = series.dividedBy(new Series(1, 2));

        // then
        assertArrayEquals(new double[] {2, 3}, ratio.samples());
    }

    @Test
    void shouldShowMedianAndRange() {
        // given
        final Series series = new Series(100.4, 120.6, 90.2);

        // when
        final String text = series.format();

        // then
        assertEquals("100 (90-121)", text);
    }

    @Test
    void shouldRefuseASeriesWithoutSamples() {
        // given, when, then
        assertThrows(IllegalArgumentException.class, Series::new);
    }
}
