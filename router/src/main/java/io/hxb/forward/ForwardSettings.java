package io.hxb.forward;

import io.hxb.config.RouteConfig;
import io.hxb.link.BufferPool;
import io.hxb.topology.Shape;
import io.hxb.trunk.discovery.Discovery;

/**
 * What the forwarding of all loops of a node has in common. Immutable.
 *
 * @param shape shape of the hyper-crossbar.
 * @param here coordinate vector of this node.
 * @param clusterId id that all frames of this cluster carry.
 * @param hopLimit links a frame sent here may cross, 1 to 255.
 * @param hasCrc whether frames sent here carry a CRC-32C.
 * @param relayBacklogFrames relayed frames that may wait for one full link; more are dropped.
 * @param pool the node's receive buffers.
 * @param discovery told of link-local and invalid frames.
 * @param routes times by which routes of frames sent here are judged.
 */
public record ForwardSettings(
        Shape shape,
        long here,
        int clusterId,
        int hopLimit,
        boolean hasCrc,
        int relayBacklogFrames,
        BufferPool pool,
        Discovery discovery,
        RouteConfig routes) {}
