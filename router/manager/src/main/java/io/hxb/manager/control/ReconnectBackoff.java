package io.hxb.manager.control;

import java.util.concurrent.TimeUnit;

/**
 * When a session that has failed may be begun again: after a pause that doubles with each failure.
 * Owned by one thread.
 */
final class ReconnectBackoff {
    private static final long MIN_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long MAX_PAUSE_NS = TimeUnit.SECONDS.toNanos(10);

    private long pauseNs;
    private long nextNs;

    /** Nothing has failed yet. */
    ReconnectBackoff(final long nowNs) {
        nextNs = nowNs;
    }

    boolean isDue(final long nowNs) {
        return nextNs - nowNs <= 0;
    }

    void onFailure(final long nowNs) {
        pauseNs = Math.min(MAX_PAUSE_NS, Math.max(MIN_PAUSE_NS, 2 * pauseNs));
        nextNs = nowNs + pauseNs;
    }

    void onSuccess() {
        pauseNs = 0;
    }
}
