package io.hxb.pm.shm;

/** Why a node has closed a context. Immutable; the number goes through shared memory. */
public enum CloseReason {
    /** It is open. */
    NONE("it is open"),
    /** The application asked for it or is gone. */
    DETACHED("the application has closed it or is gone"),
    /** The node stops. */
    NODE_CLOSED("the node has stopped"),
    /** A submission named no slot of the context. */
    BAD_SLOT("a submission named a send slot that does not exist"),
    /** A submission named a slot that is in flight. */
    SLOT_IN_FLIGHT("a submission named a send slot that was still in flight"),
    /** A submission named a node or context that cannot be. */
    BAD_DESTINATION("a submission named a node or context that does not exist"),
    /** A submission was too long. */
    BAD_LENGTH("a submission had a negative length or more than one buffer holds"),
    /** A submission named no region of the application, or bytes outside of it. */
    BAD_REGION("a submission named bytes outside of the application's regions"),
    /** A release named a buffer that the context does not hold. */
    BAD_RELEASE("a release named a receive buffer that the context does not hold");

    private static final CloseReason[] ALL = values();

    private final String text;

    CloseReason(final String text) {
        this.text = text;
    }

    /** The reason with number {@code ordinal}; {@link #NONE} for a number that has none. */
    public static CloseReason of(final int ordinal) {
        return ordinal >= 0 && ordinal < ALL.length ? ALL[ordinal] : NONE;
    }

    /** The reason in words, to follow "context 3 is closed: ". */
    public String text() {
        return text;
    }
}
