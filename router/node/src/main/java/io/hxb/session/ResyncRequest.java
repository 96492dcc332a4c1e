package io.hxb.session;

/**
 * Whether a peer seals by a session that we do not have: raised by frames that cannot be opened and
 * prove nothing, because anybody may have sent them. So the peer is asked once, and not again soon.
 * Changed under the lock of {@link Sessions}; any loop may look whether it is raised.
 */
final class ResyncRequest {
    /** Time between two questions. */
    static final long PAUSE_NS = 500_000_000L;

    private static final int NOT_RAISED = -2;

    // A link or ROUTED. Volatile so that loops which receive many such frames do not take the lock
    // for each.
    private volatile int over = NOT_RAISED;
    private boolean isAsking;
    private int asked;
    private Cooldown cooldown = Cooldown.NONE;

    /**
     * Raises it, until the peer is asked: whatever comes until then changes nothing.
     *
     * @param link over which the peer is a neighbour, or {@link Sessions#ROUTED}.
     * @return true if that is news.
     */
    boolean raise(final int link) {
        if (isRaised(link)) {
            return false;
        }
        final boolean isNew = !isRaised();
        over = link;
        return isNew;
    }

    boolean isRaised() {
        return over != NOT_RAISED;
    }

    /** True if raising it with that link would change nothing. */
    boolean isRaised(final int link) {
        final int now = over;
        return now != NOT_RAISED && (now != Sessions.ROUTED || link == Sessions.ROUTED);
    }

    /** A question goes out because of it; each begins with another key of the ring. */
    void ask(final long nowNs) {
        isAsking = true;
        asked++;
        over = NOT_RAISED;
        postpone(nowNs);
    }

    /** There is no question now; it stays raised. */
    void postpone(final long nowNs) {
        cooldown = new Cooldown(nowNs);
    }

    /** True if it is raised, and was asked long enough ago or never. */
    boolean isDue(final long nowNs) {
        return isRaised() && cooldown.isOver(PAUSE_NS, nowNs);
    }

    /** When it is due, if it is raised and not due now. */
    long dueNs() {
        return cooldown.sinceNs() + PAUSE_NS;
    }

    /** True if what the peer is asked is only because of it. */
    boolean isAsking() {
        return isAsking;
    }

    /** The peer has answered, or is asked for a session anyway. */
    void end() {
        isAsking = false;
        over = NOT_RAISED;
    }

    /** Over which the question goes, while it is raised. */
    int link() {
        return over;
    }

    /** How often it has been asked. */
    int asked() {
        return asked;
    }
}
