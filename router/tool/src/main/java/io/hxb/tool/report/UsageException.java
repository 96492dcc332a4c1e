package io.hxb.tool.report;

import java.io.Serial;
import java.util.function.Supplier;

/**
 * A command was used incorrectly: an option has an invalid value. The command ends with status 2
 * and prints only the message. Immutable.
 */
public final class UsageException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    /** Takes a complete message for the user. */
    public UsageException(final String message) {
        super(message);
    }

    /** The same, with what caused it. */
    public UsageException(final String message, final Throwable cause) {
        super(message, cause);
    }

    /**
     * Reads the value of an option.
     *
     * @param reading throws IllegalArgumentException with a message for the user if it is wrong.
     * @throws UsageException with that message.
     */
    public static <T> T check(final Supplier<T> reading) {
        try {
            return reading.get();
        } catch (final IllegalArgumentException e) {
            throw new UsageException(e.getMessage(), e);
        }
    }

    /**
     * The same.
     *
     * @param option its name, which begins the message.
     */
    public static <T> T check(final String option, final Supplier<T> reading) {
        try {
            return reading.get();
        } catch (final IllegalArgumentException e) {
            throw new UsageException(option + ": " + e.getMessage(), e);
        }
    }
}
