package io.hxb.node.collective;

/**
 * Another node that takes part in a step: what it has sent, and what is due to it. It may be one
 * operation ahead. Owned by the thread of the node's own context.
 */
final class GroupPeer {
    /** Due: that this node is ready. */
    static final int READY = 1;

    /** With {@link #READY}: a reply is requested. */
    static final int READY_ASKS = 2;

    /** Due: that the group ends. */
    static final int ENDED = 4;

    /** Due: a request whether it is still there. */
    static final int ASK = 8;

    private final int node;
    private final CollectiveState[] parts = {new CollectiveState(), new CollectiveState()};
    private int instance;
    private int due;
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
        due |= what;
    }

    void onSent(final int what) {
        due &= ~what;
    }

    boolean isDue(final int what) {
        return (due & what) != 0;
    }

    boolean hasDue() {
        return due != 0;
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
