package io.hxb.flow;

/**
 * The life of a flow at its sending end. With each return to CLOSED, and with each OPEN that found
 * nobody, the flow gets its next epoch, so that late answers are distinguished from current ones. A
 * flow that is CLOSED and has no messages is forgotten; its context remembers only the latest epoch
 * of those it has forgotten.
 *
 * <pre>
 *            a message waits                 ACCEPT
 *   CLOSED -----------------&gt; OPENING -------------------&gt; OPEN
 *     ^ ^                      |  |  ^                      |  |
 *     | |                      |  |  |                      |  | idle, and all was delivered
 *     | |                      |  +--+                      |  v
 *     | |                      |  nobody has opened the     |  CLOSING
 *     | |                      |  context, messages wait    |  |
 *     | +----------------------+----------------------------+  |
 *     |    the peer is silent, without route, gone or full,    |
 *     |    or another incarnation; the context closes          |
 *     |                                                        |
 *     +--------------------------------------------------------+
 *        CLOSED, or the peer is gone; silent without messages
 * </pre>
 *
 * <p>The receiving end makes its flow for the first frame that shows a ticket of ACCEPT ({@link
 * FlowCookies}), not for OPEN. It forgets the flow when CLOSE announces that everything was sent
 * and nothing is missing, and answers CLOSED, however often it is asked. What is sent while CLOSING
 * waits, and opens the flow again with the next epoch: so the receiver has delivered everything of
 * the earlier epoch before the first frame of the later one is sent. A receiver forgets on its own
 * only what its source would have closed if it could: silent for the idle time and two peer
 * timeouts, or asked to close sixteen times in two peer timeouts without an answer. A source that
 * finds its flow idle for longer closes it before it sends, so it never sends into a flow that was
 * forgotten.
 *
 * <p>When the context at the receiving end closes, its node answers with what had arrived and was
 * released ({@link StaleFrameReplies}). What had not been seen stays with the flow, which opens
 * again to the next incarnation of the context.
 *
 * <p>A ticket shown for another epoch or incarnation replaces the flow only if it was issued later,
 * or at the same time for a later epoch or incarnation. A flow is closed only after its ticket has
 * run out. So late frames neither end a flow nor begin one.
 */
enum FlowState {
    /** Nothing sent, or the flow ended. */
    CLOSED,

    /** Waits for ACCEPT. */
    OPENING,

    /** Data may be sent. */
    OPEN,

    /** Waits for CLOSED. */
    CLOSING
}
