package io.hxb.node;

import io.hxb.pm.idle.AdaptivePause;

/**
 * Pauses of a loop for one reason, and when it tries them: soon after pauses that were worth it,
 * and each time later after one that was not, or that was made longer and brought no more, so that
 * exchanges of messages hardly notice the tries. Owned by that loop.
 */
final class PauseTrials {
    private static final long MIN_REST_NS = 1_000_000;
    private static final long MAX_REST_NS = 128_000_000;

    private final AdaptivePause pause;
    private final boolean canGrow;
    private long itemsSeen;

    /** The pause before this one, if this one was made longer; otherwise 0. */
    private long shorterNs;

    /** What the pause before this one brought. */
    private long itemsOfShorter;

    private long restNs = MIN_REST_NS;
    private long nextNs;
    private boolean hasStarted;

    /** Pauses as {@link AdaptivePause} makes them, in ns. */
    PauseTrials(final long minNs, final long maxNs, final long nsPerItem, final long manyItems) {
        pause = new AdaptivePause(minNs, maxNs, nsPerItem, manyItems);
        canGrow = maxNs > minNs;
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
            onPaused(moved, nowNs);
        } else if (isWanted && moved > 0 && nowNs - nextNs >= 0) {
            pause.begin();
        }
        return pause.length();
    }

    // An exchange of long frames brings many bytes, but the same number in a longer pause.
    private void onPaused(final long moved, final long nowNs) {
        final long lengthNs = pause.length();
        final boolean isLonger = shorterNs > 0;
        // In proportion it would be (lengthNs - shorterNs) more; a third of that is enough.
        final boolean isInVain =
                isLonger && 3 * shorterNs * moved <= (2 * shorterNs + lengthNs) * itemsOfShorter;
        pause.onPaused(moved);
        itemsOfShorter = moved;
        shorterNs = pause.length() > lengthNs ? lengthNs : 0;
        if (isInVain) {
            pause.end();
        }
        if (pause.length() == 0) {
            rest(restNs, nowNs);
            restNs = Math.min(2 * restNs, MAX_REST_NS);
        } else if (isLonger || !canGrow) {
            restNs = MIN_REST_NS;
        }
    }

    /** Ends pauses; none is tried for so long. */
    void rest(final long ns, final long nowNs) {
        hasStarted = true;
        pause.end();
        shorterNs = 0;
        nextNs = nowNs + ns;
    }
}
