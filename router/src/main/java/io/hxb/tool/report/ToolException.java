package io.hxb.tool.report;

import java.io.Serial;

/**
 * Something the user has to know and can act on: the message says what, where and what to do. The
 * command ends with status 1 and prints the message alone. Immutable.
 */
public final class ToolException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    /** Makes one with a complete sentence for the user. */
    public ToolException(final String message) {
        super(message);
    }

    /** The same, with what caused it for {@code --debug}. */
    public ToolException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
