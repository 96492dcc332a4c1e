package io.hxb.linux;

import java.io.IOException;
import java.io.Serial;

/**
 * Somebody else could change what is in a folder; the message names the user and explains what to
 * do.
 */
public final class UntrustedFolderException extends IOException {
    @Serial private static final long serialVersionUID = 1L;

    /**
     * Describes the problem.
     *
     * @param message who owns the folder or file, and what to do.
     */
    public UntrustedFolderException(final String message) {
        super(message);
    }
}
