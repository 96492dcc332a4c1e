package io.hxb.node.loop;

/**
 * How many turns of a loop took long, and by how much: during such a turn nothing is received, and
 * neighbours may consider the links failed. Owned by the loop's thread; other threads read
 * approximate values.
 */
final class TurnTimes {
    /** Duration from which a turn is long; links are judged by silences of a few ms. */
    private static final long LONG_NS = 2_000_000;

    private long longTurns;
    private long overrunNs;

    /** Notes a turn; waiting for the CPU is part of it, sleep is not. */
    void onTurn(final long turnNs) {
        if (turnNs > LONG_NS) {
            longTurns++;
            overrunNs += turnNs - LONG_NS;
        }
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
