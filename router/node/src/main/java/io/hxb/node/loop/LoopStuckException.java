package io.hxb.node.loop;

/**
 * A loop has not stopped in time, so that its thread may still use the memory, the sockets and the
 * descriptors of its tasks: the owner of these leaves them open until the process ends.
 */
public final class LoopStuckException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** The message names the loop and what follows. */
    public LoopStuckException(final String message) {
        super(message);
    }
}
