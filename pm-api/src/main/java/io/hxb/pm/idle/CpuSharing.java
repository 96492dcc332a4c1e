package io.hxb.pm.idle;

/**
 * Whether a thread that spins has its CPU to itself. One that yields and then waits for long until
 * it runs again has lost its CPU to a thread that computes: it gives way, which means that for a
 * while it has to wait as threads do that share a CPU, and for twice as long each time that happens
 * again right afterwards. Used by one thread at a time, on any clock.
 *
 * <p>A spinning thread uses its whole slice of 3 to 30 ms while the one it waits for is in the same
 * run queue. So it yields, which costs a third of a microsecond where nobody waits and lets the
 * other run at once where somebody does. Threads that all wait that way are back after a switch or
 * a few, even where many share a CPU.
 */
public final class CpuSharing {
    /** Pauses from this length on mean that threads outnumber CPUs, not a disturbance. */
    private static final long CROWDED_PAUSE_NS = IdleParameters.MAX_GIVE_WAY_NS / 8;

    private final RunQueue queue;
    private long yieldNs;
    private long resumedNs;
    private long pauseNs;
    private boolean hasGivenWay;
    private long giveWays;

    /** The threads that wait for the CPU of the calling one. */
    public interface RunQueue {
        /**
         * Lets another thread run that waits for the same CPU, if there is one.
         *
         * @return how long that took, in ns.
         */
        long yieldOnce();
    }

    CpuSharing(final RunQueue queue) {
        this.queue = queue;
    }

    /**
     * Lets another thread run that waits for the same CPU, if there is one.
     *
     * @return false if that took so long that this thread had better slept.
     */
    boolean letOthersRun() {
        yieldNs = queue.yieldOnce();
        return lostNs() == 0;
    }

    /** Time that a thread that computes took when this one last let others run, in ns; cheap. */
    long lostNs() {
        return yieldNs > IdleParameters.SHARED_YIELD_NS ? yieldNs : 0;
    }

    /** True if another thread ran when this one last let others run; cheap. */
    boolean isShared() {
        return yieldNs > IdleParameters.ALONE_YIELD_NS;
    }

    /**
     * Begins to give way, after others ran for long.
     *
     * @param nowNs time before they did.
     */
    void giveWay(final long nowNs) {
        final boolean isAgain =
                pauseNs > 0 && nowNs - resumedNs < IdleParameters.AGAIN_FACTOR * pauseNs;
        pauseNs =
                isAgain
                        ? Math.min(2 * pauseNs, IdleParameters.MAX_GIVE_WAY_NS)
                        : IdleParameters.MIN_GIVE_WAY_NS;
        resumedNs = nowNs + yieldNs + pauseNs;
        hasGivenWay = true;
        giveWays++;
    }

    /** True while it gives way; cheap. */
    boolean hasGivenWay() {
        return hasGivenWay;
    }

    /** True once when it has given way for long enough: it may try to spin again; cheap. */
    boolean takeReturn(final long nowNs) {
        if (!hasGivenWay || nowNs - resumedNs < 0) {
            return false;
        }
        hasGivenWay = false;
        resumedNs = nowNs;
        return true;
    }

    /** How often it gave way. */
    public long yields() {
        return giveWays;
    }

    /** True while it gives way because it lost its CPU again and again: threads outnumber CPUs. */
    public boolean isCrowded() {
        return hasGivenWay && pauseNs >= CROWDED_PAUSE_NS;
    }
}
