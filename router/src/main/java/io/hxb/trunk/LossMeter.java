package io.hxb.trunk;

/**
 * How many of a neighbour's frames get lost on one link: what it says it has sent, against what has
 * arrived. Guarded by the lock of {@link TrunkHealth}.
 *
 * <p>Frames that this node is to relay wait in a socket of their own, and on a busy node they wait
 * long, so what the neighbour says may be read before frames that it sent earlier. How many had
 * arrived when it said so is therefore known only in part: at least those that had been read by
 * then, at most those that have been read since by the time when both sockets were seen empty. What
 * is lost is what is missing for sure.
 */
final class LossMeter {
    private static final int FRAMES = 32;
    private static final int MIN_LOST = 3;
    private static final int SHARE_OF_DOUBT = 32;
    private static final int DRAINS = 2;

    private boolean isTold;
    private int toldSent;
    private int toldArrived;
    private int toldDrains;
    private boolean isStarted;
    private int sentStart;
    private int arrivedStart;
    private int doubtStart;
    private int percent;
    private int smoothed;

    /** Begins anew: nothing has been lost. */
    void forget() {
        isTold = false;
        isStarted = false;
        percent = 0;
        smoothed = 0;
    }

    /**
     * The neighbour has said, over the same link, how many frames it had sent here.
     *
     * @param sent its count, modulo 2^32.
     * @param arrived this node's count of frames read, modulo 2^32.
     * @param drains how often the link's sockets have been seen empty.
     */
    void onTold(final int sent, final int arrived, final int drains) {
        if (!isTold) {
            isTold = true;
            toldSent = sent;
            toldArrived = arrived;
            toldDrains = drains;
        }
    }

    /**
     * Compares, once all that had arrived when the neighbour last said something has been read.
     *
     * @return true if a measurement has ended with this.
     */
    boolean measure(final int arrived, final int drains) {
        if (!isTold || drains - toldDrains < DRAINS) {
            return false;
        }
        isTold = false;
        final int doubt = arrived - toldArrived;
        final int sentSince = toldSent - sentStart;
        if (!isStarted || sentSince < 0) {
            restart(doubt);
            return true;
        }
        if (sentSince < FRAMES || sentSince / SHARE_OF_DOUBT < doubtStart + doubt) {
            if (2 * doubt < doubtStart) {
                restart(doubt);
            }
            return false;
        }
        final int lost = sentSince - (arrived - arrivedStart);
        percent = lost < MIN_LOST ? 0 : (int) Math.min(100, 100L * lost / sentSince);
        smoothed += (100 * percent - smoothed) / 4;
        restart(doubt);
        return true;
    }

    private void restart(final int doubt) {
        isStarted = true;
        sentStart = toldSent;
        arrivedStart = toldArrived;
        doubtStart = doubt;
    }

    /** Share lost in the last measurement, in percent. */
    int percent() {
        return percent;
    }

    /** Share lost lately, in hundredths of a percent. */
    int smoothedHundredths() {
        return smoothed;
    }
}
