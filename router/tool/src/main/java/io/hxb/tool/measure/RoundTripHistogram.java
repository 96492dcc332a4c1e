package io.hxb.tool.measure;

import org.HdrHistogram.Histogram;

/**
 * Round trips in nanoseconds, whose minimum and maximum are exact. A {@link Histogram} of three
 * digits alone reports the limits of the buckets: a single round trip of 18,811 us would have a
 * minimum of 18,808.83 and a maximum and median of 18,825.22. Owned by the thread that measures.
 */
public final class RoundTripHistogram {
    private final Histogram histogram;
    private long minNs = Long.MAX_VALUE;
    private long maxNs = Long.MIN_VALUE;
    private double sumNs;
    private double sumOfSquares;

    /** With that many significant digits, 0 to 5, between the minimum and the maximum. */
    public RoundTripHistogram(final int digits) {
        histogram = new Histogram(digits);
    }

    /** Adds a round trip of 0 ns or more. */
    public void record(final long tripNs) {
        histogram.recordValue(tripNs);
        sumNs += tripNs;
        sumOfSquares += (double) tripNs * tripNs;
        minNs = Math.min(minNs, tripNs);
        maxNs = Math.max(maxNs, tripNs);
    }

    /** Adds all round trips of another histogram. */
    void add(final RoundTripHistogram other) {
        histogram.add(other.histogram);
        sumNs += other.sumNs;
        sumOfSquares += other.sumOfSquares;
        minNs = Math.min(minNs, other.minNs);
        maxNs = Math.max(maxNs, other.maxNs);
    }

    /** Round trips added. */
    public long count() {
        return histogram.getTotalCount();
    }

    /** The shortest; only of a histogram that is not empty. */
    public long minNs() {
        return minNs;
    }

    /** The longest; only of a histogram that is not empty. */
    public long maxNs() {
        return maxNs;
    }

    /** The mean; only of a histogram that is not empty. */
    public long meanNs() {
        return Math.round(sumNs / count());
    }

    /** The standard deviation, the mdev of ping(8); only of a histogram that is not empty. */
    public long deviationNs() {
        final double mean = sumNs / count();
        // A rounding error may be less than nothing.
        return Math.round(Math.sqrt(Math.max(0, sumOfSquares / count() - mean * mean)));
    }

    /**
     * That many percent of the round trips, 0 to 100, took this long or less; never outside minimum
     * and maximum.
     */
    public long percentileNs(final double percent) {
        return Math.clamp(histogram.getValueAtPercentile(percent), minNs, maxNs);
    }
}
