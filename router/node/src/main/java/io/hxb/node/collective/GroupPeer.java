package io.hxb.node.collective;

/**
 * Another node that takes part in a step: what it has sent, and what it is owed. It may be one
 * operation ahead. Owned by the thread of the node's own context.
 */
final class GroupPeer {
    /** Owed: that this node is ready. */
    static final int READY = 1;

    /** With {@link #READY}: an answer is wanted. */
    static final int READY_ASKS = 2;

    /** Owed: that the group ends. */
    static final int ENDED = 4;

    /** Owed: a request whether it is still there. */
    static final int ASK = 8;

    private final int node;
    private final CollectiveState[] parts = {new CollectiveState(), new CollectiveState()};
    private int instance;
    private int owed;
    private int sentOperation;
    private int sentBytes;

    /** A node that is not known to be ready. */
    GroupPeer(final int node) {
        this.node = node;
    }

    int node() {
        return node;
    }

    /** What it has, or will have, of an operation. */
    CollectiveState part(final int operation) {
        return parts[operation & 1];
    }

    /** Its number of the group, 0 while it is not known. */
    int instance() {
        return instance;
    }

    void onReady(final int itsInstance) {
        instance = itsInstance;
    }

    void schedule(final int what) {
        owed |= what;
    }

    void onSent(final int what) {
        owed &= ~what;
    }

    boolean isOwed(final int what) {
        return (owed & what) != 0;
    }

    boolean isOwedAnything() {
        return owed != 0;
    }

    /** True if all of this node's part of an operation has been sent to it. */
    boolean isSent(final int operation, final int totalBytes) {
        return sentOperation == operation && sentBytes == totalBytes;
    }

    /** Bytes of this node's part of an operation that have been sent to it. */
    int sentBytes(final int operation) {
        return sentOperation == operation ? sentBytes : 0;
    }

    void onPartSent(final int operation, final int bytes) {
        sentOperation = operation;
        sentBytes = bytes;
    }
}
