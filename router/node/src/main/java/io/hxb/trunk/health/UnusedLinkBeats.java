package io.hxb.trunk.health;

/**
 * Heartbeats on the links to one neighbour that are not in use, by which both ends notice that they
 * work: less often once none has been in use for long. Guarded by the lock of {@link TrunkHealth}.
 */
final class UnusedLinkBeats {
    private static final long LONG_DEAD_NS = 10_000_000_000L;
    private static final int LONG_DEAD_FACTOR = 5;

    private long dueNs;
    private long links;
    private long deadSinceNs;

    /** The first ones are due immediately. */
    UnusedLinkBeats(final long nowNs) {
        dueNs = nowNs;
    }

    /** A link has failed: its first heartbeat is due immediately. */
    void onFailed(final long nowNs) {
        dueNs = nowNs;
    }

    long dueNs() {
        return dueNs;
    }

    /**
     * The links on which a heartbeat is due now; after that the next ones are due later.
     *
     * @param good links in use.
     * @param addressed links where the neighbour's address is known.
     * @param intervalNs time between two heartbeats on a link.
     */
    long take(final long good, final long addressed, final long intervalNs, final long nowNs) {
        links = 0;
        if (dueNs - nowNs <= 0) {
            links = addressed & ~good;
            dueNs = nowNs + (isLongDead(good, nowNs) ? LONG_DEAD_FACTOR : 1) * intervalNs;
        }
        return links;
    }

    private boolean isLongDead(final long good, final long nowNs) {
        if (good != 0) {
            deadSinceNs = nowNs;
        }
        return nowNs - deadSinceNs > LONG_DEAD_NS;
    }

    /** What {@link #take} has returned last. */
    long taken() {
        return links;
    }
}
