package io.hxb.bench.harness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One thing that must not grow, over the time of a run. The first half is left out: code is
 * compiled, caches fill. Owned by one thread.
 */
public final class Growth {
    private static final int MIN_SAMPLES = 16;
    private static final int PARTS = 4;

    private final String what;
    private final String unit;
    private final double tolerance;
    private final List<double[]> samples = new ArrayList<>();

    /**
     * Begins without samples.
     *
     * @param tolerance what the second half of a run may add.
     */
    public Growth(final String what, final String unit, final double tolerance) {
        this.what = what;
        this.unit = unit;
        this.tolerance = tolerance;
    }

    /** Takes one sample. */
    public void add(final double seconds, final double value) {
        samples.add(new double[] {seconds, value});
    }

    /** Begins again: it is another process now. */
    public void restart() {
        samples.clear();
    }

    /**
     * True if it has grown by more than the tolerance, and in every part of the second half: what
     * rises and falls is in use, not lost.
     */
    public boolean isGrowing() {
        final double[] medians = medians();
        if (medians.length == 0) {
            return false;
        }
        for (int i = 1; i < PARTS; i++) {
            if (medians[i] <= medians[i - 1]) {
                return false;
            }
        }
        return medians[PARTS - 1] - medians[0] > tolerance;
    }

    // Of the four parts of the second half; none before there are enough samples.
    private double[] medians() {
        final List<double[]> half = half();
        if (half.size() < MIN_SAMPLES) {
            return new double[0];
        }
        final double[] medians = new double[PARTS];
        for (int i = 0; i < PARTS; i++) {
            final double[] values =
                    half.subList(half.size() * i / PARTS, half.size() * (i + 1) / PARTS).stream()
                            .mapToDouble(sample -> sample[1])
                            .sorted()
                            .toArray();
            medians[i] = values[values.length / 2];
        }
        return medians;
    }

    private List<double[]> half() {
        return samples.subList(samples.size() / 2, samples.size());
    }

    /** Least squares over the second half, for an hour. */
    public double slopePerHour() {
        final List<double[]> half = half();
        final double count = half.size();
        if (count < 2) {
            return 0;
        }
        final double time = half.stream().mapToDouble(sample -> sample[0]).sum() / count;
        final double value = half.stream().mapToDouble(sample -> sample[1]).sum() / count;
        double product = 0;
        double square = 0;
        for (final double[] sample : half) {
            product += (sample[0] - time) * (sample[1] - value);
            square += (sample[0] - time) * (sample[0] - time);
        }
        return square == 0 ? 0 : product / square * 3_600;
    }

    String what() {
        return what;
    }

    /** A line of the table: what, first, last, maximum, slope, verdict. */
    String[] row() {
        return new String[] {
            what + ", " + unit,
            number(first()),
            number(last()),
            number(max()),
            number(slopePerHour()),
            isGrowing() ? "grows" : "ok"
        };
    }

    Map<String, Object> fields() {
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("what", what);
        fields.put("unit", unit);
        fields.put("samples", samples.size());
        fields.put("first", first());
        fields.put("last", last());
        fields.put("max", max());
        fields.put("slope_per_hour", slopePerHour());
        fields.put("tolerance", tolerance);
        fields.put("is_growing", isGrowing());
        return fields;
    }

    private double first() {
        return samples.isEmpty() ? 0 : samples.getFirst()[1];
    }

    private double last() {
        return samples.isEmpty() ? 0 : samples.getLast()[1];
    }

    private double max() {
        return samples.stream().mapToDouble(sample -> sample[1]).max().orElse(0);
    }

    private static String number(final double value) {
        final String text = String.format(Locale.ROOT, "%.1f", value);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }
}
