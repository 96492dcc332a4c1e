package io.hxb.trunk.health;

/**
 * How many frames a neighbour says it has sent over one link. Guarded by the lock of {@link
 * TrunkHealth}.
 */
final class ToldFrames {
    /** A number that far behind the last was not overtaken: the last one was a lie. */
    private static final int MAX_BEHIND = 1 << 16;

    private final Arrivals arrivals;
    private boolean isKnown;
    private int sent;
    private int base;
    private int quietFrames;
    private int quietSent;

    ToldFrames(final Arrivals arrivals) {
        this.arrivals = arrivals;
    }

    /** The neighbour is a new incarnation, which has said nothing. */
    void forget() {
        isKnown = false;
    }

    /** The neighbour says how many frames it has sent here so far, modulo 2^32. */
    void onTold(final int told) {
        final int arrived = arrivals.framesNow();
        final boolean isQuiet = isKnown && arrived == quietFrames;
        if (!isKnown || sent - told > MAX_BEHIND) {
            isKnown = true;
            sent = told;
            base = told;
            quietSent = told;
        } else if (told - sent > 0) {
            sent = told;
        }
        if (!isQuiet) {
            quietFrames = arrived;
            quietSent = sent;
        }
    }

    /** True if the neighbour has said anything. */
    boolean isKnown() {
        return isKnown;
    }

    /** Begins to count again. */
    void rebase() {
        base = sent;
    }

    /** Frames sent since {@link #rebase}. */
    int sentSinceBase() {
        return sent - base;
    }

    /**
     * Frames that the neighbour has sent since anything arrived; 0 if something has just arrived.
     */
    int missing() {
        return arrivals.frames() == quietFrames ? sent - quietSent : 0;
    }
}
