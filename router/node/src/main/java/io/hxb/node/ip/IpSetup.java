package io.hxb.node.ip;

import io.hxb.flow.FlowRights;
import io.hxb.topology.Shape;

/**
 * What the service of a node has to know. Immutable.
 *
 * @param node id of the node.
 * @param shape of the cluster.
 * @param incarnation of the node, not 0.
 * @param messageBytes of the longest message of a flow.
 * @param repairNs how long a packet may be on its way before it is given up with all others of its
 *     flow.
 * @param rights what the flows may do.
 */
public record IpSetup(
        int node,
        Shape shape,
        int incarnation,
        int messageBytes,
        long repairNs,
        FlowRights rights) {}
