package io.hxb.tool.measure;

import java.util.Locale;

/**
 * Round trips in microseconds. Immutable; the JSON fields are the components.
 *
 * @param min shortest.
 * @param median half are shorter.
 * @param p99 99 % are shorter.
 * @param p999 99.9 % are shorter.
 * @param max the maximum.
 * @param mean the mean.
 * @param deviation the standard deviation, the mdev of ping(8).
 */
public record RoundTrips(
        double min,
        double median,
        double p99,
        double p999,
        double max,
        double mean,
        double deviation) {
    /** Nothing was measured. */
    public static final RoundTrips NONE = new RoundTrips(0, 0, 0, 0, 0, 0, 0);

    /** Sums up a histogram. */
    static RoundTrips of(final RoundTripHistogram trips) {
        if (trips.count() == 0) {
            return NONE;
        }
        return new RoundTrips(
                us(trips.minNs()),
                us(trips.percentileNs(50)),
                us(trips.percentileNs(99)),
                us(trips.percentileNs(99.9)),
                us(trips.maxNs()),
                us(trips.meanNs()),
                us(trips.deviationNs()));
    }

    private static double us(final long ns) {
        return Math.round(ns / 10.0) / 100.0;
    }

    /** Such as {@code min 10.1 median 12.0 99% 20.5 99.9% 31.0 max 80.2 us}. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "min %.1f  median %.1f  99%% %.1f  99.9%% %.1f  max %.1f us",
                min,
                median,
                p99,
                p999,
                max);
    }
}
