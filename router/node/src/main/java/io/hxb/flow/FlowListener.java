package io.hxb.flow;

/**
 * The contexts' side of the flows: it is called when frames arrive, sends are done and peers are
 * gone.
 */
public interface FlowListener {
    /** The context has no room for the frame's messages now; it calls FlowTable.resume later. */
    int FULL = 0;

    /** The frame and its buffer were taken. */
    int DELIVERED = 1;

    /** The frame was copied: its buffer is the caller's. */
    int COPIED = 2;

    /**
     * Hands one data frame over, in order within its source; never by two threads at the same time
     * for one source, but possibly for different sources. The body has been checked: its records
     * lie inside it and are {@code messageCount} in number, 1 or more.
     *
     * @param ends of the flow. If its incarnation of the context is no longer open, the answer is
     *     {@link #FULL}.
     * @param bufferId pool buffer the frame lies in; ownership passes when taken, and the context
     *     gives it back by {@link FlowPort#released} when its last message is released.
     * @param bodyAddress first record (see MessageRecordFlyweight).
     * @param bodyLengthBytes bytes of the body.
     * @param messageCount records in the body.
     * @return {@link #DELIVERED}, {@link #COPIED} or {@link #FULL}.
     */
    int onFrame(
            FlowEndpoints ends,
            int bufferId,
            long bodyAddress,
            int bodyLengthBytes,
            int messageCount);

    /**
     * A message was acknowledged by the receiving node, or its flow ended: the send buffer is the
     * application's again. On the loop that owns the context.
     *
     * @param status {@code PmStatus.OK}, PEER_UNREACHABLE, PEER_RESTARTED, NO_SUCH_CONTEXT or
     *     NOT_ALLOWED.
     */
    void onSendDone(int contextId, int sendSlot, int status);

    /**
     * As {@link #onSendDone}, for messages of a run that FlowLoop.stage has taken: {@code messages}
     * of them in a row, which shared one frame.
     *
     * @param firstSlot send slot of the first.
     */
    void onRunDone(int contextId, int firstSlot, int messages, int status);

    /**
     * A flow to a peer ended, and messages of it were reported with that status, or will be as soon
     * as no link holds them: their sender need not be notified of the flow as well.
     */
    default void onSendsFailed(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        onPeerStatus(contextId, peerNode, peerContext, status);
    }

    /**
     * A flow from or to a peer ended. On any receiving loop.
     *
     * @param status as for {@link #onSendDone}.
     */
    void onPeerStatus(int contextId, int peerNode, int peerContext, int status);
}
