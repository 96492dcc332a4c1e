package io.hxb.frame;

/**
 * Why a frame was dropped: negative codes, so that checks can return them or 0 for "not dropped".
 * Each has a counter. Stateless.
 */
public final class DropReason {
    /** The frame is valid so far. */
    public static final int NONE = 0;

    /** It is shorter than a header. */
    public static final int TOO_SHORT = -1;

    /** It is of another version. */
    public static final int VERSION = -2;

    /** Its type is not known. */
    public static final int TYPE = -3;

    /** It has flags that are not known. */
    public static final int FLAGS = -4;

    /** Its body is longer than what arrived. */
    public static final int LENGTH = -5;

    /** A reserved field is not 0. */
    public static final int RESERVED = -6;

    /** It is of another cluster. */
    public static final int CLUSTER = -7;

    /** Its dimension order does not name each dimension once. */
    public static final int ORDER = -8;

    /** It has crossed too many links. */
    public static final int HOP_LIMIT = -9;

    /** It is from or to coordinates outside the shape. */
    public static final int COORDINATES = -10;

    /** Its body does not fit its type. */
    public static final int BODY = -11;

    /** Its CRC-32C is wrong. */
    public static final int CRC = -12;

    /** No link leads on. */
    public static final int NO_ROUTE = -13;

    /** The link it had to take was full. */
    public static final int LINK_BLOCKED = -14;

    /** No buffer was free. */
    public static final int POOL_EMPTY = -15;

    /** Its source is the node that received it. */
    public static final int OWN_SOURCE = -16;

    /** It has no seal, and this cluster has a key. */
    public static final int UNSEALED = -17;

    /** Its seal is wrong, or made with another key. */
    public static final int SEAL = -18;

    /** It was received before, or is too old for us to tell. */
    public static final int REPLAY = -19;

    /** There is no session with the node that sent it, or that it is for. */
    public static final int NO_SESSION = -20;

    /** It came from a link address that is not a neighbour's. */
    public static final int UNKNOWN_NEIGHBOUR = -21;

    /** The node failed to handle it, which is a defect of the node, described in its log. */
    public static final int FAULT = -22;

    /** All bytes of the fragment had arrived before. */
    public static final int FRAGMENT_DOUBLED = -23;

    /** The fragment contradicts others of its frame, or is of a frame too long for a buffer. */
    public static final int FRAGMENT_CONTRADICTING = -24;

    /** The frame of the fragment was complete before, or had been given up. */
    public static final int FRAGMENT_LATE = -25;

    /** There was no place or buffer for the frame of the fragment. */
    public static final int FRAGMENT_REFUSED = -26;

    /** Number of reasons: they are -1 to -{@value}. */
    public static final int COUNT = 26;

    private static final String[] NAMES = {
        "NONE",
        "TOO_SHORT",
        "VERSION",
        "TYPE",
        "FLAGS",
        "LENGTH",
        "RESERVED",
        "CLUSTER",
        "ORDER",
        "HOP_LIMIT",
        "COORDINATES",
        "BODY",
        "CRC",
        "NO_ROUTE",
        "LINK_BLOCKED",
        "POOL_EMPTY",
        "OWN_SOURCE",
        "UNSEALED",
        "SEAL",
        "REPLAY",
        "NO_SESSION",
        "UNKNOWN_NEIGHBOUR",
        "FAULT",
        "FRAGMENT_DOUBLED",
        "FRAGMENT_CONTRADICTING",
        "FRAGMENT_LATE",
        "FRAGMENT_REFUSED"
    };

    private DropReason() {}

    /** Name of a reason, as its constant is called. */
    public static String name(final int reason) {
        return NAMES[-reason];
    }
}
