package io.hxb.trunk;

/** The reason for the state of a link to a neighbour. */
public enum LinkReason {
    /** Nothing has been heard from the neighbour on the link yet. */
    NOT_HEARD(0, "the neighbour has not been heard there"),

    /** A hello frame of the neighbour arrived for the first time, or after it restarted. */
    HELLO(1, "the neighbour was heard"),

    /** Enough heartbeats in a row arrived in both directions. */
    HEALED(2, "heartbeats pass again"),

    /** Next to nothing arrived while another link of the trunk carried frames. */
    SILENT(3, "nothing arrives there while other links carry frames"),

    /** Too large a share of its frames is lost. */
    LOSSY(4, "it loses too many frames"),

    /** The NIC is down, gone or without a carrier. */
    NO_CARRIER(5, "the NIC is down, gone or without a carrier"),

    /** The NIC refused frames. */
    SEND_ERRORS(6, "the NIC refuses frames"),

    /** The neighbour reports that it does not hear this node there. */
    REPORTED(7, "the neighbour does not hear this node there"),

    /** Nothing at all came from the neighbour on any link, though it was asked repeatedly. */
    UNANSWERED(8, "the neighbour answers on no link"),

    /** Too many hello frames in a row are missing. */
    MISSED_HELLOS(9, "no hello frames arrive there"),

    /** Short frames arrive, but none of the heartbeats, which are as long as frames of data. */
    LONG_LOST(10, "short frames arrive there, long ones do not");

    private final int code;
    private final String text;

    LinkReason(final int code, final String text) {
        this.code = code;
        this.text = text;
    }

    /** Number of the reason in counter files; keeps its meaning. */
    public int code() {
        return code;
    }

    /** The text of the reason with that code; empty when there is none. */
    public static String textOf(final long code) {
        for (final LinkReason reason : values()) {
            if (reason.code == code) {
                return reason.text;
            }
        }
        return "";
    }

    /** The text of the reason, to follow "because" or a colon. */
    public String text() {
        return text;
    }
}
