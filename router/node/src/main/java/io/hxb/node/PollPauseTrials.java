package io.hxb.node;

/**
 * When a loop may try to pause: soon after a pause that was worth it, and each time later after one
 * that was not, so that whoever is not helped by pauses hardly notices the tries. Owned by that
 * loop.
 */
final class PollPauseTrials {
    private static final long MIN_REST_NS = 1_000_000;
    private static final long MAX_REST_NS = 128_000_000;

    private long restNs = MIN_REST_NS;
    private long nextNs;
    private boolean hasStarted;

    /** True if a pause may be tried; a millisecond after the first call at the earliest. */
    boolean isDue(final long nowNs) {
        if (!hasStarted) {
            restFor(MIN_REST_NS, nowNs);
        }
        return nowNs - nextNs >= 0;
    }

    /** The last pause was worth it. */
    void onSuccess() {
        restNs = MIN_REST_NS;
    }

    /** It was not. */
    void onFailure(final long nowNs) {
        restFor(restNs, nowNs);
        restNs = Math.min(2 * restNs, MAX_REST_NS);
    }

    /** No pause is tried for so long, whatever happens. */
    void restFor(final long ns, final long nowNs) {
        hasStarted = true;
        nextNs = nowNs + ns;
    }
}
