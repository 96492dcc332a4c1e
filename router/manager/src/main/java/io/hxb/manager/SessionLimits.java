package io.hxb.manager;

/** How many sessions and ranks there are, of as many as may be. Owned by the manager's thread. */
final class SessionLimits {
    /** Sessions at once. */
    static final int MAX_SESSIONS = 64;

    /** Sessions at once of users who may not change paths, so that others still find a place. */
    static final int MAX_READERS = 32;

    /** Ranks of all sessions together. */
    static final int MAX_RANKS = 262_144;

    private final ManagerCounts counts;
    private int sessions;
    private int readers;
    private int lastSession;
    private int ranks;

    /** There are no sessions yet. */
    SessionLimits(final ManagerCounts counts) {
        this.counts = counts;
    }

    /**
     * Begins a session.
     *
     * @param mayChange false for those who may only read; they have half of the sessions.
     * @return null if the limit has been reached.
     */
    ManagerSession open(final boolean mayChange) {
        if (sessions == MAX_SESSIONS || (!mayChange && readers == MAX_READERS)) {
            counts.add(ManagerCount.REFUSED_SESSIONS);
            return null;
        }
        sessions++;
        readers += mayChange ? 0 : 1;
        counts.add(ManagerCount.SESSIONS);
        return new ManagerSession(++lastSession, mayChange);
    }

    /** A session has ended, and its ranks with it. */
    void close(final ManagerSession session) {
        sessions--;
        readers -= session.mayChange() ? 0 : 1;
        ranks -= session.ranks();
    }

    /** Gives a rank of a session a host. */
    Status bindRank(final ManagerSession session, final int rank, final int host) {
        if (!session.hasRank(rank)) {
            if (ranks == MAX_RANKS) {
                return Status.LIMIT;
            }
            ranks++;
        }
        session.bind(rank, host);
        return Status.OK;
    }
}
