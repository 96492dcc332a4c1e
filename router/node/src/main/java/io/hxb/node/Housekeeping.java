package io.hxb.node;

import io.hxb.log.LoopErrors;

/**
 * What one loop of a node does from time to time, in addition to handling frames. Called by that
 * loop.
 */
interface Housekeeping {
    /**
     * Runs one part of an upkeep so that the others continue when it fails: what it throws is
     * logged and counted. Called a few times per second, not in every turn.
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

    /** The latest time at which {@link #doWork} has to be called; Long.MAX_VALUE for never. */
    long nextDeadlineNs();

    /** True if there is something to report immediately, so that the loop must not sleep. */
    boolean hasNews();

    /** The loop will stop, and sends once more before that. */
    default void beforeStop() {}

    /** Leaves the last values behind, for tools that look at a stopped node. */
    void stop();
}
