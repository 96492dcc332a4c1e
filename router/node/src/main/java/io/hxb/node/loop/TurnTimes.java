package io.hxb.node.loop;

import io.hxb.counter.TimeBuckets;

/**
 * How many turns of a loop took long, and by how much: during such a turn nothing is received, and
 * neighbours may consider the links failed. Owned by the loop's thread; other threads read
 * approximate values.
 */
final class TurnTimes {
    private final long[] turns = new long[TimeBuckets.COUNT];
    private final long[] wakeUps = new long[TimeBuckets.COUNT];
    private long turnNs;
    private long wakeUpDelayNs;
    private long longTurns;
    private long overrunNs;
    private long lateWakeUps;
    private long lateNs;

    /** Notes a turn; waiting for the CPU is part of it, sleep is not. */
    void onTurn(final long tookNs) {
        turns[TimeBuckets.of(tookNs)]++;
        turnNs += tookNs;
        if (tookNs > Loop.LONG_TURN_NS) {
            longTurns++;
            overrunNs += tookNs - Loop.LONG_TURN_NS;
        }
    }

    /** Notes a turn after a sleep that should have ended {@code wakeUpLateNs} ago. */
    void onWakeUp(final long wakeUpLateNs) {
        // Something else may have ended the sleep before.
        if (wakeUpLateNs >= 0) {
            wakeUps[TimeBuckets.of(wakeUpLateNs)]++;
            wakeUpDelayNs += wakeUpLateNs;
        }
        if (wakeUpLateNs > Loop.LATE_WAKE_UP_NS) {
            lateWakeUps++;
            lateNs = wakeUpLateNs;
        }
    }

    /** Turns in a bucket. */
    long turns(final int bucket) {
        return turns[bucket];
    }

    /** Duration of all turns. */
    long turnNs() {
        return turnNs;
    }

    /** Sleeps that ended at their time or later, in a bucket. */
    long wakeUps(final int bucket) {
        return wakeUps[bucket];
    }

    /** Their delays in all. */
    long wakeUpDelayNs() {
        return wakeUpDelayNs;
    }

    /** Sleeps that ended late. */
    long lateWakeUps() {
        return lateWakeUps;
    }

    /** How late the last of them ended, in ns. */
    long lateNs() {
        return lateNs;
    }

    /** Turns that took longer than 2 ms. */
    long longTurns() {
        return longTurns;
    }

    /** Total time in ns by which they exceeded 2 ms. */
    long overrunNs() {
        return overrunNs;
    }
}
