package io.hxb.trunk.health;

/**
 * When the health of the links has to be worked on again. Written under the lock of {@link
 * TrunkHealth}; volatile because every loop reads it in each turn without the lock, so that a turn
 * with nothing due does not take it.
 */
final class HealthSchedule {
    private volatile long lookNs;
    private volatile long dueNs;
    // What is due according to the loop that worked last, which wakes up for it whichever loop is
    // the keeper.
    private volatile HealthLoop planner;
    private volatile boolean isStarted;

    /** That loop works now: it has found out what is due next. */
    void onWork(final HealthLoop loop) {
        isStarted = true;
        planner = loop;
    }

    /**
     * Sets what is due next.
     *
     * @param nextLookNs when to look again after frames were received or sent.
     * @param nextDueNs when something has to be sent or judged, whatever happens.
     */
    void next(final long nextLookNs, final long nextDueNs) {
        lookNs = nextLookNs;
        dueNs = nextDueNs;
    }

    /** Something is due immediately. */
    void onDue(final long nowNs) {
        dueNs = nowNs;
    }

    /** True if there may be something to do: it is time, or frames were received or sent. */
    boolean isDue(final long nowNs, final boolean isNoted) {
        return !isStarted || dueNs - nowNs <= 0 || (isNoted && lookNs - nowNs <= 0);
    }

    /** When there is something to do again, whatever happens. */
    long dueNs() {
        return dueNs;
    }

    /** When to look again after frames were received or sent. */
    long lookNs() {
        return lookNs;
    }

    /** True if that loop was the last to work: others may sleep past what it found due. */
    boolean isPlanner(final HealthLoop loop) {
        return planner == loop;
    }
}
