package io.hxb.flow;

/**
 * Round trips of one flow and what follows from them: when a frame counts as lost. Owned by the
 * loop of the flow. Source: RFC 6298; RFC 8985 for the time by which frames may be reordered.
 */
final class RoundTrip {
    private static final long FIRST_TIMEOUT_NS = 20_000_000;
    private static final int MAX_BACK_OFF = 16;

    private final FlowSettings config;
    private long smoothedNs;
    private long variationNs;
    private int backOff;

    RoundTrip(final FlowSettings config) {
        this.config = config;
    }

    /** Takes in one measured round trip; only of frames sent once (Karn). */
    void onSample(final long rttNs) {
        final long sampleNs = Math.max(1, rttNs);
        if (smoothedNs == 0) {
            smoothedNs = sampleNs;
            variationNs = sampleNs / 2;
        } else {
            variationNs += (Math.abs(smoothedNs - sampleNs) - variationNs) / 4;
            smoothedNs += (sampleNs - smoothedNs) / 8;
        }
    }

    void onProgress() {
        backOff = 0;
    }

    void onTimeout() {
        backOff = Math.min(backOff + 1, MAX_BACK_OFF);
    }

    long smoothedNs() {
        return smoothedNs;
    }

    /** Time without progress after which frames are sent again. */
    long timeoutNs() {
        final long plainNs =
                smoothedNs == 0
                        ? FIRST_TIMEOUT_NS
                        : smoothedNs + 4 * variationNs + config.ackDelayNs();
        final long cappedNs = Math.min(plainNs, config.maxTimeoutNs());
        return clamp(cappedNs << backOff);
    }

    /** Age at which a frame is lost when one sent later has arrived. */
    long overtakenNs() {
        final long slackNs = Math.max(config.minReorderingNs(), 4 * variationNs);
        return smoothedNs + Math.max(slackNs, smoothedNs / 4) + config.ackDelayNs();
    }

    /** Time between two bursts of frames sent again. */
    long resendPauseNs() {
        return Math.max(50_000, smoothedNs / 8);
    }

    /** The time between tries number {@code tries} - 1 and {@code tries}, from 0. */
    long retryNs(final int tries) {
        final long firstNs = smoothedNs == 0 ? FIRST_TIMEOUT_NS : 2 * smoothedNs;
        return clamp(Math.min(firstNs, config.maxTimeoutNs()) << Math.min(tries, MAX_BACK_OFF));
    }

    private long clamp(final long timeNs) {
        final long mostNs =
                Math.max(1, Math.min(config.maxTimeoutNs(), config.peerTimeoutNs() / 8));
        return Math.min(mostNs, Math.max(config.minTimeoutNs(), timeNs));
    }
}
