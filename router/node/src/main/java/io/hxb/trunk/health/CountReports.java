package io.hxb.trunk.health;

/**
 * When a neighbour gets a report of how many frames were sent to it over each link, so that it can
 * distinguish a link that lost them from one that was not used. Guarded by the lock of {@link
 * TrunkHealth}.
 */
final class CountReports {
    /** Frames to a neighbour after which a report is due. */
    private static final int FRAMES = 32;

    /** Minimum time between two marks to a neighbour with little traffic in both directions. */
    private static final long RECEIVED_NS = 1_000_000;

    private final int links;
    private long lastNs;
    private int lastSent;
    private int lastReceived;
    private int lastLink;

    CountReports(final int links, final long nowNs) {
        this.links = links;
        lastNs = nowNs;
    }

    /**
     * The links on which a mark is due.
     *
     * <p>A neighbour that only sends learns about its links from acknowledgements, which are few:
     * it is reported over two links at the same time, each of which then shows what is missing on
     * the other.
     *
     * @param good links in use, a bit for each.
     * @param sentFrames frames sent to the neighbour so far, modulo 2^32.
     * @param receivedFrames frames received from it so far, modulo 2^32.
     * @return a bit for each.
     */
    long due(final long good, final int sentFrames, final int receivedFrames, final long nowNs) {
        if (!hasChoice(good) || nowNs - lastNs < TrunkHealth.CHECK_NS) {
            return 0;
        }
        final int sent = sentFrames - lastSent;
        final int received = receivedFrames - lastReceived;
        final boolean isReceiver =
                received >= FRAMES && received / 2 > sent && nowNs - lastNs >= RECEIVED_NS;
        if (!isReceiver && sent < FRAMES) {
            return 0;
        }
        lastNs = nowNs;
        lastSent = sentFrames;
        lastReceived = receivedFrames;
        final long mark = nextLink(good);
        return isReceiver ? mark | nextLink(good) : mark;
    }

    // The count of a link is meaningful only in comparison with that of another.
    private static boolean hasChoice(final long good) {
        return (good & (good - 1)) != 0;
    }

    // Each link in turn carries the counts of all of them.
    private long nextLink(final long good) {
        for (int tried = 0; tried < links; tried++) {
            lastLink = lastLink + 1 == links ? 0 : lastLink + 1;
            if ((good >>> lastLink & 1) != 0) {
                return 1L << lastLink;
            }
        }
        return 0;
    }
}
