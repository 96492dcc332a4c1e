package io.hxb.node.collective;

/**
 * A context of this node that is a member of a group. Owned by the thread of the node's own
 * context.
 */
final class Member {
    private final int context;
    private final int incarnation;
    private final int rank;
    private final CollectiveState collectiveState = new CollectiveState();
    private int nodesListed;
    private boolean isJoined;
    private boolean isGone;
    private int next = 1;
    private int sentBytes = -1;
    private int failureOwed;

    /** A member that has not listed all nodes yet. */
    Member(final int context, final int incarnation, final int rank) {
        this.context = context;
        this.incarnation = incarnation;
        this.rank = rank;
    }

    int context() {
        return context;
    }

    int incarnation() {
        return incarnation;
    }

    int rank() {
        return rank;
    }

    /** Its part of the next operation. */
    CollectiveState part() {
        return collectiveState;
    }

    /** Nodes of the list that it has given. */
    int nodesListed() {
        return nodesListed;
    }

    void onListed(final int nodes) {
        nodesListed = nodes;
    }

    /** True if it has been notified that it has joined, and may contribute. */
    boolean isJoined() {
        return isJoined;
    }

    void onJoined(final boolean isNotified) {
        isJoined = isNotified;
    }

    /** True if it has left; what it contributed before counts. */
    boolean isGone() {
        return isGone;
    }

    void onGone() {
        isGone = true;
    }

    /** Number of the operation that it may contribute to. */
    int next() {
        return next;
    }

    /** True if the result of an operation has not been sent to it. */
    boolean isResultDue(final int operation) {
        return !isGone && next == operation;
    }

    /** Bytes of the result that were sent; -1 if nothing was, not even that it is empty. */
    int sentBytes() {
        return sentBytes;
    }

    /** More of the result has been sent. */
    void onSent(final int bytes, final int totalBytes) {
        sentBytes = bytes;
        if (bytes == totalBytes) {
            sentBytes = -1;
            next++;
        }
    }

    /** It has to be notified that an operation fails; what it contributed to it is dropped. */
    void scheduleFailure(final int operation) {
        failureOwed = operation;
        collectiveState.clear();
        sentBytes = -1;
        next = operation + 1;
    }

    /** Operation whose failure has to be reported to it, 0 for none. */
    int failureDue() {
        return failureOwed;
    }

    void onFailureSent() {
        failureOwed = 0;
    }
}
