package io.hxb.flow;

/**
 * What the source of one flow has not been told yet of what has arrived. Owned by the loop that
 * owns the context; {@link AckScheduler} decides when it is told.
 */
final class AckDebt {
    /** Questions in a row, without new data, after which answers are taken to get lost. */
    private static final int MAX_ASKS = 2;

    private int frames;
    private long sinceNs;
    private boolean isDue;
    private boolean isOutOfOrder;
    private boolean hasAgain;
    private int asks;

    /** Takes in what {@link Arrivals} had. */
    void onArrivals(final long arrivals) {
        frames += Arrivals.frames(arrivals);
        isDue |= Arrivals.isNow(arrivals);
        isOutOfOrder |= Arrivals.isOutOfOrder(arrivals);
        if (Arrivals.isAgain(arrivals)) {
            hasAgain = true;
        } else {
            asks = 0;
        }
    }

    /** The source asked again for what it was told: true if it does not seem to hear it. */
    boolean onAskedAgain() {
        return ++asks >= MAX_ASKS;
    }

    /** The source is to be told at once. */
    void makeDue() {
        isDue = true;
    }

    /** Counts the delay from now on. */
    void delay(final long nowNs) {
        sinceNs = nowNs;
    }

    /**
     * The source was told.
     *
     * @param isSelective with the bitmap and what came twice; else frames out of order stay owed.
     */
    void onPaid(final boolean isSelective) {
        hasAgain &= !isSelective;
        if (isSelective || !isOutOfOrder) {
            frames = 0;
            isDue = false;
        }
    }

    /** The bitmap was written; {@code hasHoles}: some frames wait for earlier ones. */
    void onBitmap(final boolean hasHoles) {
        isOutOfOrder = hasHoles;
    }

    /** Frames that the source was not told of; those out of order weigh more. */
    int frames() {
        return frames;
    }

    /** When the delay began. */
    long sinceNs() {
        return sinceNs;
    }

    /** True if the source is to be told at once. */
    boolean isDue() {
        return isDue;
    }

    /** True if there is anything to tell. */
    boolean isOwed() {
        return isDue || frames > 0;
    }

    /** True if frames may wait for earlier ones. */
    boolean isOutOfOrder() {
        return isOutOfOrder;
    }

    /** True if a frame has come twice and the source does not know it. */
    boolean hasAgain() {
        return hasAgain;
    }
}
