package io.hxb.pm.idle;

/**
 * Whether a thread that has nothing to do spins or sleeps: it spins for a while as long as spinning
 * finds something. A wait that spun in vain lets the next ones sleep at once, each time twice as
 * many, so a thread whose CPU others need, or for which nothing comes for long, gives up spinning;
 * one that finds something halves that and lets the next wait spin, too. Used by one thread.
 *
 * <p>A spin that lasts as long as a sleep costs takes at most twice the CPU of the best choice (A.
 * Karlin et al., Empirical Studies of Competitive Spinning for a Shared-Memory Multiprocessor, SOSP
 * 1991); Linux decides likewise before it halts a CPU of a guest (halt-polling.rst).
 */
public final class AdaptiveSpin {
    /** Most waits in a row that sleep at once. */
    static final int MAX_SKIPPED_WAITS = 1_024;

    private final long limitNs;
    private int skippedWaits;
    private int waitsToSkip;
    private boolean isWaiting;
    private boolean mayStillFind;
    private boolean hasSpun;
    private long startNs;

    /**
     * Makes the choice of one thread.
     *
     * @param limitNs longest spin in ns: 0 never spins, {@code Long.MAX_VALUE} never sleeps.
     */
    public AdaptiveSpin(final long limitNs) {
        this.limitNs = limitNs;
    }

    /** The longest spin in ns. */
    public long limitNs() {
        return limitNs;
    }

    /**
     * There is nothing to do; begins a wait or goes on with it.
     *
     * @param nowNs time in ns, from any start.
     * @return true to look again at once, false to sleep.
     */
    public boolean isSpinning(final long nowNs) {
        final boolean wasWaiting = isWaiting;
        if (!wasWaiting) {
            isWaiting = true;
            startNs = nowNs;
            mayStillFind = waitsToSkip == 0;
            if (!mayStillFind) {
                waitsToSkip--;
            }
        }
        hasSpun = wasWaiting;
        if (mayStillFind && nowNs - startNs >= limitNs) {
            mayStillFind = false;
            skippedWaits = Math.clamp(skippedWaits * 2L, 1, MAX_SKIPPED_WAITS);
            waitsToSkip = skippedWaits;
        }
        return mayStillFind;
    }

    /**
     * There was something to do: ends the wait, if there is one. What the first look finds, a sleep
     * would have found, too.
     */
    public void onWork() {
        if (isWaiting) {
            isWaiting = false;
            if (mayStillFind && hasSpun) {
                skippedWaits /= 2;
            }
        }
    }
}
