package io.hxb.tool.tunnel;

import io.hxb.pm.stream.ResetReason;
import io.hxb.pm.stream.StreamResetException;

/**
 * Why a stream to a service did not come about. Immutable.
 *
 * @param kind what a protocol may tell its client.
 * @param text a sentence for people, which begins with the place.
 */
public record DialFailure(Kind kind, String text) {
    /** What a protocol may tell its client. */
    public enum Kind {
        /** Nobody accepts connections there. */
        REFUSED,
        /** No way there, or no answer. */
        UNREACHABLE,
        /** The rules of the cluster forbid it. */
        NOT_ALLOWED
    }

    /** The failure of a connect. */
    static DialFailure of(final String place, final int port, final Throwable reason) {
        if (!(reason.getCause() instanceof final StreamResetException reset)) {
            return new DialFailure(Kind.UNREACHABLE, place + ": " + reason.getMessage());
        }
        final ResetReason why = reset.reason();
        return switch (why) {
            case NO_LISTENER ->
                    new DialFailure(
                            Kind.REFUSED,
                            place
                                    + ": connection refused: nobody exposes that port; run there:"
                                    + " hxb expose "
                                    + port);
            case BACKLOG_FULL, TOO_MANY_STREAMS ->
                    new DialFailure(Kind.REFUSED, place + ": " + why.text());
            case NOT_ALLOWED -> new DialFailure(Kind.NOT_ALLOWED, place + ": " + why.text());
            default -> new DialFailure(Kind.UNREACHABLE, place + ": " + why.text());
        };
    }
}
