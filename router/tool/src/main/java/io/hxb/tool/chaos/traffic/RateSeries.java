package io.hxb.tool.chaos.traffic;

/** Bytes that arrived in equal intervals, and the rates computed from them. Immutable. */
public final class RateSeries {
    /** Time for which full speed has to last before it counts as reached. */
    private static final long STEADY_NS = 100_000_000L;

    private final long sampleNs;
    private final long[] bytes;

    /**
     * Makes a series.
     *
     * @param sampleNs length of an interval.
     * @param bytes of each interval, {@code [samples]}; copied.
     */
    public RateSeries(final long sampleNs, final long[] bytes) {
        this.sampleNs = sampleNs;
        this.bytes = bytes.clone();
    }

    /** Length of an interval. */
    public long sampleNs() {
        return sampleNs;
    }

    /** Bytes of each interval, a copy. */
    public long[] bytes() {
        return bytes.clone();
    }

    /** The interval in which a moment lies, at most one after the last. */
    public int index(final long timeNs) {
        return Math.clamp(timeNs / sampleNs, 0, bytes.length);
    }

    /**
     * Mean number of bytes per interval, over intervals from (inclusive) to (exclusive); 0 of none.
     */
    public double mean(final int from, final int to) {
        final int last = Math.min(to, bytes.length);
        double sum = 0;
        for (int i = from; i < last; i++) {
            sum += bytes[i];
        }
        return last > from ? sum / (last - from) : 0;
    }

    /**
     * The longest run of intervals with less than a threshold each.
     *
     * @param from first interval looked at.
     * @param to one after the last.
     * @return its length in ns.
     */
    public long longestBelowNs(final int from, final int to, final double threshold) {
        return longestBelowNs(from, to, to, threshold);
    }

    /**
     * The same for runs that begin soon.
     *
     * @param beginsBefore one after the last interval in which a run may begin.
     */
    public long longestBelowNs(
            final int from, final int beginsBefore, final int to, final double threshold) {
        long longest = 0;
        long run = 0;
        for (int i = from; i < Math.min(to, bytes.length); i++) {
            final boolean isLow = bytes[i] < threshold && (run > 0 || i < beginsBefore);
            run = isLow ? run + 1 : 0;
            longest = Math.max(longest, run);
        }
        return longest * sampleNs;
    }

    /**
     * When a threshold is reached steadily: the first interval that reaches it and from which on
     * 100 ms reach it on average.
     *
     * @param from first interval looked at.
     * @param to one after the last.
     * @return the beginning of that interval in ns from the start; -1 if there is none.
     */
    public long steadyFromNs(final int from, final int to, final double threshold) {
        final int steady = (int) Math.max(1, STEADY_NS / sampleNs);
        final int last = Math.min(to, bytes.length) - steady;
        for (int i = from; i <= last; i++) {
            if (bytes[i] >= threshold && mean(i, i + steady) >= threshold) {
                return i * sampleNs;
            }
        }
        return -1;
    }

    @Override
    public String toString() {
        return bytes.length + " samples of " + sampleNs + " ns";
    }
}
