package io.hxb.manager.control;

/**
 * What has to hold for a change of paths. Immutable.
 *
 * @param minGain by which part the load of the busy link has to fall, in every one of {@code
 *     intervals}, above 0 and below 1.
 * @param intervals how many in a row, 1 to 60.
 * @param maxChangesPerMinute maximum number of pairs that change in a minute.
 * @param holdNs for how long a pair that has changed does not change again; each time twice as
 *     long, up to an hour, if it does soon after that.
 * @param minLoadBps links with less traffic are left alone, in bytes per second.
 */
public record TuningTerms(
        double minGain, int intervals, int maxChangesPerMinute, long holdNs, double minLoadBps) {
    private static final int MAX_INTERVALS = 60;

    /** The defaults. */
    public static final TuningTerms DEFAULT =
            new TuningTerms(0.1, 2, 600, 30_000_000_000L, 1_000_000);

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException with the first that is out of range.
     */
    public TuningTerms {
        if (!(minGain > 0 && minGain < 1)) {
            throw new IllegalArgumentException(
                    "the gain of a change must be above 0 and below 1: " + minGain);
        }
        if (intervals < 1 || intervals > MAX_INTERVALS) {
            throw new IllegalArgumentException("intervals must be 1..60: " + intervals);
        }
        if (maxChangesPerMinute < 1) {
            throw new IllegalArgumentException(
                    "changes a minute must be 1 or more: " + maxChangesPerMinute);
        }
        if (holdNs < 0 || !(minLoadBps >= 0)) {
            throw new IllegalArgumentException("times and loads must be 0 or more");
        }
    }
}
