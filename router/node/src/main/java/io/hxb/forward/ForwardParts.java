package io.hxb.forward;

import io.hxb.config.ClusterConfig;
import io.hxb.link.BufferPool;
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
 */
public record ForwardParts(
        ClusterConfig cluster,
        long here,
        BufferPool pool,
        Sessions sessions,
        Discovery discovery,
        TraceLog traces,
        int frameBytes) {}
