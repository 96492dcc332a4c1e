package io.hxb.pm;

import io.hxb.pm.share.DestinationShares;

/**
 * One destination of a context's messages: how much to it is not finished, and what is done with
 * messages when it is slow. Holds nothing itself, so it may be made as often as needed, or kept.
 * Owned by the context's thread; no method blocks or allocates.
 */
public final class PmDestination {
    private final ContextSends sends;
    private final int node;
    private final int peerContext;

    PmDestination(final ContextSends sends, final int node, final int peerContext) {
        this.sends = sends;
        this.node = node;
        this.peerContext = peerContext;
    }

    /** {@return its node id} */
    public int node() {
        return node;
    }

    /** {@return its number on its node} */
    public int context() {
        return peerContext;
    }

    /**
     * {@return the messages to it that are claimed, or handed over and neither acknowledged by its
     * node nor failed} Messages to a context of this node that went directly, through a ring of
     * shared memory, do not count: they are done at once.
     */
    public int unfinishedMessages() {
        final int share = share();
        return share == DestinationShares.NONE ? 0 : sends.shares().messages(share);
    }

    /** {@return the bytes of those of them that are handed over} */
    public long unfinishedBytes() {
        final int share = share();
        return share == DestinationShares.NONE ? 0 : sends.shares().bytes(share);
    }

    /**
     * {@return true if a message to it would not find a send buffer now: it has its share, or as
     * many as the options allow, or all are in use} Its ring may be full even if this is false.
     */
    public boolean isFull() {
        final int share = share();
        return !sends.hasFree()
                || (share != DestinationShares.NONE && !sends.shares().mayTake(share));
    }

    /** {@return the messages that were dropped since {@link #options} was called, by its order} */
    public long droppedMessages() {
        final int share = sends.shares().find(node, peerContext);
        return share == DestinationShares.NONE ? 0 : sends.shares().dropped(share);
    }

    /**
     * Sets what is done with messages to it when it is slow. Holds for the context, until it is set
     * again; {@link PmDestinationOptions#DEFAULT} ends it. Destinations with other options take
     * some memory each.
     *
     * @param options from now on.
     */
    public void options(final PmDestinationOptions options) {
        final DestinationShares shares = sends.shares();
        shares.set(
                shares.of(node, peerContext),
                options.maxMessages(),
                options.maxWaitNs(),
                options.isDropping());
    }

    private int share() {
        sends.takeDone();
        return sends.shares().find(node, peerContext);
    }

    @Override
    public String toString() {
        return "context " + peerContext + " of node " + node;
    }
}
