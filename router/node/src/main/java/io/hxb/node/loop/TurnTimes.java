package io.hxb.node.loop;

/**
 * How many turns of a loop took long, and by how much: during such a turn nothing is received, and
 * neighbours may consider the links failed. Owned by the loop's thread; other threads read
 * approximate values.
 */
final class TurnTimes {
    private long longTurns;
    private long overrunNs;
    private long lateWakeUps;
    private long lateNs;

    /** Notes a turn; waiting for the CPU is part of it, sleep is not. */
    void onTurn(final long turnNs) {
        if (turnNs > Loop.LONG_TURN_NS) {
            longTurns++;
            overrunNs += turnNs - Loop.LONG_TURN_NS;
        }
    }

    /** Notes a turn after a sleep that should have ended {@code wakeUpLateNs} ago. */
    void onWakeUp(final long wakeUpLateNs) {
        if (wakeUpLateNs > Loop.LATE_WAKE_UP_NS) {
            lateWakeUps++;
            lateNs = wakeUpLateNs;
        }
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
