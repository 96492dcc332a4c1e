package io.hxb.vlan.health;

import io.hxb.trunk.health.HoldDown;

/**
 * One path of a pair of hosts: what comes there, and what the other host reports of what comes to
 * it. Owned by the thread of its {@link PathHealth}.
 */
final class VlanPath {
    private static final int LOSS_FRAMES = 64;
    private static final long LONG_AGO_NS = 3_600_000_000_000L;

    private final int vid;
    private final HoldDown hold;
    private PathState state = PathState.UNKNOWN;
    private PathState reported = PathState.UNKNOWN;
    private long heardNs;
    private int sent;
    private int reportedSent;
    private int windowSent;
    private int windowHeard;
    private int lostPercent;
    private int repliedRounds;
    private int requests;

    VlanPath(final int vid, final HoldDown.Terms terms, final long nowNs) {
        this.vid = vid;
        hold = new HoldDown(terms);
        heardNs = nowNs - LONG_AGO_NS;
    }

    int vid() {
        return vid;
    }

    /** State of the direction to this host. */
    PathState state() {
        return state;
    }

    /** State of the direction from this host, as the other one reports it. */
    PathState reported() {
        return reported;
    }

    void onReported(final PathState value) {
        reported = value;
    }

    boolean isDead() {
        return state == PathState.DEAD || reported == PathState.DEAD;
    }

    /** True if both hosts hear one another here. */
    boolean isProven() {
        return state == PathState.HEARD && reported == PathState.HEARD;
    }

    /** When a frame came last; before the first, long ago. */
    long heardNs() {
        return heardNs;
    }

    /** Counts one frame more that is sent here. */
    int send() {
        return ++sent;
    }

    /** The other host has restarted: nothing is known of it. */
    void forget() {
        state = PathState.UNKNOWN;
        reported = PathState.UNKNOWN;
        reportedSent = 0;
        windowHeard = 0;
        lostPercent = 0;
        repliedRounds = 0;
    }

    /**
     * A frame has come here.
     *
     * @param peerSent how many the other host has sent here.
     * @return true if the path was dead and may be used again.
     */
    boolean onFrame(final int peerSent, final long nowNs) {
        final boolean isNext = peerSent == reportedSent + 1;
        measure(peerSent);
        heardNs = nowNs;
        if (state == PathState.DEAD) {
            hold.onBeat(isNext);
            if (!hold.isOver(nowNs)) {
                return false;
            }
            hold.onRecovered(nowNs);
            state = PathState.HEARD;
            return true;
        }
        state = PathState.HEARD;
        return false;
    }

    private void measure(final int peerSent) {
        if (windowHeard == 0 || peerSent - reportedSent < 0) {
            windowSent = peerSent;
            windowHeard = 1;
            lostPercent = 0;
        } else {
            windowHeard++;
            final int frames = 1 + peerSent - windowSent;
            if (frames >= LOSS_FRAMES) {
                lostPercent = Math.max(0, (frames - windowHeard) * 100 / frames);
                windowHeard = 0;
            }
        }
        reportedSent = peerSent;
    }

    /** Share of the frames of the last measurement that were lost, in percent. */
    int lostPercent() {
        return lostPercent;
    }

    void fail(final boolean isLossy, final long nowNs) {
        state = PathState.DEAD;
        lostPercent = 0;
        windowHeard = 0;
        hold.onFailed(isLossy, nowNs);
    }

    /** A validation begins. */
    void clearReplies() {
        repliedRounds = 0;
        requests = 0;
    }

    /** A request was sent here. */
    void onRequest() {
        requests++;
    }

    /** Requests that were sent here in this validation. */
    int requests() {
        return requests;
    }

    /** There was a reply to the request of a round. */
    void onReply(final int round) {
        repliedRounds |= 1 << round;
    }

    /** Rounds with a reply in this validation. */
    int replies() {
        return Integer.bitCount(repliedRounds);
    }
}
