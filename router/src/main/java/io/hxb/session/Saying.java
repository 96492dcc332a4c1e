package io.hxb.session;

/**
 * What a node says to a peer in a SESSION frame. Immutable.
 *
 * @param echo the nonce that was heard of the peer, or none.
 * @param isEstablished true if our newest session has both nonces; else our pending one is said.
 * @param isAsking whether an answer is wanted.
 * @param key to seal it with.
 * @param link over which it goes, or {@link Sessions#ROUTED}.
 */
record Saying(Nonce echo, boolean isEstablished, boolean isAsking, ClusterKey key, int link) {
    /** Asks a peer that nothing is known of. */
    static Saying first(final ClusterKey key, final int link) {
        return new Saying(Nonce.NONE, false, true, key, link);
    }
}
