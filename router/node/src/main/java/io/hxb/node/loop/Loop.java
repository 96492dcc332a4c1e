package io.hxb.node.loop;

import io.hxb.link.LoopClock;

/**
 * A loop as the tasks on it see it: its time, its descriptors and its sleep. Called by the loop's
 * own thread unless stated otherwise.
 */
public interface Loop {
    /** Duration from which a turn is long; links are judged by silences of a few ms. */
    long LONG_TURN_NS = 2_000_000;

    /** Delay from which the end of a sleep is late. */
    long LATE_WAKE_UP_NS = 10_000_000;

    /** The time of the current turn; always the same object. */
    LoopClock clock();

    /** True for the thread that owns the loop, for assertions; any thread. */
    boolean isOwnThread();

    /** Ends the loop's sleep; any thread. */
    void wakeUp();

    /**
     * Waits for a descriptor from now on. The descriptor still belongs to its opener: a cancelled
     * registration leaves it open.
     *
     * @param descriptor 0 or more.
     * @param listener called by polls of the loop; what it throws goes to the loop's error handler.
     */
    Registration register(int descriptor, Interest interest, ReadinessListener listener);

    /** How often the descriptors have been polled, and the listeners of those ready called. */
    int polls();

    /** True if the loop takes turns without sleeping, at least for some time. */
    boolean isSpinning();

    /** How often the loop stopped spinning because a thread that computes had taken its CPU. */
    long yields();

    /** True if the loop would spin, but has found again and again that it has no CPU of its own. */
    boolean isCrowded();

    /** Turns that took longer than 2 ms, including the time spent waiting for the CPU. */
    long longTurns();

    /** Total time in ns by which these turns exceeded 2 ms. */
    long overrunNs();

    /** Turns with a duration in a bucket of {@link io.hxb.counter.TimeBuckets}. */
    long turns(int bucket);

    /** Duration of all turns in ns, without sleep. */
    long turnNs();

    /** Sleeps that ended at their deadline or later, by a delay in a bucket. */
    long wakeUps(int bucket);

    /** These delays in all, in ns. */
    long wakeUpDelayNs();

    /** Sleeps that ended more than 10 ms after their deadline. */
    long lateWakeUps();

    /** How late the last of them ended, in ns. */
    long lateNs();

    /** Time in ns that its thread has waited for a CPU since it began; called on that thread. */
    long waitedNs();
}
