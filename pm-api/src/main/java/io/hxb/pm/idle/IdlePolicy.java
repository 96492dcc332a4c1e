package io.hxb.pm.idle;

/**
 * Whether a thread that has nothing to do spins or sleeps: it spins for a while as long as spinning
 * succeeds. After a wait that spun in vain, waits sleep immediately for a time, each time twice as
 * long until spins in vain take a hundredth of the thread's time; a spin that succeeds halves that
 * time and lets the next wait spin. So a thread for which nothing arrives for long stays cheap, and
 * notices within milliseconds that messages follow one another. Used by one thread.
 *
 * <p>A spin that lasts as long as a sleep costs takes at most twice the CPU of the best choice (A.
 * Karlin et al., Empirical Studies of Competitive Spinning for a Shared-Memory Multiprocessor, SOSP
 * 1991); Linux decides likewise before it halts a CPU of a guest (halt-polling.rst).
 *
 * <p>Whoever brings what a thread waits for may wait for the CPU on which that thread spins. So a
 * spin yields whenever it has found nothing: at once where the last yield let another thread run,
 * and otherwise after a few microseconds. A thread that spins and yields is back within a switch,
 * where one that sleeps may have to wait until an idle CPU wakes.
 *
 * <p>A spin in which a thread that computes took the CPU was in vain even if it found something,
 * since a sleep would have ended sooner. A thread that may spin for longer than those that share a
 * CPU, or without limit, then gives way ({@link CpuSharing}): for a while its limit is theirs.
 */
public final class IdlePolicy {
    private final long limitNs;
    private final long sharedLimitNs;
    private final CpuSharing cpu;
    private long restNs;
    private long restedNs;
    private boolean isWaiting;
    private boolean mayStillFind;
    private boolean hasSpun;
    private long startNs;

    /**
     * Makes the choice of one thread.
     *
     * @param limitNs longest spin in ns: 0 never spins, {@code Long.MAX_VALUE} never sleeps as long
     *     as nobody else waits for the CPU.
     * @param sharedLimitNs longest spin in ns while others do; {@code limitNs} if that is shorter.
     */
    public IdlePolicy(final long limitNs, final long sharedLimitNs) {
        this(limitNs, sharedLimitNs, new LinuxRunQueue());
    }

    /** The same for a thread whose CPU yields as {@code queue} says. */
    public IdlePolicy(
            final long limitNs, final long sharedLimitNs, final CpuSharing.RunQueue queue) {
        this.limitNs = limitNs;
        this.sharedLimitNs = Math.min(limitNs, sharedLimitNs);
        cpu = new CpuSharing(queue);
    }

    /** Whether the thread has a CPU of its own, as far as spinning has shown. */
    public CpuSharing cpu() {
        return cpu;
    }

    /** The longest spin in ns. */
    public long limitNs() {
        return limitNs;
    }

    /**
     * There is nothing to do; begins a wait or continues it.
     *
     * @param nowNs time in ns, from any start.
     * @return true to look again immediately, false to sleep.
     */
    public boolean isSpinning(final long nowNs) {
        final boolean wasWaiting = isWaiting;
        if (cpu.takeReturn(nowNs)) {
            restNs = 0;
            begin(nowNs);
        } else if (!wasWaiting) {
            begin(nowNs);
        }
        hasSpun = wasWaiting;
        if (mayStillFind && isInVain(nowNs)) {
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
        final long lostNs = cpu.lostNs();
        final long vainNs = Math.min(nowNs - startNs, limitNs) + lostNs;
        restNs = Math.clamp(2 * restNs, vainNs, IdleParameters.MAX_REST_SPINS * vainNs);
        restedNs = nowNs + lostNs + restNs;
    }

    private boolean isInVain(final long nowNs) {
        final long spunNs = nowNs - startNs;
        if (spunNs >= (cpu.hasGivenWay() ? sharedLimitNs : limitNs)) {
            return true;
        }
        if (spunNs < (cpu.isShared() ? 0 : IdleParameters.UNYIELDING_SPIN_NS)
                || cpu.letOthersRun()) {
            return false;
        }
        if (sharedLimitNs < limitNs) {
            cpu.giveWay(nowNs);
        }
        return true;
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
