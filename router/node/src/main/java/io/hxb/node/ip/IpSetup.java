package io.hxb.node.ip;

import io.hxb.flow.FlowRights;

/**
 * What the service of a node has to know. Immutable.
 *
 * @param node id of the node.
 * @param nodeCount nodes of the cluster.
 * @param incarnation of the node, not 0.
 * @param messageBytes of the longest message of a flow.
 * @param repairNs how long a packet may be on its way before it is given up with all others of its
 *     flow.
 * @param rights what the flows may do.
 */
public record IpSetup(
        int node,
        int nodeCount,
        int incarnation,
        int messageBytes,
        long repairNs,
        FlowRights rights) {}
