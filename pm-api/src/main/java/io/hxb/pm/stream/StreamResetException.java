package io.hxb.pm.stream;

import java.io.Serial;
import java.net.SocketException;

/** A stream has ended prematurely; the message and {@link #reason()} state why. Immutable. */
public final class StreamResetException extends SocketException {
    @Serial private static final long serialVersionUID = 1L;

    /** Why. */
    private final ResetReason reason;

    StreamResetException(final ResetReason reason, final Object peer) {
        super(reason.text() + " (" + peer + ")");
        this.reason = reason;
    }

    /** {@return why it ended} */
    public ResetReason reason() {
        return reason;
    }
}
