package io.hxb.flow;

/** Reason codes: the first byte in the body of a frame of type UNREACHABLE. */
public final class UnreachableReason {
    /** The node is there, but the context is not open. */
    public static final int NO_SUCH_CONTEXT = 1;

    /** The context is open, as a new incarnation. */
    public static final int RESTARTED = 2;

    /** The node has no memory for another flow now; the sender tries again. */
    public static final int NO_FLOW = 3;

    /** A relay has no way to the next hop. Not a flow's matter: the sender's node looks for one. */
    public static final int NO_ROUTE = 16;

    /** Bytes of the body: reason, type of the frame that could not be delivered, 6 of 0. */
    public static final int BODY_BYTES = 8;

    private UnreachableReason() {}
}
