package io.hxb.node;

import io.hxb.node.loop.LoopErrors;

/** What one loop of a node looks after now and then, besides frames. Called by that loop. */
interface Upkeep {
    /**
     * Runs one part of an upkeep so that the others go on without it when it fails: what it throws
     * is told and counted. A few times a second, not in every turn.
     */
    static void alone(final Runnable part) {
        try {
            part.run();
        } catch (final RuntimeException | Error e) {
            LoopErrors.INSTANCE.onError(e);
        }
    }

    /** Waits for what wakes it; first call on the loop's thread. */
    void start();

    /** Does what is due. */
    void doWork(long nowNs);

    /** When {@link #doWork} has to be called at the latest; Long.MAX_VALUE for never. */
    long nextDeadlineNs();

    /** True if there is something to tell at once, so that the loop must not sleep. */
    boolean hasNews();

    /** Leaves the last values behind, for those who look at a node that has stopped. */
    void stop();
}
