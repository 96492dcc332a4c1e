package io.hxb.flow;

import io.hxb.pm.PmStatus;

/**
 * A claim that the peer of an open flow is gone, or is another incarnation. Anybody may make it, or
 * make it late, so the peer is asked; the flow ends only if that probe is denied, too, and nothing
 * is acknowledged for about a round trip. Owned by the loop of the flow.
 */
final class PeerGoneClaim {
    private int status = PmStatus.OK;
    private ClosedFlowRecord closedFlowRecord;
    private boolean isConfirmed;
    private long endsNs;

    /** Nobody denies the flow. */
    PeerGoneClaim() {}

    /**
     * Somebody denies a frame that was sent.
     *
     * @param why the status with which the flow would end.
     * @param what the peer had of the flow, null if nobody knows.
     * @param isOfProbe true if that frame was a probe.
     * @param untilNs until when an acknowledgement refutes the denial.
     * @return true if the peer has to be asked.
     */
    boolean onDenied(
            final int why,
            final ClosedFlowRecord what,
            final boolean isOfProbe,
            final long untilNs) {
        final boolean isNew = status == PmStatus.OK;
        if (isNew) {
            endsNs = untilNs;
            isConfirmed = false;
        } else if (isOfProbe) {
            isConfirmed = true;
        }
        if (isNew || isOfProbe) {
            status = why;
            closedFlowRecord = what;
        }
        return isNew;
    }

    /** What the peer had of a flow that {@link #take} has ended; null if nobody knows. */
    ClosedFlowRecord lastWord() {
        return closedFlowRecord;
    }

    /**
     * The peer was heard.
     *
     * @return true if somebody had denied it.
     */
    boolean onHeard() {
        final boolean wasDenied = status != PmStatus.OK;
        status = PmStatus.OK;
        return wasDenied;
    }

    /** When to ask {@link #take}, Long.MAX_VALUE for never. */
    long wakeNs() {
        return status == PmStatus.OK ? Long.MAX_VALUE : endsNs;
    }

    /**
     * The status with which the flow ends now; {@code PmStatus.OK} if it does not. What was not
     * confirmed in time is forgotten.
     */
    int take(final long nowNs) {
        if (status == PmStatus.OK || endsNs - nowNs > 0) {
            return PmStatus.OK;
        }
        final int ended = isConfirmed ? status : PmStatus.OK;
        status = PmStatus.OK;
        return ended;
    }
}
