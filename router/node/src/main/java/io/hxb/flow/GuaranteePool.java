package io.hxb.flow;

/**
 * Frames of a node that are guaranteed to its open contexts in equal parts, which shrink as
 * contexts open and grow as they close. A context that has more than its part gives back what it
 * does not use, and keeps what it has promised to sources or holds; one that has less takes what is
 * free. Used by all loops.
 */
final class GuaranteePool {
    private final CreditSizes sizes;
    private final CreditPool frames;
    private int openContexts;

    // Written under the lock, read by all loops in every turn.
    private volatile int partFrames;

    /** No context is open. */
    GuaranteePool(final CreditSizes sizes) {
        this.sizes = sizes;
        frames = new CreditPool(sizes.dividedFrames());
        partFrames = sizes.partFrames(0);
    }

    /** A context opens: all parts may shrink. */
    synchronized void onOpened() {
        openContexts++;
        partFrames = sizes.partFrames(openContexts);
    }

    /** A context closes; it gives its frames back when it has them. */
    synchronized void onClosed() {
        openContexts--;
        assert openContexts >= 0 : openContexts;
        partFrames = sizes.partFrames(openContexts);
    }

    /** Frames that each open context should have. */
    int partFrames() {
        return partFrames;
    }

    /** Takes frames, or as many as are free; how many. */
    int take(final int wanted) {
        return frames.lend(wanted);
    }

    /** Takes frames back. */
    void giveBack(final int returned) {
        frames.giveBack(returned);
    }

    /** Frames that contexts have. */
    int takenFrames() {
        return frames.lentFrames();
    }
}
