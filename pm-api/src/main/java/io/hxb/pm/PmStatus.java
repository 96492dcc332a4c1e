package io.hxb.pm;

/**
 * Outcomes of PM calls that a correct program has to expect; all except {@link #OK} are negative,
 * so that calls which return a size or a count can also return them. Immutable.
 */
public final class PmStatus {
    /** Done. */
    public static final int OK = 0;

    /**
     * All send buffers that this destination may have are in use, or all there are: wait or poll,
     * then try again.
     */
    public static final int NO_BUFFERS = -1;

    /** No message is waiting. */
    public static final int EMPTY = -2;

    /** The time given to a wait has passed. */
    public static final int TIMED_OUT = -3;

    /**
     * No path leads to the peer's node, it has been silent too long, or it contradicts what it
     * acknowledged; the flow has ended.
     */
    public static final int PEER_UNREACHABLE = -4;

    /** The peer is a new incarnation: what the old one had not received is lost. */
    public static final int PEER_RESTARTED = -5;

    /**
     * The peer's node is there, but nobody has opened that context within {@link
     * PmContextOptions#peerWaitNs()}, or it has been closed.
     */
    public static final int NO_SUCH_CONTEXT = -6;

    /** The node has closed this context; see its reason. */
    public static final int CONTEXT_CLOSED = -7;

    /** The node is gone. */
    public static final int NODE_GONE = -8;

    /** The message is larger than the buffer offered. */
    public static final int TOO_LONG = -9;

    /**
     * The node is alive but has done nothing for seconds: it is stopped, or starved of CPU. It may
     * continue, and nothing is lost: wait again, or close.
     */
    public static final int NODE_SILENT = -10;

    /**
     * The peer's node, or the peer's share of it, has as many flows as {@code flow.maxFlows} of the
     * cluster file allows: try again when others have ended.
     */
    public static final int PEER_FULL = -11;

    /**
     * A wait has ended because there is an event but not what was waited for. Every further such
     * wait also ends immediately, until {@link PmContext#pollEvent} has taken the events.
     */
    public static final int EVENT = -12;

    /**
     * This context's tenant may not send to the peer's: see tenants in the cluster file. Every
     * further message there ends the same way.
     */
    public static final int NOT_ALLOWED = -13;

    /**
     * This node, or this context's share of it, has as many flows as {@code flow.maxFlows} or
     * {@code limits.flows} of the cluster file allow: try again when others have ended. Flows that
     * are not in use end within seconds when others are wanted.
     */
    public static final int FLOW_LIMIT = -14;

    /** The wait was ended from outside, not by what it waited for. */
    public static final int INTERRUPTED = -16;

    /**
     * There was no buffer for the message, and by the options of its destination it is dropped
     * then: see {@link PmDestinationOptions}. It was not sent.
     */
    public static final int DROPPED = -15;

    /**
     * Nothing is shared by that key: it is wrong, or was revoked, or the region or its application
     * is gone.
     */
    public static final int BAD_KEY = -20;

    /**
     * The bytes are not all inside the region, or those of an atomic operation are not 8-byte
     * aligned.
     */
    public static final int BAD_RANGE = -21;

    /** The key does not give that right. */
    public static final int NO_ACCESS = -22;

    /**
     * Members of a group do not agree on what they do: on the operation, its root, type or length,
     * or on who is a member.
     */
    public static final int DISAGREEMENT = -23;

    /** The node has as many groups, or as much memory for them, as it may. */
    public static final int GROUP_LIMIT = -24;

    /** The nodes of a group are too many, or not a box of coordinates and more than 64. */
    public static final int GROUP_NODES = -25;

    private PmStatus() {}

    /**
     * {@return the constant's name, for messages; {@code STATUS(n)} for a value that has none}
     *
     * @param status a constant of this class, or any other value.
     */
    public static String name(final int status) {
        return switch (status) {
            case OK -> "OK";
            case NO_BUFFERS -> "NO_BUFFERS";
            case EMPTY -> "EMPTY";
            case TIMED_OUT -> "TIMED_OUT";
            case PEER_UNREACHABLE -> "PEER_UNREACHABLE";
            case PEER_RESTARTED -> "PEER_RESTARTED";
            case NO_SUCH_CONTEXT -> "NO_SUCH_CONTEXT";
            case CONTEXT_CLOSED -> "CONTEXT_CLOSED";
            case NODE_GONE -> "NODE_GONE";
            case TOO_LONG -> "TOO_LONG";
            case NODE_SILENT -> "NODE_SILENT";
            case PEER_FULL -> "PEER_FULL";
            case EVENT -> "EVENT";
            case NOT_ALLOWED -> "NOT_ALLOWED";
            case FLOW_LIMIT -> "FLOW_LIMIT";
            case DROPPED -> "DROPPED";
            case INTERRUPTED -> "INTERRUPTED";
            case BAD_KEY -> "BAD_KEY";
            case BAD_RANGE -> "BAD_RANGE";
            case NO_ACCESS -> "NO_ACCESS";
            case DISAGREEMENT -> "DISAGREEMENT";
            case GROUP_LIMIT -> "GROUP_LIMIT";
            case GROUP_NODES -> "GROUP_NODES";
            default -> "STATUS(" + status + ")";
        };
    }
}
