package io.hxb.pm.shm;

/** Why a node has closed a context. Immutable; its number is passed through shared memory. */
public enum CloseReason {
    /** It is open. */
    NONE(0, "it is open"),
    /** The application asked for it. */
    DETACHED(1, "the application has closed it"),
    /** The node stops. */
    NODE_CLOSED(2, "the node has stopped"),
    /** A submission named no slot of the context. */
    BAD_SLOT(3, "a submission named a send slot that does not exist"),
    /** A submission named a slot that is in flight. */
    SLOT_IN_FLIGHT(4, "a submission named a send slot that was still in flight"),
    /** A submission named a node or context that does not exist. */
    BAD_DESTINATION(5, "a submission named a node or context that does not exist"),
    /** A submission was too long. */
    BAD_LENGTH(6, "a submission had a negative length or more than one buffer holds"),
    /** A submission named no region of the application, or bytes outside it. */
    BAD_REGION(7, "a submission named bytes outside of the application's regions"),
    /** A release named a buffer that the context does not hold. */
    BAD_RELEASE(8, "a release named a receive buffer that the context does not hold"),
    /** The application has gone without closing it. */
    GONE(9, "the application is gone"),
    /** The ring of short messages has an impossible record. */
    BAD_SHORT(10, "a short message lay outside of its ring, or was too long"),
    /** The ring of operations on remote memory has an impossible entry. */
    BAD_OPERATION(11, "an operation on remote memory had a kind or length that does not exist");

    private static final CloseReason[] ALL = values();

    private final int code;
    private final String text;

    CloseReason(final int code, final String text) {
        this.code = code;
        this.text = text;
    }

    /** The reason with a number; {@link #NONE} for a number that has none. */
    public static CloseReason of(final int code) {
        return code >= 0 && code < ALL.length ? ALL[code] : NONE;
    }

    /** Number of reasons; their codes are 0 to this - 1. */
    public static int count() {
        return ALL.length;
    }

    /** The reason's number in shared memory. */
    public int code() {
        return code;
    }

    /** True if the application broke the rules. */
    public boolean isViolation() {
        return this != NONE && this != DETACHED && this != GONE && this != NODE_CLOSED;
    }

    /** The text of the reason, to follow "context 3 is closed: ". */
    public String text() {
        return text;
    }
}
