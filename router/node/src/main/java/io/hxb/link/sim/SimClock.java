package io.hxb.link.sim;

import org.agrona.concurrent.NanoClock;

/** Virtual time. Owned by the thread that runs the simulation; only that thread moves it. */
public final class SimClock implements NanoClock {
    private long nowNs;

    /** A clock that starts at {@code startNs}; a value near Long.MAX_VALUE tests overflow. */
    public SimClock(final long startNs) {
        nowNs = startNs;
    }

    @Override
    public long nanoTime() {
        return nowNs;
    }

    /** Moves to {@code timeNs}, which is now or later. */
    public void advanceTo(final long timeNs) {
        if (timeNs - nowNs < 0) {
            throw new IllegalArgumentException("time must not go back: " + nowNs + " " + timeNs);
        }
        nowNs = timeNs;
    }
}
