package io.hxb.forward;

import io.hxb.config.ClusterConfig;
import io.hxb.gossip.Gossip;
import io.hxb.link.BufferPool;
import io.hxb.linkstate.LinkStateReceiver;
import io.hxb.routing.CablingMap;
import io.hxb.session.Sessions;
import io.hxb.trunk.discovery.Discovery;

/**
 * What the forwarding of all loops of a node shares. Immutable.
 *
 * @param cluster the cluster that the node belongs to.
 * @param here coordinate vector of the node.
 * @param pool the node's receive buffers.
 * @param sessions of the node with others.
 * @param discovery gets link-local and invalid frames.
 * @param traces reports about frames that this node traces.
 * @param frameBytes header and body of the longest frame that every link takes in one piece.
 * @param gossip gets what neighbours tell of the cluster; null if nobody wants to know.
 * @param linkStates gets what nodes tell of their cables; null in a hyper-crossbar.
 * @param map the cables, as routes follow them; null in a hyper-crossbar.
 */
public record ForwardParts(
        ClusterConfig cluster,
        long here,
        BufferPool pool,
        Sessions sessions,
        Discovery discovery,
        TraceLog traces,
        int frameBytes,
        Gossip gossip,
        LinkStateReceiver linkStates,
        CablingMap map) {
    /** The same of a node that tells others nothing of the cluster, and hears nothing. */
    public ForwardParts(
            final ClusterConfig cluster,
            final long here,
            final BufferPool pool,
            final Sessions sessions,
            final Discovery discovery,
            final TraceLog traces,
            final int frameBytes) {
        this(cluster, here, pool, sessions, discovery, traces, frameBytes, null, null, null);
    }
}
