package io.hxb.session;

import io.hxb.frame.Nonce;

/**
 * The content of a SESSION frame. Immutable.
 *
 * @param echo the nonce that the peer sent, or none.
 * @param isEstablished true if this node's newest session has both nonces; otherwise its pending
 *     nonce is sent.
 * @param isAsking whether an answer is wanted.
 * @param key to seal it with.
 * @param link over which it is sent, or {@link Sessions#ROUTED}.
 */
record HandshakeMessage(
        Nonce echo, boolean isEstablished, boolean isAsking, ClusterKey key, int link) {
    /** Asks a peer about which nothing is known. */
    static HandshakeMessage first(final ClusterKey key, final int link) {
        return new HandshakeMessage(Nonce.NONE, false, true, key, link);
    }
}
