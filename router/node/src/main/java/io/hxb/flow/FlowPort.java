package io.hxb.flow;

/**
 * What the contexts of one loop need of its flows; implemented by {@link FlowLoop}. Called by that
 * loop only.
 */
public interface FlowPort {
    /**
     * Lets peers send to a context, of which this loop becomes the owner.
     *
     * @param contextId a number of 0 to {@link FlowSizes#maxContexts()} - 1, of any {@link
     *     ContextKind}; not open.
     * @param incarnation not 0; later than that of any earlier opening, in serial arithmetic.
     */
    void openContext(int contextId, int incarnation, ContextTerms terms);

    /** Frames that a context may have now, in flight to it or held; 0 if it is not open. */
    int creditFrames(int contextId);

    /**
     * Goes on with a pass through the flows.
     *
     * @param maxFlows how many are looked at, 1 or more.
     * @return true once it is over.
     */
    boolean walk(FlowWalk walk, int maxFlows);

    /** Ends all flows of a context and forgets its unfinished sends. */
    void closeContext(int contextId);

    /**
     * Sends a message; {@link FlowListener#onSendDone} follows exactly once, possibly within this
     * call with the reason why nothing was taken. Nothing is reported for a context that is not
     * open.
     *
     * @param payloadAddress stays mapped and is read until then, and by links until {@link
     *     #queuedFrames} is 0.
     */
    void submitOrReport(
            int contextId,
            int sendSlot,
            int destinationNode,
            int destinationContext,
            long payloadAddress,
            int lengthBytes,
            int tag);

    /**
     * Takes short messages for one destination, as they lie in a ShortRing, and copies them into
     * frames of their flow: as many as the flow is free to send, from the front. {@link
     * FlowListener#onRunDone} follows for every frame.
     *
     * @param address of the first record, in memory that the application may change at the same
     *     time.
     * @param lengthBytes of all records.
     * @param maxMessages how many may be taken.
     * @param isNewRun true if the first record begins a run: then it begins a frame, too.
     * @return see {@link StageResult}; the rest has to be submitted.
     */
    long stage(
            int contextId,
            int destinationNode,
            int destinationContext,
            long address,
            int lengthBytes,
            int maxMessages,
            boolean isNewRun);

    /**
     * Bytes of messages that wait for their turn on a flow and were not handed to a link: for
     * senders that keep their own queue.
     *
     * @return 0 if there is no such flow.
     */
    long waitingBytes(int contextId, int destinationNode, int destinationContext);

    /**
     * Gives up a flow that makes no progress: everything unacknowledged is reported as
     * PEER_UNREACHABLE, within the call or when no link holds it any more. The next message begins
     * the flow again. Nothing happens if there is no such flow.
     */
    void endFlow(int contextId, int destinationNode, int destinationContext);

    /**
     * Sets whether the context has left messages that will be submitted in the next turn. Messages
     * that do not fill a frame may then wait for those, for one turn.
     */
    void moreComing(int contextId, boolean isMoreComing);

    /** Gives a delivered frame's buffer back. */
    void released(int flowHandle, int bufferId);

    /** The context has released its copy of a delivered frame. */
    void releasedCopy(int flowHandle);

    /**
     * A context that is about to be closed has not released all messages of a frame, which is given
     * back next.
     *
     * @param sequence of the frame, see {@link FlowListener#onFrame}.
     * @param messagesLeft its last messages, 1 or more; 65,535 for all.
     */
    void abandoned(int flowHandle, int sequence, int messagesLeft);

    /** A context that refused a frame has room again. */
    void resume(int contextId);

    /** Frames with payload of this context, open or closed, that links may still read. */
    int queuedFrames(int contextId);
}
