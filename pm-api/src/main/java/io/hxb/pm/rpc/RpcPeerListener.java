package io.hxb.pm.rpc;

/** Is told when a peer that is watched comes and goes. */
@FunctionalInterface
public interface RpcPeerListener {
    /**
     * A peer has been heard of, or has not been for three seconds, or has failed. Called by the
     * end's own thread, which it must not block.
     *
     * @param node of the peer.
     * @param context of the peer.
     * @param isThere whether it answers.
     */
    void onPeer(int node, int context, boolean isThere);
}
