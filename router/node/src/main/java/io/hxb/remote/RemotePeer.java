package io.hxb.remote;

import io.hxb.pm.PmStatus;

/**
 * A context to whose memory operations are directed, and those that are not answered, in their
 * order. Reused; owned by the loop of the context that has begun them.
 */
final class RemotePeer {
    /** Number of a ping when none is under way. */
    private static final long NONE = 0;

    private long id;
    private RemoteOperation first;
    private RemoteOperation last;
    private RemoteOperation toSend;
    private int underWay;
    private int failure;
    private boolean isInLine;
    private boolean isFailing;
    private long ping;
    private long sentBeforePing;
    private long heardNs;
    private long askedNs;

    /** Makes it stand for another context, to which nothing is directed yet. */
    RemotePeer of(final long newId, final long nowNs) {
        assert isIdle() : "operations are left";
        id = newId;
        failure = PmStatus.OK;
        ping = NONE;
        heardNs = nowNs;
        return this;
    }

    long id() {
        return id;
    }

    void add(final RemoteOperation operation, final long nowNs) {
        if (first == null) {
            first = operation;
            heardNs = nowNs;
        } else {
            last.chain(operation);
        }
        last = operation;
        if (toSend == null) {
            toSend = operation;
        }
    }

    /** The operation that is answered next; null if there is none. */
    RemoteOperation first() {
        return first;
    }

    /** The operation whose requests are sent next; null if there is none. */
    RemoteOperation toSend() {
        return toSend;
    }

    /** True if the next to be sent is a fence that operations before it hold up. */
    boolean isHeldUp() {
        return toSend != null && toSend.isFence() && toSend != first;
    }

    /** The operation to be sent has been. */
    void onSent() {
        toSend = toSend.behind();
    }

    /** Removes the first operation. */
    void removeFirst() {
        if (toSend == first) {
            toSend = first.behind();
        }
        first = first.behind();
    }

    /** Puts it into the line of those who have something to send; false if it is in it. */
    boolean enterLine() {
        final boolean isNew = !isInLine;
        isInLine = true;
        return isNew;
    }

    void leaveLine() {
        isInLine = false;
    }

    void onFragment() {
        underWay++;
    }

    /** A request has been taken by the peer's node, or is lost; true if the latter is new. */
    boolean onFragmentDone(final int status) {
        underWay--;
        final boolean isNew = status != PmStatus.OK && !isFailing;
        if (isNew) {
            failure = status;
            isFailing = true;
        }
        return isNew;
    }

    /** Requests under way. */
    int underWay() {
        return underWay;
    }

    /** Why its operations fail, or OK. */
    int failure() {
        return failure;
    }

    /** All operations that could fail have. */
    void onFailed() {
        failure = PmStatus.OK;
        isFailing = false;
        ping = NONE;
    }

    void onHeard(final long nowNs) {
        heardNs = nowNs;
    }

    /** True if replies are missing and it was neither heard nor sent a request for that long. */
    boolean isRequestDue(final long afterNs, final long nowNs) {
        return first != null
                && (toSend == null || isHeldUp())
                && nowNs - heardNs >= afterNs
                && (ping == NONE || nowNs - askedNs >= afterNs);
    }

    /**
     * A ping is sent, possibly again: the reply to an earlier one may be lost. What a fence holds
     * up was begun before it, but is sent after it.
     */
    void onAsked(final long number, final long nowNs) {
        ping = number;
        sentBeforePing = toSend == null ? number : toSend.number();
        askedNs = nowNs;
    }

    /** Operations with a number below this one were sent before the last ping. */
    long sentBeforePing() {
        return sentBeforePing;
    }

    /** True if {@code number} is that of the ping under way, which is over then. */
    boolean onPong(final long number) {
        final boolean isIt = number == ping && ping != NONE;
        if (isIt) {
            ping = NONE;
        }
        return isIt;
    }

    /** True if nothing is left of it. */
    boolean isIdle() {
        return first == null && underWay == 0 && ping == NONE && !isInLine && !isFailing;
    }
}
