package io.hxb.pm.collective;

import io.hxb.pm.PmDevice;
import io.hxb.pm.collective.wire.GroupProtocol;

/** Where the members of a group are, checked. Stateless. */
final class MemberNodes {
    private MemberNodes() {}

    /**
     * Counts the members of each node.
     *
     * @return {@code [node]}.
     * @throws IllegalArgumentException if it is not a list of members.
     */
    static int[] counts(final PmDevice device, final int[] nodes, final int rank) {
        if (nodes.length < 1 || nodes.length > GroupProtocol.MAX_MEMBERS) {
            throw new IllegalArgumentException(
                    "nodes must have 1.." + GroupProtocol.MAX_MEMBERS + ": " + nodes.length);
        }
        if (rank < 0 || rank >= nodes.length) {
            throw new IllegalArgumentException(
                    "rank must be 0.." + (nodes.length - 1) + ": " + rank);
        }
        if (nodes[rank] != device.nodeId()) {
            throw new IllegalArgumentException(
                    "nodes[rank] must be the device's node "
                            + device.nodeId()
                            + ": "
                            + nodes[rank]);
        }
        final int[] counts = new int[device.nodeCount()];
        for (final int node : nodes) {
            if (node < 0 || node >= counts.length) {
                throw new IllegalArgumentException(
                        "nodes must be 0.." + (counts.length - 1) + ": " + node);
            }
            counts[node]++;
        }
        return counts;
    }
}
