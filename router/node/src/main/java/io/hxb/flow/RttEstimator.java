package io.hxb.flow;

import io.hxb.config.FlowConfig;

/**
 * Round trips of one flow and what follows from them: when a frame counts as lost. Owned by the
 * loop of the flow. Source: RFC 6298; RFC 8985 for the time by which frames may be reordered, where
 * section 6.2, step 4, makes it longer after needless retransmissions.
 */
final class RttEstimator {
    /** Time by which an earlier frame may arrive later, however short the round trip. */
    private static final long MIN_REORDERING_NS = 100_000;

    private static final long FIRST_TIMEOUT_NS = 20_000_000;
    private static final int MAX_BACK_OFF = 16;
    private static final int MAX_WINDOW_FACTOR = 16;
    private static final int NEEDED_BEFORE_HALVING = 16;

    private final FlowConfig config;
    private long smoothedNs;
    private long variationNs;
    private int backOff;
    private int windowFactor = 1;
    private int needed;
    private long grownNs;
    private boolean hasGrown;

    /** Knows nothing yet. */
    RttEstimator(final FlowConfig config) {
        this.config = config;
    }

    /** Adds one measured round trip; only of frames sent once (Karn). */
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

    /** Discards what was measured; {@code rttNs} is the first round trip of those to come. */
    void restart(final long rttNs) {
        smoothedNs = 0;
        backOff = 0;
        windowFactor = 1;
        needed = 0;
        hasGrown = false;
        onSample(rttNs);
    }

    /**
     * A frame that was sent again has arrived itself: queues of unequal length had delayed it, so
     * the reordering window doubles, at most once in a round trip.
     */
    void onSpuriousRetransmit(final long nowNs) {
        needed = 0;
        if (!hasGrown || nowNs - grownNs >= smoothedNs) {
            hasGrown = true;
            grownNs = nowNs;
            windowFactor = Math.min(MAX_WINDOW_FACTOR, 2 * windowFactor);
        }
    }

    /** The copy of a frame has arrived, and no sign that the frame itself did. */
    void onNeededRetransmit() {
        if (windowFactor > 1 && ++needed >= NEEDED_BEFORE_HALVING) {
            needed = 0;
            windowFactor /= 2;
        }
    }

    /** Factor by which overtaken frames get more time than usual: 1 to 16. */
    int reorderingWindowFactor() {
        return windowFactor;
    }

    /** Something has been acknowledged: the timer runs for its normal time again. */
    void onProgress() {
        backOff = 0;
    }

    /** The timer has expired: it runs for twice as long. */
    void onTimeout() {
        backOff = Math.min(backOff + 1, MAX_BACK_OFF);
    }

    /** True if the timer has run out since the last progress. */
    boolean isBackedOff() {
        return backOff > 0;
    }

    /** Smoothed round trip; 0 before the first sample. */
    long smoothedNs() {
        return smoothedNs;
    }

    /** Time without progress after which frames are sent again. */
    long timeoutNs() {
        final long plainNs =
                smoothedNs == 0
                        ? FIRST_TIMEOUT_NS
                        : smoothedNs + 4 * variationNs + config.ackDelayNs();
        final long cappedNs = Math.min(plainNs, config.maxRetransmitNs());
        return clamp(cappedNs << backOff);
    }

    /** Age at which a frame is lost when one sent later has arrived. */
    long reorderTimeoutNs() {
        final long slackNs = Math.max(MIN_REORDERING_NS, 4 * variationNs);
        return windowFactor
                * (smoothedNs + Math.max(slackNs, smoothedNs / 4) + config.ackDelayNs());
    }

    /** Time between two bursts of frames sent again. */
    long resendPauseNs() {
        return Math.max(50_000, smoothedNs / 8);
    }

    /** The time between tries number {@code tries} - 1 and {@code tries}, from 0. */
    long retryNs(final int tries) {
        final long firstNs = smoothedNs == 0 ? FIRST_TIMEOUT_NS : 2 * smoothedNs;
        return clamp(Math.min(firstNs, config.maxRetransmitNs()) << Math.min(tries, MAX_BACK_OFF));
    }

    private long clamp(final long timeNs) {
        final long maxNs =
                Math.max(1, Math.min(config.maxRetransmitNs(), config.peerTimeoutNs() / 8));
        return Math.min(maxNs, Math.max(config.minRetransmitNs(), timeNs));
    }
}
