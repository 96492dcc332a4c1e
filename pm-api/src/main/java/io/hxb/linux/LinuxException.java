package io.hxb.linux;

import java.io.IOException;
import java.io.Serial;

/** A system call failed: which one, on what, with which errno. */
public final class LinuxException extends IOException {
    @Serial private static final long serialVersionUID = 1L;

    /** The errno. */
    private final int errno;

    /**
     * Describes a failed call.
     *
     * @param call the call and its object, such as {@code bind(veth3)}.
     * @param errno its errno, see {@link Errno}.
     */
    public LinuxException(final String call, final int errno) {
        super(call + ": " + Errno.describe(errno));
        this.errno = errno;
    }

    /** The errno, see {@link Errno}. */
    public int errno() {
        return errno;
    }
}
