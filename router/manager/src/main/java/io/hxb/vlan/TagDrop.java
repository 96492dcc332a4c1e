package io.hxb.vlan;

/** Why a tagger drops a frame; the number is the place in this list. */
public enum TagDrop {
    /** It is longer than the NIC allows, or than there is room for. */
    TOO_LONG(0),
    /** The NIC, or the kernel before it, has no room. */
    NO_ROOM(1),
    /** The NIC, or the virtual one, is down. */
    DOWN(2),
    /** The kernel refuses it: it is malformed, or of a kind that it does not know. */
    REFUSED(3);

    private final int number;

    TagDrop(final int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
