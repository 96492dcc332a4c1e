package io.hxb.pm.stream;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** The peers of one context. Guarded by the engine's lock. */
final class PeerTable {
    private final Long2ObjectHashMap<StreamPeer> peers = new Long2ObjectHashMap<>();

    private static long key(final int node, final int context) {
        return (long) node << 32 | context;
    }

    /** What is known of a peer, or null. */
    StreamPeer known(final int node, final int context) {
        return peers.get(key(node, context));
    }

    /** A peer, with a new session if none was known. */
    StreamPeer get(final int node, final int context) {
        final long key = key(node, context);
        StreamPeer peer = peers.get(key);
        if (peer == null) {
            peer =
                    new StreamPeer(
                            node, context, ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
            peers.put(key, peer);
        }
        return peer;
    }

    /** Ends the session with a peer: the next {@link #get} begins a new one. */
    void remove(final StreamPeer peer) {
        peers.remove(key(peer.node, peer.context));
    }

    /** All peers, as they are now. */
    List<StreamPeer> all() {
        return new ArrayList<>(peers.values());
    }
}
