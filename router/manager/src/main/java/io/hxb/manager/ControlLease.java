package io.hxb.manager;

import java.util.concurrent.TimeUnit;

/**
 * Which management server may change the paths of a host, and until when. One of a higher
 * generation gets it once the one before has given it up or let it run out; one of a lower
 * generation never gets it again. Owned by the manager's thread.
 */
final class ControlLease {
    /** No session. */
    static final int NOBODY = -1;

    /** Maximum time for which it is given, in ms. */
    static final int MAX_MS = 600_000;

    private int session = NOBODY;
    private long owner;
    private long generation;
    private long endNs;

    ControlLease() {}

    /**
     * Gives it, gives it for longer, or takes it back.
     *
     * @param asking number of the session that asks.
     * @param who of it; not 0.
     * @param number its generation.
     * @param durationMs for how long; 0 to give it up.
     * @return {@link Status#OK}, or {@link Status#LEASED} if somebody else has it.
     */
    Status ask(
            final int asking,
            final long who,
            final long number,
            final int durationMs,
            final long nowNs) {
        final boolean isOwn = owner == who;
        if ((session != NOBODY && !isOwn) || number < generation) {
            return Status.LEASED;
        }
        if (number == generation && !isOwn) {
            return Status.LEASED;
        }
        owner = who;
        generation = number;
        session = durationMs == 0 ? NOBODY : asking;
        endNs = nowNs + TimeUnit.MILLISECONDS.toNanos(durationMs);
        return Status.OK;
    }

    /** The session that has it, if its time is over: it has it no longer. */
    int expire(final long nowNs) {
        if (session == NOBODY || endNs - nowNs > 0) {
            return NOBODY;
        }
        return drop();
    }

    private int drop() {
        final int before = session;
        session = NOBODY;
        return before;
    }

    /** A session has ended. */
    void leave(final int ending, final long nowNs) {
        if (session == ending) {
            drop();
            endNs = nowNs;
        }
    }

    boolean isHeldBy(final int asking, final long nowNs) {
        return session == asking && endNs - nowNs > 0;
    }

    /** The session that has it, {@link #NOBODY} if none. */
    int session() {
        return session;
    }

    /** Who has it, or had it last; 0 if nobody ever had. */
    long owner() {
        return owner;
    }

    /** The highest generation so far. */
    long generation() {
        return generation;
    }

    /** For how long, 0 if nobody has it. */
    int leftMs(final long nowNs) {
        return session == NOBODY
                ? 0
                : (int) Math.max(0, 1 + TimeUnit.NANOSECONDS.toMillis(endNs - nowNs - 1));
    }
}
