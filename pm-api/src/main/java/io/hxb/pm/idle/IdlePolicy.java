package io.hxb.pm.idle;

/**
 * Whether a thread that has nothing to do spins or sleeps: it spins for a while as long as spinning
 * succeeds. After a spin without success, waits sleep immediately for a time, each time twice as
 * long until such spins take a hundredth of the thread's time; a spin that succeeds halves that
 * time and lets the next wait spin. So a thread for which nothing arrives for long stays cheap, and
 * notices within milliseconds that messages follow one another. Used by one thread.
 *
 * <p>A spin that lasts as long as a sleep costs takes at most twice the CPU of the best choice (A.
 * Karlin et al., Empirical Studies of Competitive Spinning for a Shared-Memory Multiprocessor, SOSP
 * 1991); Linux decides likewise before it halts a CPU of a guest (halt-polling.rst).
 *
 * <p>The thread that brings what this one waits for may wait for the CPU on which this one spins.
 * So a spin yields whenever it has found nothing: at once where the last yield let another thread
 * run, and otherwise after a few microseconds. A thread that spins and yields is back within a
 * switch, where one that sleeps may have to wait until an idle CPU wakes.
 *
 * <p>A spin in which a thread that computes took the CPU counts as one without success even if it
 * found something, since a sleep would have ended sooner. So a thread that may spin without limit
 * rests, too, for as long as it had lost its CPU at first, and spins again after that.
 */
public final class IdlePolicy {
    private final long limitNs;
    private final RunQueue queue;
    private long yieldNs;
    private long restNs;
    private long restedNs;
    private boolean isWaiting;
    private boolean mayStillFind;
    private boolean hasSpun;
    private long startNs;
    private long losses;

    /** The threads that wait for the CPU of the calling one. */
    public interface RunQueue {
        /**
         * Lets another thread run that waits for the same CPU, if there is one.
         *
         * @return how long that took, in ns.
         */
        long yieldOnce();
    }

    /**
     * Makes the policy of one thread.
     *
     * @param limitNs longest spin in ns: 0 never spins, {@code Long.MAX_VALUE} never sleeps as long
     *     as no thread that computes needs its CPU.
     */
    public IdlePolicy(final long limitNs) {
        this(limitNs, new LinuxRunQueue());
    }

    /** The same for a thread whose CPU yields as {@code queue} does. */
    public IdlePolicy(final long limitNs, final RunQueue queue) {
        this.limitNs = limitNs;
        this.queue = queue;
    }

    /** The longest spin in ns. */
    public long limitNs() {
        return limitNs;
    }

    /** How often a spin ended because a thread that computes had taken the CPU. */
    public long losses() {
        return losses;
    }

    /**
     * True for a thread that would spin without limit, but has lost its CPU again and again:
     * threads outnumber CPUs.
     */
    public boolean isCrowded() {
        return limitNs == Long.MAX_VALUE && restNs >= IdleParameters.CROWDED_REST_NS;
    }

    /**
     * There is nothing to do; begins a wait or continues it.
     *
     * @param nowNs time in ns, from any start.
     * @return true to look again immediately, false to sleep.
     */
    public boolean isSpinning(final long nowNs) {
        hasSpun = isWaiting;
        if (!isWaiting || (limitNs == Long.MAX_VALUE && !mayStillFind)) {
            begin(nowNs);
        }
        if (mayStillFind && isUnsuccessful(nowNs)) {
            mayStillFind = false;
            rest(nowNs);
        }
        return mayStillFind;
    }

    private void begin(final long nowNs) {
        isWaiting = true;
        startNs = nowNs;
        mayStillFind = restNs == 0 || nowNs - restedNs >= 0;
    }

    private void rest(final long nowNs) {
        final long lostNs = lostNs();
        final long vainNs = lostNs > 0 ? lostNs : limitNs;
        restNs = Math.clamp(2 * restNs, vainNs, IdleParameters.MAX_REST_SPINS * vainNs);
        restedNs = nowNs + lostNs + restNs;
    }

    private boolean isUnsuccessful(final long nowNs) {
        final long spunNs = nowNs - startNs;
        if (spunNs >= limitNs) {
            return true;
        }
        final boolean isAlone = yieldNs <= IdleParameters.ALONE_YIELD_NS;
        if (isAlone && spunNs < IdleParameters.UNYIELDING_SPIN_NS) {
            return false;
        }
        yieldNs = queue.yieldOnce();
        if (lostNs() == 0) {
            return false;
        }
        losses++;
        return true;
    }

    /** Time that a thread that computes took when this one last yielded, in ns. */
    private long lostNs() {
        return yieldNs > IdleParameters.SHARED_YIELD_NS ? yieldNs : 0;
    }

    /**
     * There was something to do: ends the wait, if there is one. What the first look finds, a sleep
     * would also have found.
     */
    public void onWork() {
        if (isWaiting) {
            isWaiting = false;
            if (mayStillFind && hasSpun) {
                restNs /= 2;
                restedNs = startNs;
            }
        }
    }
}
