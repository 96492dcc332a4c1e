package io.hxb.flow;

/**
 * Predicts whether a frame of the other direction will soon carry the acknowledgement of a flow:
 * then waiting for it saves a frame. Two ends that exchange messages more slowly than {@code
 * flow.ackDelay}, as those of a collective operation do, would otherwise send an acknowledgement
 * for each. Owned by the loop that owns the context.
 */
final class PiggybackPredictor {
    private static final int FIRST_MISSED = 2;
    private static final int MAX_MISSED = 64;

    private boolean isLikely;

    /** Frames in a row that would have carried an acknowledgement, had it waited. */
    private int missed;

    /**
     * How many of these make piggybacking likely: twice as many after each wait without a frame.
     */
    private int neededMissed = FIRST_MISSED;

    /** When the last acknowledgement was sent in a frame of its own. */
    private long aloneNs;

    private boolean isAlone;

    /** True if it is worth waiting for a frame of the other direction. */
    boolean isLikely() {
        return isLikely;
    }

    /** Something has arrived that is to be acknowledged. */
    void onArrival() {
        if (isAlone) {
            isAlone = false;
            // Its source may have waited for it.
            missed = 0;
        }
    }

    /**
     * An acknowledgement was sent in a frame of its own, because its delay was over.
     *
     * @param hasWaited whether it had waited to be piggybacked.
     */
    void onSentAlone(final boolean hasWaited, final long nowNs) {
        if (hasWaited) {
            isLikely = false;
            missed = 0;
            neededMissed = Math.min(MAX_MISSED, 2 * neededMissed);
        }
        isAlone = true;
        aloneNs = nowNs;
    }

    /**
     * A frame of the other direction is sent.
     *
     * @param longestNs longest time that an acknowledgement would have waited beyond its time.
     */
    void onPiggyback(final long longestNs, final long nowNs) {
        if (isLikely) {
            neededMissed = Math.max(FIRST_MISSED, neededMissed - 1);
        } else if (isAlone) {
            missed = nowNs - aloneNs <= longestNs ? missed + 1 : 0;
            isLikely = missed >= neededMissed;
        }
        isAlone = false;
    }
}
