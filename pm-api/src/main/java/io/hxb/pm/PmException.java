package io.hxb.pm;

import java.io.IOException;
import java.io.Serial;

/** Attaching or opening was refused or failed; the message explains what to do. Immutable. */
public final class PmException extends IOException {
    @Serial private static final long serialVersionUID = 1L;

    /** True if trying again may help. */
    private final boolean isNodeMissing;

    /**
     * An exception whose message is complete.
     *
     * @param message what happened, and what to do.
     */
    public PmException(final String message) {
        super(message);
        isNodeMissing = false;
    }

    /**
     * An exception whose message is complete, with the cause for the log.
     *
     * @param message what happened, and what to do.
     * @param cause why, for the log.
     */
    public PmException(final String message, final Throwable cause) {
        super(message, cause);
        isNodeMissing = false;
    }

    private PmException(final String message, final Throwable cause, final boolean isNodeMissing) {
        super(message, cause);
        this.isNodeMissing = isNodeMissing;
    }

    /**
     * An exception for the case that no node listens, or that the one that does is about to end.
     *
     * @param message what happened, and what to do.
     * @param cause why, for the log; may be null.
     * @return the exception.
     */
    public static PmException nodeMissing(final String message, final Throwable cause) {
        return new PmException(message, cause, true);
    }

    /**
     * {@return true if no node listens there, or it is just ending: one may be started later, so
     * trying again after a pause may help} False for problems that remain, such as a node that
     * refuses this user.
     */
    public boolean isNodeMissing() {
        return isNodeMissing;
    }
}
