package io.hxb.pm.collective;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.wire.GroupProtocol;

/**
 * How a member asks its node to let it join a group: with the list of the group's nodes, in as many
 * messages as it takes. Immutable.
 *
 * @param context of the member.
 * @param node the member's.
 * @param id of the group.
 * @param rank of the member.
 * @param memberCount members of the group.
 */
record GroupJoin(PmContext context, int node, long id, int rank, int memberCount) {
    /**
     * Sends the list.
     *
     * @param counts members of each node, {@code [node]}.
     * @param timeoutNs longest wait for a send buffer, for each message.
     * @return {@link PmStatus#OK}, or why there is no buffer.
     */
    int send(final int[] counts, final long timeoutNs) {
        final int nodeCount = nodeCount(counts);
        final int max =
                (context.maxLengthBytes() - GroupProtocol.JOIN_HEADER_BYTES)
                        / GroupProtocol.JOIN_NODE_BYTES;
        int next = 0;
        for (int first = 0; first < nodeCount; first += max) {
            final int here = Math.min(max, nodeCount - first);
            final int length =
                    GroupProtocol.JOIN_HEADER_BYTES + here * GroupProtocol.JOIN_NODE_BYTES;
            final int slot = context.claim(node, GroupProtocol.CONTEXT, length, timeoutNs);
            if (slot < 0) {
                return slot;
            }
            final long address = context.sendAddress(slot);
            putHeader(address, nodeCount, first, here);
            next = putNodes(address + GroupProtocol.JOIN_HEADER_BYTES, counts, next, here);
            context.send(slot, length, GroupProtocol.JOIN);
        }
        return PmStatus.OK;
    }

    private static int nodeCount(final int[] counts) {
        int nodeCount = 0;
        for (final int members : counts) {
            nodeCount += members > 0 ? 1 : 0;
        }
        return nodeCount;
    }

    private void putHeader(
            final long address, final int nodeCount, final int first, final int here) {
        Memory.putLong(address + GroupProtocol.ID, id);
        Memory.putInt(address + GroupProtocol.JOIN_RANK, rank);
        Memory.putInt(address + GroupProtocol.JOIN_MEMBERS, memberCount);
        Memory.putInt(address + GroupProtocol.JOIN_NODES, nodeCount);
        Memory.putInt(address + GroupProtocol.JOIN_FIRST, first);
        Memory.putLong(address + GroupProtocol.JOIN_HERE, here);
    }

    /** Writes {@code count} nodes with members, from {@code first} on; returns the next node. */
    private static int putNodes(
            final long address, final int[] counts, final int first, final int count) {
        int next = first;
        for (int i = 0; i < count; i++) {
            while (counts[next] == 0) {
                next++;
            }
            final long entry = address + (long) i * GroupProtocol.JOIN_NODE_BYTES;
            Memory.putInt(entry, next);
            Memory.putInt(entry + 4, counts[next++]);
        }
        return next;
    }

    /** Describes why a group could not be joined. */
    static String refusal(final int status) {
        final String reason =
                switch (status) {
                    case PmStatus.TIMED_OUT ->
                            "not all members have joined in time, or a node is of an HXB without"
                                    + " groups";
                    case PmStatus.DISAGREEMENT ->
                            "the members have different lists, or two have one rank";
                    case PmStatus.NOT_ALLOWED ->
                            "the members are of different tenants, or of one that may not talk with"
                                    + " itself";
                    case PmStatus.GROUP_LIMIT ->
                            "the node has as many groups, or as much memory for them, as it may";
                    case PmStatus.GROUP_NODES ->
                            "the nodes are too many, or not a box of coordinates and more than 64";
                    default -> "a member or a node is gone";
                };
        return "the group cannot be joined: " + reason + " (" + PmStatus.name(status) + ")";
    }
}
