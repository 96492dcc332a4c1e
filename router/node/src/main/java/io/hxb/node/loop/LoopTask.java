package io.hxb.node.loop;

import io.hxb.time.Deadline;

/**
 * Something that a loop drives in each turn, such as its share of a node. Called by the loop's
 * thread.
 */
public interface LoopTask {
    /** Registers what to wait for; first call on the loop's thread. */
    void start();

    /**
     * Does a bounded amount of what is due.
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

    /**
     * The latest time at which {@link #doWork} has to be called again, or {@link Deadline#NEVER}.
     */
    long nextDeadlineNs(long nowNs);

    /**
     * How long the loop may leave its descriptors alone now that it has nothing to do, so that more
     * arrives at once. Asked at most once a turn.
     *
     * @return 0 if it must not, {@link Deadline#NEVER} if this task does not mind.
     */
    default long pauseNs(final long nowNs) {
        return Deadline.NEVER;
    }

    /**
     * Asks other threads to wake this loop from now on.
     *
     * @return false if there is work already and the loop must not sleep.
     */
    boolean prepareToSleep();

    /** The loop is awake: others need not wake it. */
    void awake();

    /** Releases everything; last call on the loop's thread. */
    void stop();
}
