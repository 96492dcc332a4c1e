package io.hxb.flow;

/**
 * What has arrived on one flow and has not been acknowledged to its source. Owned by the loop that
 * owns the context; {@link AckScheduler} decides when it is acknowledged.
 */
final class PendingAck {
    /**
     * Retransmits in a row, without new data, after which acknowledgements are assumed to get lost.
     */
    private static final int MAX_ASKS = 2;

    private int frames;
    private long pendingSinceNs;
    private boolean hasPendingSince;
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

    /** The source sent acknowledged data again; true if it does not seem to get the answers. */
    boolean onAskedAgain() {
        return ++asks >= MAX_ASKS;
    }

    /** Starts the delay if there are unacknowledged frames for the first time. */
    void startDelay(final long nowNs) {
        if (frames > 0 && !hasPendingSince) {
            hasPendingSince = true;
            pendingSinceNs = nowNs;
        }
    }

    /** When the oldest unacknowledged frame arrived. */
    long pendingSinceNs() {
        return pendingSinceNs;
    }

    /** An acknowledgement has to be sent immediately. */
    void makeDue() {
        isDue = true;
    }

    /** The delay counts from now on. */
    void delay(final long nowNs) {
        sinceNs = nowNs;
    }

    /**
     * An acknowledgement was sent.
     *
     * @param isSelective whether with the bitmap and what came twice; otherwise frames out of order
     *     stay unacknowledged.
     */
    void onAcknowledged(final boolean isSelective) {
        hasAgain &= !isSelective;
        if (isSelective || !isOutOfOrder) {
            frames = 0;
            hasPendingSince = false;
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

    /** When the flow was queued; it may have been acknowledged since. */
    long sinceNs() {
        return sinceNs;
    }

    /** True if an acknowledgement has to be sent immediately. */
    boolean isDue() {
        return isDue;
    }

    /** True if there is anything to acknowledge. */
    boolean isPending() {
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
