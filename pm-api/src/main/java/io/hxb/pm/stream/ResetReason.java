package io.hxb.pm.stream;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;

/** Why a stream ended before both sides had ended it. Immutable. */
public enum ResetReason {
    /** Something that this version does not know. */
    UNKNOWN(0, "the peer gave a reason that this version does not know"),

    /** The peer's application reset it, or closed it with data unread or still to come. */
    RESET_BY_PEER(1, "connection reset by peer"),

    /** Nobody listens on that port. */
    NO_LISTENER(2, "connection refused: nobody listens on that port"),

    /** The listener has more connections waiting than its backlog. */
    BACKLOG_FULL(3, "connection refused: the listener's backlog is full"),

    /** The peer has as many streams as it may have. */
    TOO_MANY_STREAMS(4, "connection refused: the peer has as many streams as it may have"),

    /** The peer does not know this stream, such as after it has closed it. */
    NO_SUCH_STREAM(5, "connection reset: the peer has closed the stream"),

    /** The peer's process or node was restarted, or its streams were closed. */
    PEER_RESTARTED(6, "connection reset: the peer's process or node has ended or was restarted"),

    /** No path leads to the peer's node, or it has been silent too long. */
    PEER_UNREACHABLE(7, "the peer's node cannot be reached"),

    /** The peer's node has no room for another flow. */
    PEER_FULL(8, "the peer's node has as many flows as its flow.maxFlows allows: try again later"),

    /** A record broke the rules or the order of the stream; bytes would have been lost. */
    PROTOCOL_ERROR(9, "connection reset: a record broke the protocol"),

    /** The node of this machine is gone or has closed the context. */
    NODE_GONE(10, "the node of this machine is gone"),

    /** This side has reset or closed it. */
    CLOSED_HERE(11, "the stream was closed on this side"),

    /** The tenants of the two ends may not talk to each other. */
    NOT_ALLOWED(
            12,
            "the tenants of the two ends may not talk to each other: see tenants in the cluster"
                    + " file"),

    /** This node, or this program's share of it, has no room for another flow. */
    FLOW_LIMIT(
            13,
            "this node or this program has as many flows as flow.maxFlows or limits.flows allows:"
                    + " try again later");

    private final int code;
    private final String text;

    ResetReason(final int code, final String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the text of the reason} */
    public String text() {
        return text;
    }

    /**
     * The exception of a stream that ended for this reason.
     *
     * @param place peer, or what else was used.
     */
    IOException failure(final Object place) {
        return this == NODE_GONE
                ? new NodeGoneException(place)
                : new StreamResetException(this, place);
    }

    /** The exception of a connect that ended for this reason; its cause has the reason. */
    IOException connectFailure(final HxbSocketAddress remote) {
        final IOException cause = failure(remote);
        if (this == NODE_GONE) {
            return cause;
        }
        final IOException failure =
                this == PEER_UNREACHABLE
                        ? new NoRouteToHostException(cause.getMessage())
                        : new ConnectException(cause.getMessage());
        failure.initCause(cause);
        return failure;
    }

    /** Its number in a record. */
    long code() {
        return code;
    }

    static ResetReason of(final long code) {
        for (final ResetReason reason : values()) {
            if (reason.code == code) {
                return reason;
            }
        }
        return UNKNOWN;
    }
}
