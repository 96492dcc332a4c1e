package io.hxb.flow;

/**
 * Whether a frame of the other direction soon carries what is owed for a flow: then waiting for it
 * saves a frame. Two ends that exchange messages more slowly than {@code flow.ackDelay}, as those
 * of a collective operation do, would otherwise send an acknowledgement for each. Owned by the loop
 * that owns the context.
 */
final class PiggybackPredictor {
    private static final int FIRST_MISSED = 2;
    private static final int MOST_MISSED = 64;

    private boolean isLikely;

    /** Rides in a row that an acknowledgement would have had, had it waited. */
    private int missed;

    /** Of these, how many make a ride likely: more, the more often one was waited for in vain. */
    private int neededMissed = FIRST_MISSED;

    /** When an acknowledgement was sent alone that no other has followed. */
    private long aloneNs;

    private boolean isAlone;

    /** True if it is worth waiting for a ride. */
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
     * What is owed has been acknowledged in a frame of its own, because its time was over.
     *
     * @param isVain whether it has waited for a ride.
     */
    void onSentAlone(final boolean isVain, final long nowNs) {
        if (isVain) {
            isLikely = false;
            missed = 0;
            neededMissed = Math.min(MOST_MISSED, 2 * neededMissed);
        }
        isAlone = true;
        aloneNs = nowNs;
    }

    /**
     * A frame of the other direction is sent.
     *
     * @param longestNs longest time that an acknowledgement would have waited beyond its time.
     */
    void onRide(final long longestNs, final long nowNs) {
        if (isLikely) {
            neededMissed = Math.max(FIRST_MISSED, neededMissed - 1);
        } else if (isAlone) {
            missed = nowNs - aloneNs <= longestNs ? missed + 1 : 0;
            isLikely = missed >= neededMissed;
        }
        isAlone = false;
    }
}
