package io.hxb.tool.report;

import java.io.Serial;

/**
 * Something that the user has to know and can act on: the message states what happened, where, and
 * what to do. The command ends with status 1 and prints only the message. Immutable.
 */
public final class ToolException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    /** Takes a complete message for the user. */
    public ToolException(final String message) {
        super(message);
    }

    /** The same, with what caused it for {@code --debug}. */
    public ToolException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
