package io.hxb.flow;

/**
 * What has arrived on one flow and has not been acknowledged to its source. Owned by the loop that
 * owns the context; {@link AckScheduler} decides when it is acknowledged.
 */
final class PendingAck {
    /** Questions in a row, without new data, after which answers are assumed to get lost. */
    private static final int MAX_ASKS = 2;

    private int frames;
    private long owedNs;
    private boolean hasOwedNs;
    private long sinceNs;
    private boolean isDue;
    private boolean isOutOfOrder;
    private boolean hasAgain;
    private int asks;

    /** Adds what {@link ArrivalSummary} had. */
    void onArrivals(final long arrivals) {
        frames += ArrivalSummary.frames(arrivals);
        isDue |= ArrivalSummary.isNow(arrivals);
        isOutOfOrder |= ArrivalSummary.isOutOfOrder(arrivals);
        if (ArrivalSummary.isAgain(arrivals)) {
            hasAgain = true;
        } else {
            asks = 0;
        }
    }

    /**
     * The source asked again for what it was told: true if it does not seem to hear the answers.
     */
    boolean onAskedAgain() {
        return ++asks >= MAX_ASKS;
    }

    /** Frames that were not acknowledged may have become more than none. */
    void onOwed(final long nowNs) {
        if (frames > 0 && !hasOwedNs) {
            hasOwedNs = true;
            owedNs = nowNs;
        }
    }

    /** Since when there have been frames that were not acknowledged. */
    long owedNs() {
        return owedNs;
    }

    /** The source has to be told immediately. */
    void makeDue() {
        isDue = true;
    }

    /** The delay counts from now on. */
    void delay(final long nowNs) {
        sinceNs = nowNs;
    }

    /**
     * The source was told.
     *
     * @param isSelective whether with the bitmap and what came twice; otherwise frames out of order
     *     stay unacknowledged.
     */
    void onPaid(final boolean isSelective) {
        hasAgain &= !isSelective;
        if (isSelective || !isOutOfOrder) {
            frames = 0;
            hasOwedNs = false;
            isDue = false;
        }
    }

    /** The bitmap was written; {@code hasHoles} if some frames wait for earlier ones. */
    void onBitmap(final boolean hasHoles) {
        isOutOfOrder = hasHoles;
    }

    /** Frames that were not acknowledged; those out of order count more. */
    int frames() {
        return frames;
    }

    /** When the flow got in line; what it owed then may have been paid since. */
    long sinceNs() {
        return sinceNs;
    }

    /** True if the source has to be told immediately. */
    boolean isDue() {
        return isDue;
    }

    /** True if there is anything to acknowledge. */
    boolean isOwed() {
        return isDue || frames > 0;
    }

    /** True if frames may wait for earlier ones. */
    boolean isOutOfOrder() {
        return isOutOfOrder;
    }

    /** True if a frame has arrived twice and the source does not know it. */
    boolean hasAgain() {
        return hasAgain;
    }
}
