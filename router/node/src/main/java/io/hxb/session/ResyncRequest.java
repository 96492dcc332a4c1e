package io.hxb.session;

/**
 * A request to a peer for the session that it seals by. Frames raise it that cannot be opened and
 * prove nothing, because anybody may have sent them. So it is sent once, and not again soon.
 * Changed under the lock of {@link Sessions}; any loop may look whether it is raised.
 */
final class ResyncRequest {
    /** Time between two requests. */
    static final long PAUSE_NS = 500_000_000L;

    private static final int NOT_RAISED = -2;

    // A link or ROUTED. Volatile so that loops which receive many such frames do not take the lock
    // for each.
    private volatile int over = NOT_RAISED;
    private boolean isPending;
    private int sentCount;
    private Cooldown cooldown = Cooldown.NONE;

    /**
     * Raises it; until it is sent, further frames change nothing.
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

    /** It is sent; each time by another key of the ring. */
    void onSent(final long nowNs) {
        isPending = true;
        sentCount++;
        over = NOT_RAISED;
        postpone(nowNs);
    }

    /** It is not sent now, and stays raised. */
    void postpone(final long nowNs) {
        cooldown = new Cooldown(nowNs);
    }

    /** True if it is raised, and was sent long enough ago or never. */
    boolean isDue(final long nowNs) {
        return isRaised() && cooldown.isOver(PAUSE_NS, nowNs);
    }

    /** When it is due, if it is raised and not due now. */
    long dueNs() {
        return cooldown.sinceNs() + PAUSE_NS;
    }

    /** True while it is sent and not answered, and no session is requested otherwise. */
    boolean isPending() {
        return isPending;
    }

    /** The peer has answered, or a session is requested anyway. */
    void end() {
        isPending = false;
        over = NOT_RAISED;
    }

    /** Link over which it is sent, while it is raised. */
    int link() {
        return over;
    }

    /** How often it has been sent. */
    int sentCount() {
        return sentCount;
    }
}
