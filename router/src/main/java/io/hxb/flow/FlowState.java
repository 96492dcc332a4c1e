package io.hxb.flow;

/**
 * The life of a flow at its sending end. With each return to CLOSED, and with each question that
 * found nobody, the flow gets its next epoch, so that late answers are told from those of now.
 *
 * <pre>
 *            a message waits                 ACCEPT
 *   CLOSED -----------------&gt; OPENING -------------------&gt; OPEN
 *     ^                        |  |  ^                       |
 *     |                        |  |  |                       |
 *     |                        |  +--+                       |
 *     |                        |  nobody has opened the      |
 *     |                        |  context and messages wait  |
 *     |                        |                             |
 *     +------------------------+-----------------------------+
 *        the peer is silent, without route, gone or full, or
 *        (from OPEN) another incarnation; the context closes
 * </pre>
 */
enum FlowState {
    /** Nothing sent, or the flow ended. */
    CLOSED,

    /** Waits for ACCEPT. */
    OPENING,

    /** Data may go. */
    OPEN
}
