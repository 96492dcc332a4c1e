package io.hxb.flow;

/**
 * Since when a flow has had no route to its peer. Owned by the loop of the flow. It ends when the
 * peer is heard, not when a route seems to exist again.
 *
 * <p>Relays discover one after another that a route is gone, so most of the time counts from when
 * the peer was heard last; but a node that was suspended gets half of the time to find its routes
 * again.
 */
final class RouteOutage {
    /** Tries that have to fail before the time counts: a node that was suspended has made none. */
    private static final int MIN_TRIES = 16;

    private static final long RETRY_NS = 5_000_000;

    private long retryNs;
    private long sinceNs;
    private int tries;
    private boolean isWaiting;

    /** Makes one for a flow with routes. */
    RouteOutage() {}

    /** No route was found at {@code nowNs}. */
    void onNoRoute(final long nowNs) {
        if (tries++ == 0) {
            sinceNs = nowNs;
        }
        isWaiting = true;
        retryNs = nowNs + RETRY_NS;
    }

    /** The flow tries again now. */
    void onRetry() {
        isWaiting = false;
    }

    /** The peer was heard. */
    void onHeard() {
        tries = 0;
        isWaiting = false;
    }

    /** True while the flow waits for a route. */
    boolean isWaiting() {
        return isWaiting;
    }

    /** When to look for a route again, if {@link #isWaiting()}. */
    long retryNs() {
        return retryNs;
    }

    /** True if a search for a route has failed since the peer was heard. */
    boolean isCounting() {
        return tries > 0;
    }

    /**
     * When the peer counts as unreachable, if {@link #isCounting()} until then.
     *
     * @param heardNs when the peer was heard last, or was first sent something after that.
     * @param limitNs longest time that may pass since then.
     */
    long endsNs(final long heardNs, final long limitNs) {
        final long silenceEndsNs = heardNs + limitNs;
        final long searchEndsNs = sinceNs + limitNs / 2;
        return silenceEndsNs - searchEndsNs > 0 ? silenceEndsNs : searchEndsNs;
    }

    /** True if there has been no route until {@link #endsNs}. */
    boolean isOver(final long heardNs, final long limitNs, final long nowNs) {
        return tries >= MIN_TRIES && nowNs - endsNs(heardNs, limitNs) >= 0;
    }
}
