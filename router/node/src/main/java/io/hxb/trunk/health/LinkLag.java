package io.hxb.trunk.health;

/**
 * By how much frames arrive later on one link than what is reported about them on others, as where
 * one cable is longer or its delay varies. A report that overtakes the frames that it counts shows
 * it: the time until they have arrived is measured. Guarded by the lock of {@link TrunkHealth}.
 *
 * <p>Source: RFC 6298, section 2, for the estimate of a time and of its variation.
 */
final class LinkLag {
    /** Lags of a few looks at the links are those of loops, not of cables. */
    private static final long NEGLIGIBLE_NS = 4 * TrunkHealth.CHECK_NS;

    /** What is allowed before anything was measured: cables are longer than that nowhere. */
    private static final long FIRST_NS = 250_000_000;

    private static final long MAX_NS = 1_000_000_000;

    /** A frame that was lost seems late; beyond this, a lag has to show more than once. */
    private static final long GROWTH_NS = 20_000_000;

    private static final int VARIATION_FACTOR = 4;

    /** Part of the lag that is forgotten whenever frames arrive no later than reports. */
    private static final int FADING_PART = 64;

    private final LinkArrivals arrivals;
    private boolean isPlaced;

    /** Frames that the neighbour has sent here and that will not arrive any more. */
    private int missing;

    private boolean isAwaiting;
    private int awaited;
    private long awaitedSinceNs;
    private boolean isMeasured;
    private long smoothedNs;
    private long variationNs;

    LinkLag(final LinkArrivals arrivals) {
        this.arrivals = arrivals;
    }

    /** The neighbour is a new incarnation: nothing is known. */
    void forget() {
        isPlaced = false;
        isAwaiting = false;
        isMeasured = false;
        smoothedNs = 0;
        variationNs = 0;
    }

    /**
     * The neighbour reports over this link how many frames it has sent here, which have arrived.
     *
     * @param isUsed false if the link is left out: what it lost until then is not late.
     */
    void onReportedHere(final int sent, final boolean isUsed, final long nowNs) {
        look(nowNs);
        isAwaiting &= isUsed;
        isPlaced = true;
        missing = sent - arrivals.framesNow();
        look(nowNs);
    }

    /** The neighbour reports over another link how many frames it has sent here. */
    void onReportedElsewhere(final int sent, final long nowNs) {
        if (!isPlaced || isAwaiting) {
            return;
        }
        if (hasArrived(sent)) {
            fade();
        } else {
            isAwaiting = true;
            awaited = sent;
            awaitedSinceNs = nowNs;
        }
    }

    /** Looks whether what was reported elsewhere has arrived. */
    void look(final long nowNs) {
        if (isAwaiting && hasArrived(awaited)) {
            isAwaiting = false;
            onSample(nowNs - awaitedSinceNs);
        }
    }

    /** True if frames that were reported elsewhere are missing for longer than frames are late. */
    boolean isExceeded(final long nowNs) {
        return !isPlaced || (isAwaiting && nowNs - awaitedSinceNs >= allowanceNs());
    }

    private boolean hasArrived(final int sent) {
        return sent - (arrivals.framesNow() + missing) <= 0;
    }

    private void onSample(final long lagNs) {
        if (lagNs < NEGLIGIBLE_NS) {
            fade();
            return;
        }
        final long maxNs = isMeasured ? 2 * allowanceNs() + GROWTH_NS : MAX_NS;
        final long sampleNs = Math.min(lagNs, maxNs);
        if (isMeasured) {
            variationNs += (Math.abs(smoothedNs - sampleNs) - variationNs) / 4;
            smoothedNs += (sampleNs - smoothedNs) / 8;
        } else {
            isMeasured = true;
            smoothedNs = sampleNs;
            variationNs = sampleNs / 2;
        }
    }

    private void fade() {
        isMeasured = true;
        smoothedNs -= smoothedNs / FADING_PART;
        variationNs -= variationNs / FADING_PART;
    }

    /** For how many ns more than others the link may be silent, 0 on most. */
    long allowanceNs() {
        if (!isMeasured) {
            return FIRST_NS;
        }
        final long lagNs = smoothedNs + VARIATION_FACTOR * variationNs;
        return lagNs < NEGLIGIBLE_NS ? 0 : Math.min(MAX_NS, lagNs);
    }
}
