package io.hxb.pm.idle;

/**
 * Whether a thread that spins has its CPU to itself. A thread that finds that another one waited
 * for its CPU gives way: for a while it has to wait as threads do that share a CPU, and for twice
 * as long each time it finds that again right afterwards. Used by one thread at a time, on any
 * clock.
 *
 * <p>A spinning thread uses its whole slice of 3 to 30 ms while the one it waits for is in the same
 * run queue. So it yields from time to time, which costs half a microsecond where nobody waits and
 * lets the other run at once where somebody does; either way the kernel counts how often a thread
 * lost its CPU (getrusage, ru_nivcsw). The count also moves when a slice ends or a thread of higher
 * priority comes, but not while the virtual machine collects garbage or the host runs other guests.
 */
public final class OwnCpu {
    /** Shortest time between two looks. */
    static final long LOOK_INTERVAL_NS = 10_000;

    /**
     * Time for which a thread gives way at first: long for a message, short for a rare disturbance.
     */
    static final long MIN_PAUSE_NS = 1_000_000;

    /** Maximum of that time, so that spinning soon returns when the machine becomes quiet. */
    static final long MAX_PAUSE_NS = 1_024_000_000;

    /** Pauses from this length on mean that threads outnumber CPUs, not a disturbance. */
    private static final long CROWDED_PAUSE_NS = MAX_PAUSE_NS / 8;

    /**
     * What is found within this many times the last pause is found again, rather than for the first
     * time.
     */
    private static final int AGAIN_PAUSES = 4;

    private final RunQueue queue;
    private long threadId;
    private long switches;
    private long lookedNs;
    private long resumedNs;
    private long pauseNs;
    private boolean hasLostCpu;
    private boolean hasGivenWay;
    private long giveWays;

    /** The calling thread, as the kernel's scheduler sees it. */
    interface RunQueue {
        /** Lets another thread run that waits for the same CPU, if there is one. */
        void yieldOnce();

        /** How often this thread has lost its CPU to another one while it could have continued. */
        long switches();
    }

    OwnCpu(final RunQueue queue) {
        this.queue = queue;
    }

    /**
     * Lets others run and checks whether one did, at most every 10 us. That takes time, so the
     * result takes effect at the next reading of the clock.
     */
    void look(final long nowNs) {
        final long currentId = Thread.currentThread().threadId();
        if (currentId != threadId) {
            threadId = currentId;
            switches = queue.switches();
        } else if (nowNs - lookedNs < LOOK_INTERVAL_NS) {
            return;
        }
        lookedNs = nowNs;
        queue.yieldOnce();
        final long count = queue.switches();
        hasLostCpu = count != switches;
        switches = count;
    }

    /** True if the last look found that another thread waited for the CPU; cheap. */
    boolean hasLostCpu() {
        return hasLostCpu;
    }

    /** Begins to give way. */
    void giveWay(final long nowNs) {
        hasLostCpu = false;
        // Measured up to the look: the time that the other thread has taken since then does not
        // count.
        final boolean isAgain = pauseNs > 0 && lookedNs - resumedNs < AGAIN_PAUSES * pauseNs;
        pauseNs = isAgain ? Math.min(2 * pauseNs, MAX_PAUSE_NS) : MIN_PAUSE_NS;
        resumedNs = nowNs + pauseNs;
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
    public long giveWays() {
        return giveWays;
    }

    /** True while it gives way because it lost its CPU again and again: threads outnumber CPUs. */
    public boolean isCrowded() {
        return hasGivenWay && pauseNs >= CROWDED_PAUSE_NS;
    }
}
