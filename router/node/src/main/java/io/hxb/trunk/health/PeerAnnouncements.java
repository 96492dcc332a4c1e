package io.hxb.trunk.health;

import io.hxb.frame.LinkStatusFlyweight;

/**
 * What one neighbour has announced about the links to it, and when another announcement has to be
 * requested: while it reports failed links, and while it contradicts itself. Guarded by the lock of
 * {@link TrunkHealth}.
 */
final class PeerAnnouncements {
    /** Time for which the neighbour has to stay with what contradicts what is believed. */
    private static final long DISPUTE_NS = 200_000_000;

    /** Time between two requests to a neighbour that contradicts itself. */
    private static final long DISPUTE_REQUEST_NS = 10_000_000;

    /** Time between two requests to a neighbour that reported failed links. */
    private static final long CONFIRM_NS = 250_000_000;

    private int sequence = OwnAnnouncements.NONE;
    private long failed;
    private boolean isDisputed;
    private long disputedNs;
    private long requestNs;

    /** Nothing has been announced. */
    PeerAnnouncements(final long nowNs) {
        requestNs = nowNs;
    }

    /** The neighbour is a new incarnation, which has announced nothing. */
    void restart() {
        sequence = OwnAnnouncements.NONE;
        failed = 0;
        isDisputed = false;
    }

    /** Number of the newest one; {@link OwnAnnouncements#NONE} if nothing is believed. */
    int sequence() {
        return sequence;
    }

    /** False if a status frame contradicts an earlier one. */
    boolean isConsistent(final LinkStatusFlyweight status) {
        return status.sequence() != OwnAnnouncements.NONE
                && (status.sequence() != sequence || status.failed() == failed);
    }

    /**
     * Accepts a consistent status frame.
     *
     * @return above 0 if it announces something new, 0 if it repeats what is known, below 0 if it
     *     is older.
     */
    int onStatus(final LinkStatusFlyweight status, final long nowNs) {
        if (sequence != OwnAnnouncements.NONE && status.sequence() - sequence < 0) {
            dispute(nowNs);
        } else {
            isDisputed = false;
        }
        final int news = sequence == OwnAnnouncements.NONE ? 1 : status.sequence() - sequence;
        if (news > 0) {
            sequence = status.sequence();
            failed = status.failed();
        }
        return news;
    }

    /** The neighbour contradicts what is believed: if it stays with that, it is right. */
    // Frames may overtake each other, so nothing is forgotten before the neighbour has replied.
    void dispute(final long nowNs) {
        if (!isDisputed || nowNs - disputedNs > 2 * DISPUTE_NS) {
            isDisputed = true;
            disputedNs = nowNs;
            requestNs = nowNs;
        } else if (nowNs - disputedNs >= DISPUTE_NS) {
            isDisputed = false;
            sequence = OwnAnnouncements.NONE;
            failed = 0;
        }
    }

    /** True if a request is due because it contradicts itself. */
    boolean isDisputeDue(final long nowNs) {
        return isDisputed && requestNs - nowNs <= 0;
    }

    /** True if a request is due; the next one is later. */
    boolean takeDueRequest(final long nowNs) {
        isDisputed &= nowNs - disputedNs <= 2 * DISPUTE_NS;
        if (!needsRequest() || requestNs - nowNs > 0) {
            return false;
        }
        requestNs = nowNs + (isDisputed ? DISPUTE_REQUEST_NS : CONFIRM_NS);
        return true;
    }

    /** True if a request is needed, at {@link #requestNs}. */
    boolean needsRequest() {
        return isDisputed || failed != 0;
    }

    long requestNs() {
        return requestNs;
    }
}
