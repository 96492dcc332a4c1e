package io.hxb.pm.rpc;

import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The peers that an endpoint knows, the ones known longest first. Owned by the endpoint's thread.
 */
final class RpcPeers {
    /** What is known of more is not worth its memory: about a kilobyte each. */
    static final int MAX_PEERS = 16_384;

    private final Map<Long, RpcPeer> peers = new LinkedHashMap<>();
    private long firstNumber = 1;
    private boolean hasForgotten;

    static long key(final int node, final int context) {
        return (long) node << Integer.SIZE | context;
    }

    /** The peer; null if there are too many, and none of them can be forgotten. */
    RpcPeer of(final int node, final int context, final long nowNs) {
        final RpcPeer known = peers.get(key(node, context));
        if (known != null) {
            return known;
        }
        if (peers.size() >= MAX_PEERS && !forgetOne()) {
            return null;
        }
        final RpcPeer peer = new RpcPeer(node, context, firstNumber, nowNs);
        peers.put(key(node, context), peer);
        return peer;
    }

    private boolean forgetOne() {
        final Iterator<RpcPeer> all = peers.values().iterator();
        while (all.hasNext()) {
            final RpcPeer peer = all.next();
            if (peer.isIdle()) {
                // The peer remembers the numbers that it has had.
                firstNumber = Math.max(firstNumber, peer.lastNumber() + 1);
                all.remove();
                hasForgotten = true;
                return true;
            }
        }
        return false;
    }

    RpcPeer find(final int node, final int context) {
        return peers.get(key(node, context));
    }

    /** True if what a peer is not known to have asked for may be forgotten. */
    boolean hasForgotten() {
        return hasForgotten;
    }

    Collection<RpcPeer> all() {
        return peers.values();
    }
}
