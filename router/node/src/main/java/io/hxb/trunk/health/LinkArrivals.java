package io.hxb.trunk.health;

/**
 * What has arrived on one link from one neighbour, as of the last look. Guarded by the lock of
 * {@link TrunkHealth}.
 */
final class LinkArrivals {
    private final ReceivedFrameCounts heard;
    private final int neighbour;
    private int frames;
    private long heardNs;

    LinkArrivals(final ReceivedFrameCounts heard, final int neighbour) {
        this.heard = heard;
        this.neighbour = neighbour;
    }

    /** Looks at what has arrived since the last look; true if anything has. */
    boolean look(final long nowNs) {
        final int seen = heard.frames(neighbour);
        final boolean isNews = seen != frames;
        frames = seen;
        if (isNews) {
            heardNs = nowNs;
        }
        return isNews;
    }

    /** Something is known to have arrived now; it is counted at the next look. */
    void onHeard(final long nowNs) {
        heardNs = nowNs;
    }

    /** Frames received by the last look, modulo 2^32. */
    int frames() {
        return frames;
    }

    /** Frames received by now, modulo 2^32; more than {@link #frames} between two looks. */
    int framesNow() {
        return heard.frames(neighbour);
    }

    /** When anything arrived last, as of the last look. */
    long heardNs() {
        return heardNs;
    }
}
