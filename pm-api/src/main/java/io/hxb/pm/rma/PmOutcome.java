package io.hxb.pm.rma;

import io.hxb.pm.PmStatus;

/**
 * How an operation has ended, filled by {@link PmRemoteMemory#poll}. Reusable; owned by the thread
 * that owns the context.
 */
public final class PmOutcome {
    private int operation;
    private int status;
    private long value;

    /** Makes an outcome to be filled. */
    public PmOutcome() {
        // Everything is 0 until it is filled.
    }

    void set(final int newOperation, final int newStatus, final long newValue) {
        operation = newOperation;
        status = newStatus;
        value = newValue;
    }

    /** {@return the operation, as the call that began it returned it; its number is free again} */
    public int operation() {
        return operation;
    }

    /**
     * {@return {@link PmStatus#OK} if all of it was done; {@link PmStatus#BAD_KEY}, {@link
     * PmStatus#BAD_RANGE} or {@link PmStatus#NO_ACCESS} if the destination's node has refused it;
     * or why it may not have been done, as for a message: {@link PmStatus#PEER_UNREACHABLE}, {@link
     * PmStatus#PEER_RESTARTED}, {@link PmStatus#PEER_FULL}, {@link PmStatus#NO_SUCH_CONTEXT} (also
     * when that context does not use remote memory), {@link PmStatus#NOT_ALLOWED} or {@link
     * PmStatus#FLOW_LIMIT}. Of a put or get that was not OK, any part may have been done}
     */
    public int status() {
        return status;
    }

    /** {@return the value before an atomic operation that was OK; otherwise 0} */
    public long value() {
        return value;
    }

    @Override
    public String toString() {
        return "operation " + operation + " " + PmStatus.name(status) + " value " + value;
    }
}
