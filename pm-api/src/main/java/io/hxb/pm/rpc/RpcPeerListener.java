package io.hxb.pm.rpc;

/** Called when a watched peer becomes available or unavailable. */
@FunctionalInterface
public interface RpcPeerListener {
    /**
     * A peer answers for the first time, has not answered for three seconds, or has failed. Called
     * by the endpoint's own thread, which it must not block.
     *
     * @param node of the peer.
     * @param context of the peer.
     * @param isPresent whether it answers.
     */
    void onPeer(int node, int context, boolean isPresent);
}
