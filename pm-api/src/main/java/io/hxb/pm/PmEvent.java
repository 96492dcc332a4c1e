package io.hxb.pm;

/**
 * Something that went wrong on the way to or from a peer, filled by {@link PmContext#pollEvent}.
 * Reusable; owned by the thread that owns the context.
 */
public final class PmEvent {
    /** {@link #slot()} of an event that is not about one message. */
    public static final int NO_SLOT = -1;

    private int status;
    private int node;
    private int context;
    private int slot;

    /** Makes an event to be filled. */
    public PmEvent() {
        // Everything is 0 until it is filled.
    }

    PmEvent set(final int status, final int node, final int context, final int slot) {
        this.status = status;
        this.node = node;
        this.context = context;
        this.slot = slot;
        return this;
    }

    /**
     * {@return what happened: {@link PmStatus#PEER_UNREACHABLE}, {@link PmStatus#PEER_RESTARTED},
     * {@link PmStatus#PEER_FULL}, {@link PmStatus#NO_SUCH_CONTEXT} or {@link PmStatus#NOT_ALLOWED};
     * for a message also {@link PmStatus#FLOW_LIMIT} when the node, or this user, has as many flows
     * as it may have}
     */
    public int status() {
        return status;
    }

    /** {@return the peer's node id} */
    public int node() {
        return node;
    }

    /** {@return the peer's context} */
    public int context() {
        return context;
    }

    /**
     * {@return the send slot whose message the peer may not have taken, or {@link #NO_SLOT} when a
     * flow as a whole has ended}
     */
    public int slot() {
        return slot;
    }

    @Override
    public String toString() {
        final String where =
                PmStatus.name(status) + " node " + node + " context " + context + " slot " + slot;
        return switch (status) {
            case PmStatus.NOT_ALLOWED ->
                    where
                            + ": this context's tenant may not send there, see tenants in the"
                            + " cluster file";
            case PmStatus.FLOW_LIMIT ->
                    where
                            + ": this node or user has as many flows as flow.maxFlows or"
                            + " limits.flows of the cluster file allows";
            case PmStatus.PEER_FULL ->
                    where
                            + ": the peer's node or user has as many flows as flow.maxFlows or"
                            + " limits.flows of the cluster file allows";
            default -> where;
        };
    }
}
