package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.time.Deadline;

/**
 * Whether the peer of one sending flow is still there: since when it has not answered what is
 * outstanding, has had no route, or has not had the context open. Owned by the loop of the flow.
 */
final class PeerLiveness {
    private static final long MIN_ABSENCE_PAUSE_NS = 1_000_000L;
    private static final long MAX_ABSENCE_PAUSE_NS = 50_000_000L;

    private final FlowConfig config;
    private final RouteOutage routeOutage = new RouteOutage();
    private final PeerGoneClaim peerGoneClaim = new PeerGoneClaim();
    private long lastHeardNs;
    private long outstandingSinceNs;
    private boolean isOutstanding;

    /** Since when the peer's node reports that nobody has opened the context, if it does. */
    private long absentSinceNs;

    private boolean isAbsent;

    /** True once the peer has accepted the flow, in any epoch. */
    private boolean wasOpen;

    PeerLiveness(final FlowConfig config) {
        this.config = config;
    }

    /** The flow is about to be opened. */
    void start(final long nowNs) {
        lastHeardNs = nowNs;
        isAbsent = false;
        peerGoneClaim.onHeard();
    }

    /** The flow has ended. */
    void end() {
        isOutstanding = false;
        routeOutage.onHeard();
        peerGoneClaim.onHeard();
    }

    /** The claim that the peer of an open flow is gone. */
    PeerGoneClaim denial() {
        return peerGoneClaim;
    }

    /** The peer was heard. */
    void onHeard(final long nowNs) {
        lastHeardNs = nowNs;
        routeOutage.onHeard();
    }

    /** The peer has accepted the flow. */
    void onAccepted(final long nowNs) {
        wasOpen = true;
        onHeard(nowNs);
    }

    /** Something waits for an answer of the peer. */
    void onOutstanding(final long nowNs) {
        if (!isOutstanding) {
            isOutstanding = true;
            outstandingSinceNs = nowNs;
        }
    }

    /** Nothing waits for an answer of the peer. */
    void onNothingOutstanding() {
        isOutstanding = false;
    }

    /**
     * The peer's node reports that nobody has opened the context.
     *
     * @param waitNs how long messages wait for that.
     * @return the time in ns after which to ask again, which grows with the time for which nobody
     *     has been there; 0 if they have waited long enough.
     */
    long onAbsent(final long nowNs, final long waitNs) {
        if (!isAbsent) {
            isAbsent = true;
            absentSinceNs = nowNs;
        }
        final long absentNs = nowNs - absentSinceNs;
        final long leftNs = waitNs - absentNs;
        if (leftNs <= 0) {
            return 0;
        }
        // The answer shows that the route works.
        onHeard(nowNs);
        final long pauseNs = Math.clamp(absentNs / 4, MIN_ABSENCE_PAUSE_NS, MAX_ABSENCE_PAUSE_NS);
        return Math.min(pauseNs, leftNs);
    }

    /** There was no route to the peer. */
    void onNoRoute(final long nowNs) {
        routeOutage.onNoRoute(nowNs);
    }

    /** True while the flow waits for a route. */
    boolean isWithoutRoute() {
        return routeOutage.isWaiting();
    }

    /** When to look for a route again, if {@link #isWithoutRoute()}. */
    long routeRetryNs() {
        return routeOutage.retryNs();
    }

    /** True if it is time to look for a route again, which the flow then does. */
    boolean retryRouteWhenDue(final long nowNs) {
        if (!routeOutage.isWaiting() || routeOutage.retryNs() - nowNs > 0) {
            return false;
        }
        routeOutage.onRetry();
        return true;
    }

    /** True if the peer counts as unreachable: it was silent, or had no route, for too long. */
    boolean isLost(final long nowNs) {
        return isOutstanding && (silenceEndsNs() - nowNs <= 0 || isCutOff(nowNs));
    }

    // One that never answered may not be up yet: it gets the whole peer timeout.
    private boolean isCutOff(final long nowNs) {
        return wasOpen
                && routeOutage.isOver(silentSinceNs(), config.routes().partitionTimeoutNs(), nowNs);
    }

    /** When to ask {@link #isLost} or look for a route again, Long.MAX_VALUE for never. */
    long wakeNs(final long nowNs) {
        final long silenceNs = isOutstanding ? silenceEndsNs() : Long.MAX_VALUE;
        final long wakeNs = Deadline.earlier(silenceNs, peerGoneClaim.wakeNs());
        return routeOutage.isCounting() ? Deadline.earlier(wakeNs, cutOffWakeNs(nowNs)) : wakeNs;
    }

    // Also while a frame is out to try a route: its outcome may be known too late.
    private long cutOffWakeNs(final long nowNs) {
        final long retryNs = routeOutage.isWaiting() ? routeOutage.retryNs() : Long.MAX_VALUE;
        final long endsNs =
                routeOutage.endsNs(silentSinceNs(), config.routes().partitionTimeoutNs());
        return endsNs - nowNs > 0 ? Deadline.earlier(retryNs, endsNs) : retryNs;
    }

    private long silenceEndsNs() {
        return silentSinceNs() + config.peerTimeoutNs();
    }

    private long silentSinceNs() {
        return lastHeardNs - outstandingSinceNs > 0 ? lastHeardNs : outstandingSinceNs;
    }
}
