package io.hxb.bench.harness;

import java.util.Arrays;
import java.util.Locale;

/** The samples of one figure, one a round. Immutable. */
public final class Series {
    private final double[] samples;

    /**
     * Copies the samples.
     *
     * @param samples in the order of the rounds; at least one.
     */
    public Series(final double... samples) {
        if (samples.length == 0) {
            throw new IllegalArgumentException("a series needs a sample");
        }
        this.samples = samples.clone();
    }

    /** A copy of the samples, in the order of the rounds. */
    public double[] samples() {
        return samples.clone();
    }

    /** The middle sample, or the mean of the two in the middle. */
    public double median() {
        final double[] sorted = sorted();
        final int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    /** The smallest sample. */
    public double min() {
        return sorted()[0];
    }

    /** The largest sample. */
    public double max() {
        return sorted()[samples.length - 1];
    }

    /** Sample by sample divided by the other's of the same round. */
    public Series dividedBy(final Series other) {
        final double[] ratios = new double[Math.min(samples.length, other.samples.length)];
        Arrays.setAll(ratios, round -> samples[round] / other.samples[round]);
        return new Series(ratios);
    }

    /** {@code median (min-max)} with as many digits as its size asks for. */
    public String format() {
        final String number = median() >= 100 ? "%.0f" : median() >= 10 ? "%.1f" : "%.2f";
        return String.format(
                Locale.ROOT, number + " (" + number + "-" + number + ")", median(), min(), max());
    }

    private double[] sorted() {
        final double[] sorted = samples.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    @Override
    public String toString() {
        return format();
    }
}
