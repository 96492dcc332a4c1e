package io.hxb.tool.chaos.traffic;

/**
 * Bytes that arrived, by short intervals of time. Written by one thread, read when it has ended.
 */
final class SampleBins {
    private final long startNs;
    private final long sampleNs;
    private final long[] bins;

    /**
     * Makes bins; bytes before or after them are not counted.
     *
     * @param startNs when the first begins.
     */
    SampleBins(final long startNs, final long sampleNs, final int count) {
        this.startNs = startNs;
        this.sampleNs = sampleNs;
        bins = new long[count];
    }

    void add(final long nowNs, final long bytes) {
        final long passedNs = nowNs - startNs;
        if (passedNs >= 0 && passedNs < sampleNs * bins.length) {
            bins[(int) (passedNs / sampleNs)] += bytes;
        }
    }

    /** Spreads bytes evenly over the time in which they arrived. */
    void spread(final long fromNs, final long untilNs, final long bytes) {
        final long length = untilNs - fromNs;
        long given = 0;
        long at = fromNs;
        while (at < untilNs) {
            final long next =
                    Math.min(
                            untilNs,
                            startNs + (Math.floorDiv(at - startNs, sampleNs) + 1) * sampleNs);
            final long upToNext = Math.round((double) bytes * (next - fromNs) / length);
            add(at, upToNext - given);
            given = upToNext;
            at = next;
        }
    }

    /** What has been counted. */
    RateSeries series() {
        return new RateSeries(sampleNs, bins);
    }
}
