package io.hxb.node.loop;

/** What a loop drives in each turn, such as its share of a node. Called by the loop's thread. */
public interface LoopTask {
    /** Returned by {@link #nextDeadlineNs} when nothing is to be done at a certain time. */
    long NEVER = Long.MAX_VALUE;

    /** The earlier of two deadlines, which may be {@link #NEVER} or beyond the clock's overflow. */
    static long earlier(final long oneNs, final long otherNs) {
        if (oneNs == NEVER || otherNs == NEVER) {
            return oneNs == NEVER ? otherNs : oneNs;
        }
        return oneNs - otherNs < 0 ? oneNs : otherNs;
    }

    /** Registers what is to be waited for; first call on the loop's thread. */
    void start();

    /**
     * Does what is due, at most a bounded piece of it.
     *
     * @return amount of work done, 0 when idle.
     */
    int doWork(long nowNs);

    /**
     * Hands everything queued to the kernel: the end of a turn.
     *
     * @return frames handed over.
     */
    int flush();

    /** When {@link #doWork} has to be called again at the latest, or {@link #NEVER}. */
    long nextDeadlineNs(long nowNs);

    /**
     * Asks other threads to wake this loop from now on.
     *
     * @return false when there is work already, and the loop must not sleep.
     */
    boolean prepareToSleep();

    /** The loop is awake: others need not wake it. */
    void awake();

    /** Gives everything back; last call on the loop's thread. */
    void stop();
}
