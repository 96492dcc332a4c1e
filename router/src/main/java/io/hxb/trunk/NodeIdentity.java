package io.hxb.trunk;

import io.hxb.topology.Shape;

/**
 * Who this node is to its neighbours. Immutable.
 *
 * @param shape shape of the hyper-crossbar.
 * @param here coordinate vector of this node.
 * @param clusterId id that all frames of this cluster carry.
 * @param fingerprint hash of what has to be equal in all nodes' cluster files.
 * @param incarnation of this node, never 0.
 * @param hostName name that people know this machine by.
 * @param helloIntervalNs time between hello frames once all neighbours are known.
 */
public record NodeIdentity(
        Shape shape,
        long here,
        int clusterId,
        int fingerprint,
        int incarnation,
        String hostName,
        long helloIntervalNs) {}
