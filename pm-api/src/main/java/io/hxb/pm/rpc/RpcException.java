package io.hxb.pm.rpc;

import io.hxb.pm.PmStatus;

import java.io.IOException;
import java.io.Serial;

/** Why a request has no reply. Immutable. */
public final class RpcException extends IOException {
    @Serial private static final long serialVersionUID = 1L;

    private final int status;
    private final boolean mayBeDone;

    RpcException(final String message, final int status, final boolean mayBeDone) {
        super(message + " (" + PmStatus.name(status) + ")");
        this.status = status;
        this.mayBeDone = mayBeDone;
    }

    /**
     * {@return the {@link PmStatus} that says why: {@link PmStatus#NO_BUFFERS} if too many requests
     * wait for that peer, {@link PmStatus#TIMED_OUT} if the deadline has passed, {@link
     * PmStatus#NODE_GONE} if the node of this machine has ended, {@link PmStatus#CONTEXT_CLOSED} if
     * this end is closed, {@link PmStatus#OK} if the peer's handler has thrown; otherwise what has
     * become of the peer}
     */
    public int status() {
        return status;
    }

    /** {@return false if the request was certainly not carried out: it may be sent again} */
    public boolean mayBeDone() {
        return mayBeDone;
    }
}
