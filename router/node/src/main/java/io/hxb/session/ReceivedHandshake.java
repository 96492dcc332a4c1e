package io.hxb.session;

import io.hxb.frame.Nonce;
import io.hxb.frame.SessionFlyweight;

/**
 * What a peer sent in a SESSION frame whose seal is valid. It may be a replay. Immutable.
 *
 * @param nonce of the peer.
 * @param echo the nonce of ours that it heard, or none.
 * @param isEstablished true if the peer's newest session has these two nonces.
 * @param isAsking whether an answer is wanted.
 * @param sealingSession id of the session by which it seals frames for us, 0 for none.
 * @param key it was sealed with.
 * @param link it came over, or {@link Sessions#ROUTED}.
 */
record ReceivedHandshake(
        Nonce nonce,
        Nonce echo,
        boolean isEstablished,
        boolean isAsking,
        int sealingSession,
        ClusterKey key,
        int link) {
    static ReceivedHandshake of(
            final SessionFlyweight message, final ClusterKey key, final int link) {
        return new ReceivedHandshake(
                message.nonce(),
                message.echo(),
                message.hasFlag(SessionFlyweight.FLAG_ESTABLISHED),
                message.hasFlag(SessionFlyweight.FLAG_ASK),
                message.sealingSession(),
                key,
                link);
    }
}
