package io.hxb.sim.measure;

/** Means of equally long batches, and from them the confidence of the mean. Owned by one run. */
final class Batches {
    /** Quantiles of Student's t at 97.5 %, for 1 to 30 degrees of freedom. */
    private static final double[] STUDENT = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042
    };

    private double sum;
    private double squares;
    private int count;

    void add(final double mean) {
        sum += mean;
        squares += mean * mean;
        count++;
    }

    /** Half the width of the 95 % confidence interval; NaN with fewer than two batches. */
    double halfWidth() {
        if (count < 2) {
            return Double.NaN;
        }
        final double variance = Math.max(0, (squares - sum * sum / count) / (count - 1));
        final double t = count - 1 <= STUDENT.length ? STUDENT[count - 2] : 1.96;
        return t * Math.sqrt(variance / count);
    }
}
