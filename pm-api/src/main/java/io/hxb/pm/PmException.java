package io.hxb.pm;

import java.io.IOException;
import java.io.Serial;

/** Attaching or opening was refused or failed; the message says what to do. Immutable. */
public final class PmException extends IOException {
    @Serial private static final long serialVersionUID = 1L;

    /** An exception whose message is complete. */
    public PmException(final String message) {
        super(message);
    }

    /** An exception whose message is complete, with the cause for the log. */
    public PmException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
