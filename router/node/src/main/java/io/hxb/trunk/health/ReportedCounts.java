package io.hxb.trunk.health;

/**
 * How many frames a neighbour reports as sent over one link. A report on another link may be read
 * before frames that arrived here earlier, so it counts only once the sockets of this link have
 * been seen empty since, twice because one look may have been under way. Guarded by the lock of
 * {@link TrunkHealth}.
 */
final class ReportedCounts {
    /** A number that far below the last was not overtaken: the last one was a lie. */
    private static final int MAX_BEHIND = 1 << 16;

    private static final int DRAINS = 2;

    private final LinkArrivals arrivals;
    private boolean isKnown;
    // The last word; one that waits for the sockets to be read; one for which they have been.
    private int reported;
    private boolean isWaiting;
    private int waiting;
    private int waitingDrains;
    private int sent;
    private int base;
    private int quietFrames;
    private int quietSent;

    ReportedCounts(final LinkArrivals arrivals) {
        this.arrivals = arrivals;
    }

    /** The neighbour is a new incarnation, which has reported nothing. */
    void forget() {
        isKnown = false;
    }

    /**
     * The neighbour reports how many frames it has sent here so far, modulo 2^32.
     *
     * @param drains how often the link's sockets have been seen empty.
     */
    void onReported(final int number, final int drains) {
        final int arrived = arrivals.framesNow();
        if (!isKnown || reported - number > MAX_BEHIND) {
            isKnown = true;
            isWaiting = false;
            reported = number;
            sent = number;
            base = number;
            quietFrames = arrived;
            quietSent = number;
            return;
        }
        reported = number - reported > 0 ? number : reported;
        if (arrived != quietFrames) {
            quietFrames = arrived;
            quietSent = reported;
        }
        if (!isWaiting) {
            await(drains);
        }
    }

    private void await(final int drains) {
        isWaiting = reported - sent > 0;
        waiting = reported;
        waitingDrains = drains;
    }

    /** Looks whether the sockets have been read since. */
    void look(final int drains) {
        if (isWaiting && drains - waitingDrains >= DRAINS) {
            sent = waiting;
            await(drains);
        }
    }

    /** True if the neighbour has reported anything. */
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
        return arrivals.frames() == quietFrames ? Math.max(0, sent - quietSent) : 0;
    }
}
