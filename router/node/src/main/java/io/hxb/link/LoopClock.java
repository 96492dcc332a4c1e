package io.hxb.link;

/**
 * The time of one loop's turn: read from the clock once, and the same for all that is done in it.
 * Owned by the loop, which sets it; everything that works for the loop reads it.
 */
public final class LoopClock {
    private long nowNs;

    /** Begins a turn at {@code turnNs}, as System.nanoTime counts. */
    public void begin(final long turnNs) {
        nowNs = turnNs;
    }

    /** The time of this turn in ns. */
    public long nowNs() {
        return nowNs;
    }
}
