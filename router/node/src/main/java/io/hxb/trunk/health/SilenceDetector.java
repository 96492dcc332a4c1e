package io.hxb.trunk.health;

import io.hxb.config.TrunkConfig;

/**
 * Judges whether one link to one neighbour is silent: next to nothing arrives there while others of
 * the trunk carry frames, though the neighbour sends there. Guarded by the lock of {@link
 * TrunkHealth}.
 */
final class SilenceDetector {
    /** Consecutive looks in which a link was silent while another was not, before it is judged. */
    static final int SILENT_CHECKS = 6;

    // Checks further apart show no more than this: in between, nobody was heard, or nobody looked.
    private static final long MAX_LOOK_NS = 2 * TrunkHealth.CHECK_NS;

    private static final long MAX_GAP_NS = 5_000_000;
    private static final int GAP_FACTOR = 4;

    // A few missing frames, such as acknowledgements, are evidence only on a link that is known to
    // be fast and to lose little.
    private static final long SURE_GAP_NS = MAX_GAP_NS / 2;
    private static final int MISSED_FRAMES = 4;
    private static final int MISSED_CHECKS = 4;
    private static final int FEW_LOST_PERCENT = 1;

    private final TrunkConfig config;
    private final SilenceThreshold silenceThreshold;
    private final LinkLag lag;
    private final LinkArrivals[] trunk;
    private final LinkArrivals arrivals;
    private final ReportedCounts reported;
    private final int[] bases;
    private final int number;
    private long baseNs;
    private long gapNs;
    private int silentChecks;
    // Time in which others were heard and this link was not; a silence of all is nobody's.
    private long silentNs;
    private long lookedNs;

    /**
     * Makes the judge of one link.
     *
     * @param lag how late its frames are.
     * @param trunk what arrives from the neighbour, {@code [links of the trunk]}.
     * @param number number of the link in the trunk.
     */
    SilenceDetector(
            final TrunkConfig config,
            final SilenceThreshold silenceThreshold,
            final LinkLag lag,
            final LinkArrivals[] trunk,
            final int number) {
        this.config = config;
        this.silenceThreshold = silenceThreshold;
        this.lag = lag;
        this.trunk = trunk;
        this.number = number;
        arrivals = trunk[number];
        reported = new ReportedCounts(arrivals);
        bases = new int[trunk.length];
    }

    /** The neighbour is a new incarnation, which has reported nothing. */
    void forget() {
        reported.forget();
    }

    /** The link is used from now on. */
    void restart(final long nowNs) {
        silentChecks = 0;
        silentNs = 0;
        lookedNs = nowNs;
        rebase(nowNs);
    }

    /**
     * The neighbour reports how many frames it has sent here; see {@link
     * ReportedCounts#onReported}.
     */
    void onReported(final int sent, final int drains) {
        reported.onReported(sent, drains);
    }

    /**
     * Notes the result of one look; after {@link LinkArrivals#look} of the whole trunk.
     *
     * @param isHeard whether something arrived here since the last look.
     * @param isOtherHeard whether something arrived on another link since then.
     * @param drains how often the link's sockets have been seen empty.
     */
    void look(
            final boolean isHeard, final boolean isOtherHeard, final int drains, final long nowNs) {
        reported.look(drains);
        final int frames = arrivals.frames() - bases[number];
        if (frames >= config.minFrames()) {
            measureGap(frames, nowNs);
            rebase(nowNs);
        }
        if (isHeard) {
            silentChecks = 0;
            silentNs = 0;
        } else if (isOtherHeard) {
            silentChecks++;
            silentNs += Math.min(nowNs - lookedNs, MAX_LOOK_NS);
        }
        lookedNs = nowNs;
    }

    /**
     * True if a link in use is silent while others are not, though the neighbour sends there; after
     * {@link #look}.
     *
     * @param isOtherHeard as for {@link #look}.
     * @param lostHundredths share of its frames lost recently, in hundredths of a percent.
     */
    boolean isSilent(final boolean isOtherHeard, final int lostHundredths, final long nowNs) {
        if (!reported.isKnown()
                || nowNs - arrivals.heardNs() < GAP_FACTOR * gapNs
                || silentNs < silenceThreshold.ns() + lag.allowanceNs()
                || !lag.isExceeded(nowNs)) {
            return false;
        }
        return (isOtherHeard && isMissed(lostHundredths)) || isOvertaken();
    }

    /** True if frames that the neighbour has sent since anything arrived here are missing. */
    private boolean isMissed(final int lostHundredths) {
        return reported.missing() >= MISSED_FRAMES
                && silentChecks >= MISSED_CHECKS
                && gapNs < SURE_GAP_NS
                && lostHundredths < 100 * FEW_LOST_PERCENT;
    }

    /**
     * True if another link received many frames while this one received almost none of those sent.
     */
    private boolean isOvertaken() {
        if (silentChecks < SILENT_CHECKS || reported.sentSinceBase() < minSentFrames()) {
            return false;
        }
        for (int i = 0; i < trunk.length; i++) {
            if (trunk[i].frames() - bases[i] >= config.failFrames()) {
                return true;
            }
        }
        return false;
    }

    // Frames that the neighbour must have sent over a link for its silence to mean anything.
    private int minSentFrames() {
        return Math.max(config.minFrames(), config.failFrames() / 4);
    }

    // The usual time between frames: a slow link is not silent between two of them.
    private void measureGap(final int frames, final long nowNs) {
        final long sampleNs = Math.min(MAX_GAP_NS, (nowNs - baseNs) / frames);
        gapNs += (sampleNs - gapNs) / 2;
    }

    private void rebase(final long nowNs) {
        baseNs = nowNs;
        reported.rebase();
        for (int i = 0; i < trunk.length; i++) {
            bases[i] = trunk[i].frames();
        }
    }
}
