package io.hxb.context;

import io.hxb.counter.CounterBlock;

/**
 * What the contexts of one loop report to it: how much they have taken, when they want to work next
 * and that they close. Owned by that loop.
 */
final class LoopActivity {
    private final CounterBlock counters;
    private long taken;
    private long heldUntilNs;
    private boolean isHolding;
    private int closing;

    LoopActivity(final CounterBlock counters) {
        this.counters = counters;
    }

    /** What the loop counts. */
    CounterBlock counters() {
        return counters;
    }

    /** A turn begins: nobody has reported when it wants to work. */
    void beginTurn() {
        isHolding = false;
    }

    /** Messages and buffers that are given back were taken from an application; its endpoint. */
    void onTaken(final int entries) {
        taken += entries;
    }

    /** Entries taken from applications so far. */
    long taken() {
        return taken;
    }

    /** A context has messages that its user may not send before then. */
    void onHeld(final long untilNs) {
        heldUntilNs = isHolding && heldUntilNs - untilNs < 0 ? heldUntilNs : untilNs;
        isHolding = true;
    }

    /** When the first of them wants to work; {@link ContextPolling#NEVER} if none does. */
    long nextDeadlineNs() {
        return isHolding ? heldUntilNs : ContextPolling.NEVER;
    }

    /** A context begins to close. */
    void onClosing() {
        closing++;
    }

    /** It is closed. */
    void onClosed() {
        closing--;
    }

    /** True if there are contexts that close. */
    boolean hasClosing() {
        return closing > 0;
    }
}
