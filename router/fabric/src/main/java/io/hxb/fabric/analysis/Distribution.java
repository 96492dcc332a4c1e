package io.hxb.fabric.analysis;

import java.util.Arrays;

/**
 * How values are spread.
 *
 * @param min the minimum.
 * @param median the middle one.
 * @param mean the average.
 * @param p90 larger than 90 % of all.
 * @param max the largest.
 * @param deviation the standard deviation.
 */
public record Distribution(
        double min, double median, double mean, double p90, double max, double deviation) {
    /** The spread of values, {@code [any number]}; zeros when there are none. */
    public static Distribution of(final double[] values) {
        if (values.length == 0) {
            return new Distribution(0, 0, 0, 0, 0, 0);
        }
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        final double mean = Arrays.stream(sorted).sum() / sorted.length;
        final double variance =
                Arrays.stream(sorted).map(value -> (value - mean) * (value - mean)).sum()
                        / sorted.length;
        return new Distribution(
                sorted[0],
                sorted[sorted.length / 2],
                mean,
                sorted[(int) (0.9 * (sorted.length - 1))],
                sorted[sorted.length - 1],
                Math.sqrt(variance));
    }
}
