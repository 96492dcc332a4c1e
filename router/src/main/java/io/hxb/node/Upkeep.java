package io.hxb.node;

/** What one loop of a node does for all of them, besides its own share. Called by that loop. */
interface Upkeep {
    /** For the loops that do nothing for the others. */
    Upkeep NONE =
            new Upkeep() {
                @Override
                public void start() {}

                @Override
                public void doWork(final long nowNs) {}

                @Override
                public long nextDeadlineNs() {
                    return Long.MAX_VALUE;
                }

                @Override
                public boolean hasNews() {
                    return false;
                }

                @Override
                public void stop() {}
            };

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
