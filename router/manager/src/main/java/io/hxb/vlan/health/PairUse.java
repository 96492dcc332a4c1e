package io.hxb.vlan.health;

/**
 * Whether a pair of hosts has traffic, when its paths are probed next, and whether its two ends
 * agree. Owned by the thread of its {@link PathHealth}.
 */
final class PairUse {
    private static final long LINGER_NS = 2_000_000_000L;

    // The other host expects beats for as long as it believes that there is traffic.
    private static final long OWN_LINGER_NS = 2 * LINGER_NS + LINGER_NS / 4;
    private static final long HALF_NS = 1_000_000_000L;
    private static final long HALF_REPEAT_NS = 60_000_000_000L;

    private long trafficNs;
    private long peerTrafficNs;
    private long sinceNs;
    private long nextBeatNs;
    private long nextSpareNs;
    private int spare;
    private long halfNs;
    private boolean isHalf;
    private boolean isHalfReported;

    PairUse(final long nowNs) {
        trafficNs = nowNs - OWN_LINGER_NS;
        peerTrafficNs = trafficNs;
        nextBeatNs = nowNs;
        nextSpareNs = nowNs;
    }

    /** There is traffic for the other host; true if there was none for a while. */
    boolean onTraffic(final long nowNs) {
        final boolean isNew = begin(nowNs);
        trafficNs = nowNs;
        return isNew;
    }

    /** The other host reports that it has traffic; as {@link #onTraffic}. */
    boolean onPeerTraffic(final long nowNs) {
        final boolean isNew = begin(nowNs);
        peerTrafficNs = nowNs;
        return isNew;
    }

    private boolean begin(final long nowNs) {
        if (isActive(nowNs)) {
            return false;
        }
        sinceNs = nowNs;
        nextBeatNs = nowNs;
        return true;
    }

    /** True if there was traffic for the other host a moment ago. */
    boolean hasTraffic(final long nowNs) {
        return nowNs - trafficNs < LINGER_NS;
    }

    /** True if either host has traffic for the other. */
    boolean isActive(final long nowNs) {
        return nowNs - trafficNs < OWN_LINGER_NS || nowNs - peerTrafficNs < LINGER_NS;
    }

    /** How long there has been no traffic. */
    long idleNs(final long nowNs) {
        return Math.min(nowNs - trafficNs, nowNs - peerTrafficNs);
    }

    /** When traffic began. */
    long sinceNs() {
        return sinceNs;
    }

    boolean isBeatDue(final long nowNs) {
        return nowNs - nextBeatNs >= 0;
    }

    void onBeat(final long nowNs, final long intervalNs) {
        // Where beats are late, the next one is not early.
        nextBeatNs = nowNs - nextBeatNs > intervalNs ? nowNs : nextBeatNs;
        nextBeatNs += intervalNs;
    }

    boolean isSpareDue(final long nowNs) {
        return nowNs - nextSpareNs >= 0;
    }

    /** Which of so many spare paths is probed now. */
    int onSpare(final long nowNs, final long intervalNs, final int count) {
        nextSpareNs = nowNs + intervalNs;
        spare = (spare + 1) % count;
        return spare;
    }

    /** Notes whether the two ends agree; true if that has to be reported now. */
    boolean onLook(final boolean isAgreed, final long nowNs) {
        if (isAgreed) {
            final boolean wasReported = isHalfReported;
            isHalf = false;
            isHalfReported = false;
            return wasReported;
        }
        if (!isHalf) {
            isHalf = true;
            halfNs = nowNs;
        }
        if (nowNs - halfNs < (isHalfReported ? HALF_REPEAT_NS : HALF_NS)) {
            return false;
        }
        isHalfReported = true;
        halfNs = nowNs;
        return true;
    }

    /** True if it was notified that the two ends do not agree. */
    boolean isHalfReported() {
        return isHalfReported;
    }
}
