package io.hxb.node;

import io.hxb.pm.idle.AdaptivePause;

/**
 * Pauses of a loop for one reason, and when it tries them: soon after pauses that were worth it,
 * and each time later after one that was not, so that exchanges of messages hardly notice the
 * tries. Owned by that loop.
 */
final class PauseTrials {
    private static final long MIN_REST_NS = 1_000_000;
    private static final long MAX_REST_NS = 128_000_000;

    private final AdaptivePause pause;
    private long itemsSeen;
    private long restNs = MIN_REST_NS;
    private long nextNs;
    private boolean hasStarted;

    /** Pauses as {@link AdaptivePause} makes them, in ns. */
    PauseTrials(final long minNs, final long maxNs, final long nsPerItem, final long manyItems) {
        pause = new AdaptivePause(minNs, maxNs, nsPerItem, manyItems);
    }

    /** True if the last answer was a pause. */
    boolean isPausing() {
        return pause.length() > 0;
    }

    /**
     * The loop has nothing to do.
     *
     * @param isWanted whether a try makes sense; it is made a millisecond after the first call at
     *     the earliest.
     * @param items that the loop has had to do with, since any start.
     * @param nowNs time in ns, from any start.
     * @return how long it should pause, in ns; 0 if it should not.
     */
    long pauseNs(final boolean isWanted, final long items, final long nowNs) {
        final long moved = items - itemsSeen;
        itemsSeen = items;
        if (!hasStarted) {
            rest(MIN_REST_NS, nowNs);
        } else if (pause.length() > 0) {
            pause.onPaused(moved);
            onPaused(nowNs);
        } else if (isWanted && moved > 0 && nowNs - nextNs >= 0) {
            pause.begin();
        }
        return pause.length();
    }

    private void onPaused(final long nowNs) {
        if (pause.length() > 0) {
            restNs = MIN_REST_NS;
        } else {
            rest(restNs, nowNs);
            restNs = Math.min(2 * restNs, MAX_REST_NS);
        }
    }

    /** Ends pauses; none is tried for so long. */
    void rest(final long ns, final long nowNs) {
        hasStarted = true;
        pause.end();
        nextNs = nowNs + ns;
    }
}
