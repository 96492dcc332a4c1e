package io.hxb.trunk.health;

/**
 * How many of a neighbour's frames get lost on one link: what it reports as sent, against what has
 * arrived. Guarded by the lock of {@link TrunkHealth}.
 *
 * <p>On a busy node the two are not known for the same moment. Frames to be relayed wait in a
 * socket of their own, so the neighbour's count may be read before frames that it sent earlier.
 * Those read from then on, until both sockets were seen empty, are in doubt, and a measurement
 * needs more frames than that. Where the kernel relays, frames that the neighbour sent later are
 * counted while its count waits to be read: then too few are missing, and as many more the next
 * time. So the loss is what is missing beyond the maximum that was missing in any of the last four
 * measurements.
 */
final class LossMeter {
    private static final int FRAMES = 32;
    private static final int MIN_LOST = 3;
    private static final int SHARE_OF_DOUBT = 32;
    private static final int DRAINS = 2;

    /**
     * Measurements looked back to, a power of two: that many in a row may be of words read late.
     */
    private static final int MEMORY = 4;

    private boolean isReported;
    private int reportedSent;
    private int reportedArrived;
    private int reportedDrains;
    private final int[] sentBefore = new int[MEMORY];
    private final int[] arrivedBefore = new int[MEMORY];
    private int known;
    private int last;
    private int lastDoubt;
    private int percent;
    private int smoothed;

    /** Begins again: nothing has been lost. */
    void forget() {
        isReported = false;
        known = 0;
        percent = 0;
        smoothed = 0;
    }

    /**
     * The neighbour has reported, over the same link, how many frames it had sent here.
     *
     * @param sent its count, modulo 2^32.
     * @param arrived this node's count of frames read, modulo 2^32.
     * @param drains how often the link's sockets have been seen empty.
     */
    void onReported(final int sent, final int arrived, final int drains) {
        if (!isReported) {
            isReported = true;
            reportedSent = sent;
            reportedArrived = arrived;
            reportedDrains = drains;
        }
    }

    /**
     * Compares the counts, once everything has been read that had arrived when the neighbour sent
     * its last count.
     *
     * @return true if a measurement has ended with this.
     */
    boolean measure(final int arrived, final int drains) {
        if (!isReported || drains - reportedDrains < DRAINS) {
            return false;
        }
        isReported = false;
        final int doubt = arrived - reportedArrived;
        if (known == 0 || reportedSent - sentBefore[last] < 0) {
            known = 0;
            remember(doubt);
            return true;
        }
        final int sentSince = reportedSent - sentBefore[last];
        if (sentSince < FRAMES || sentSince / SHARE_OF_DOUBT < lastDoubt + doubt) {
            if (2 * doubt < lastDoubt) {
                replaceLast(doubt);
            }
            return false;
        }
        final int base = maxMissing();
        final int lost = missing(base, arrived);
        percent =
                lost < MIN_LOST
                        ? 0
                        : (int) Math.min(100, 100L * lost / (reportedSent - sentBefore[base]));
        smoothed += (100 * percent - smoothed) / 4;
        remember(doubt);
        return true;
    }

    /** The latest of the measurements in which about as much was missing as in any. */
    private int maxMissing() {
        int best = last;
        for (int age = 1; age < known; age++) {
            final int index = last - age & MEMORY - 1;
            final int more =
                    sentBefore[index]
                            - sentBefore[best]
                            - (arrivedBefore[index] - arrivedBefore[best]);
            best = more >= MIN_LOST ? index : best;
        }
        return best;
    }

    /** Frames sent and not arrived since a measurement. */
    private int missing(final int base, final int arrived) {
        return reportedSent - sentBefore[base] - (arrived - arrivedBefore[base]);
    }

    private void remember(final int doubt) {
        last = last + 1 & MEMORY - 1;
        known = Math.min(MEMORY, known + 1);
        replaceLast(doubt);
    }

    private void replaceLast(final int doubt) {
        sentBefore[last] = reportedSent;
        arrivedBefore[last] = reportedArrived + doubt;
        lastDoubt = doubt;
    }

    /** Share lost in the last measurement, in percent. */
    int percent() {
        return percent;
    }

    /** Share lost recently, in hundredths of a percent. */
    int smoothedHundredths() {
        return smoothed;
    }
}
