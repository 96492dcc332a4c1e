package io.hxb.trunk.event;

/** Why the state of a link to a neighbour is what it is. */
public enum LinkReason {
    /** Nothing has been heard of the neighbour on the link yet. */
    NOT_HEARD("the neighbour has not been heard there"),

    /** A hello frame of the neighbour arrived for the first time, or after it restarted. */
    HELLO("the neighbour was heard"),

    /** Enough heartbeats in a row arrived in both directions. */
    HEALED("heartbeats pass again"),

    /** Next to nothing arrived while another link of the trunk carried frames. */
    SILENT("nothing arrives there while other links carry frames"),

    /** Too large a share of its frames is lost. */
    LOSSY("it loses too many frames"),

    /** The NIC is down, gone or without a carrier. */
    NO_CARRIER("the NIC is down, gone or without a carrier"),

    /** The NIC refused frames. */
    SEND_ERRORS("the NIC refuses frames"),

    /** The neighbour says that it does not hear this node there. */
    TOLD("the neighbour does not hear this node there"),

    /** Nothing at all came from the neighbour on any link, though it was asked repeatedly. */
    UNANSWERED("the neighbour answers on no link"),

    /** Too many hello frames in a row are missing. */
    MISSED_HELLOS("no hello frames arrive there");

    private final String text;

    LinkReason(final String text) {
        this.text = text;
    }

    /** The reason in words, to be put behind "because" or a colon. */
    public String text() {
        return text;
    }
}
