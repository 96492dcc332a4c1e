package io.hxb.forward.kernel;

import io.hxb.topology.Shape;

/**
 * What the relay programs of a node have to know from the start. Immutable.
 *
 * @param shape shape of the hyper-crossbar.
 * @param here coordinate vector of the node.
 * @param clusterId id that all frames of the cluster carry.
 * @param etherType of frames whose next hop is their last, 0x0600 to 0xFFFF.
 * @param relayEtherType of frames that the next hop relays, another one.
 * @param namespace name or path of the network namespace of the node's NICs, null for the caller's.
 */
public record KernelRelaySettings(
        Shape shape,
        long here,
        int clusterId,
        int etherType,
        int relayEtherType,
        String namespace) {}
