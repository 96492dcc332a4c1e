package io.hxb.node.loop;

/**
 * A loop has not stopped in time, so that its thread may still use the memory, the sockets and the
 * descriptors of its tasks: whoever owns these leaves them open until the process ends.
 */
public final class LoopStuckException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** Says which loop it is and what follows from that. */
    public LoopStuckException(final String message) {
        super(message);
    }
}
