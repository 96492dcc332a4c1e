package io.hxb.tool.chaos.traffic;

/**
 * When samples begin, how long each is, and how many there are. Immutable.
 *
 * @param startNs the beginning, by System.nanoTime.
 * @param sampleNs length of one.
 * @param count how many.
 */
public record SampleClock(long startNs, long sampleNs, int count) {
    /** Makes the clock of a run that begins then and lasts that long. */
    public static SampleClock of(final long startNs, final long sampleNs, final long lengthNs) {
        return new SampleClock(startNs, sampleNs, (int) ((lengthNs + sampleNs - 1) / sampleNs));
    }

    SampleBins bins() {
        return new SampleBins(startNs, sampleNs, count);
    }
}
