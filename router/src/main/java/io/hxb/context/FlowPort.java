package io.hxb.context;

/** What the contexts of one loop ask of its flows. Called by that loop only. */
public interface FlowPort {
    /** Lets peers send to a context; see FlowTable.openContext. */
    void openContext(int contextId, int incarnation, int receiveQuotaFrames);

    /** Ends all flows of a context and forgets its unfinished sends. */
    void closeContext(int contextId);

    /**
     * Sends a message; FlowListener.onSendDone follows exactly once, possibly within this call with
     * the reason why nothing was taken.
     *
     * @param payloadAddress stays mapped and is read until then, and by links until {@link
     *     #queuedFrames} is 0.
     */
    void submit(
            int contextId,
            int sendSlot,
            int destinationNode,
            int destinationContext,
            long payloadAddress,
            int lengthBytes,
            int tag);

    /**
     * Says whether the context has left messages that will be submitted in the next turn. What
     * fills no frame may then wait for them, one turn.
     */
    void moreComing(int contextId, boolean isMoreComing);

    /** Gives a delivered frame's buffer back. */
    void released(int flowHandle, int bufferId);

    /** A context that refused a frame has room again. */
    void resume(int contextId);

    /** Frames with payload of this context, open or closed, that links may still read. */
    int queuedFrames(int contextId);
}
