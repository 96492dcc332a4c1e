package io.hxb.flow;

/**
 * When idle flows are looked for: several times in the time after which a flow counts as idle, and
 * soon while a context has few flows left. Owned by one loop.
 */
final class SweepTimer {
    private static final int ROUNDS_PER_IDLE_TIME = 8;

    /** The pause while few flows are left. */
    private static final long SHORT_PAUSE_NS = 10_000_000;

    private final long pauseNs;
    private long dueNs;
    private boolean isSet;

    SweepTimer(final long idleTimeoutNs) {
        pauseNs = idleTimeoutNs / ROUNDS_PER_IDLE_TIME;
    }

    /** A context has few flows left: the next round begins soon. */
    void onShort(final long nowNs) {
        if (!isSet || dueNs - nowNs > SHORT_PAUSE_NS) {
            isSet = true;
            dueNs = nowNs + SHORT_PAUSE_NS;
        }
    }

    /** True if a round is due, or goes on. */
    boolean isDue(final long nowNs) {
        if (!isSet) {
            isSet = true;
            dueNs = nowNs + pauseNs;
        }
        return dueNs - nowNs <= 0;
    }

    /** A round has ended. */
    void onRound(final boolean wasShort, final long nowNs) {
        dueNs = nowNs + (wasShort ? SHORT_PAUSE_NS : pauseNs);
    }

    /** When {@link #isDue} becomes true, Long.MAX_VALUE for never. */
    long nextDeadlineNs() {
        return isSet ? dueNs : Long.MAX_VALUE;
    }
}
