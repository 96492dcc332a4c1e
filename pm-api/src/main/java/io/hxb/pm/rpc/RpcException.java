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
     * {@return the {@link PmStatus} with the reason: {@link PmStatus#NO_BUFFERS} if the peer has
     * too many requests, here or there; {@link PmStatus#PEER_RESTARTED} if the peer is another
     * process than the one that was asked, or its reply was lost; {@link PmStatus#CONTEXT_CLOSED}
     * if this endpoint is closed; {@link PmStatus#OK} if the peer's handler has thrown; otherwise
     * the deadline has passed: {@link PmStatus#TIMED_OUT}, or what has become of the peer, or of
     * the node of this machine}
     */
    public int status() {
        return status;
    }

    /** {@return false if the request was certainly not carried out: it may be sent again} */
    public boolean mayBeDone() {
        return mayBeDone;
    }
}
