package io.hxb.node.collective;

import io.hxb.linux.Memory;
import io.hxb.pm.collective.wire.GroupProtocol;
import io.hxb.topology.Shape;

import java.util.Arrays;

/**
 * The nodes of a group and how many members each has, as its first member lists them; others are
 * compared with it. Owned by the thread of the node's own context.
 */
final class NodeList {
    private final Shape shape;
    private final int memberCount;
    private final int[] nodes;
    private final int[] counts;
    private int known;
    private long membersKnown;

    private NodeList(final Shape shape, final int memberCount, final int nodeCount) {
        this.shape = shape;
        this.memberCount = memberCount;
        nodes = new int[nodeCount];
        counts = new int[nodeCount];
    }

    /**
     * An empty list of the size that a JOIN, of which the header is there, announces.
     *
     * @return null if there is no such group.
     */
    static NodeList of(final Shape shape, final long address) {
        final int members = Memory.getInt(address + GroupProtocol.JOIN_MEMBERS);
        final int nodes = Memory.getInt(address + GroupProtocol.JOIN_NODES);
        return members < 1
                        || members > GroupProtocol.MAX_MEMBERS
                        || nodes < 1
                        || nodes > Math.min(members, GroupProtocol.MAX_NODES)
                        || nodes > shape.nodeCount()
                ? null
                : new NodeList(shape, members, nodes);
    }

    /** True if the whole list is known. */
    boolean isComplete() {
        return known == nodes.length;
    }

    /** Number of nodes. */
    int nodeCount() {
        return nodes.length;
    }

    int memberCount() {
        return memberCount;
    }

    /** Members at a node, 0 for one that is not in the list. */
    int count(final int node) {
        final int index = Arrays.binarySearch(nodes, 0, known, node);
        return index < 0 ? 0 : counts[index];
    }

    /** The ids in ascending order. */
    int[] nodes() {
        return nodes.clone();
    }

    /**
     * Takes a piece of the list, or compares it.
     *
     * @param address of a JOIN.
     * @param first where the piece has to begin.
     * @return false if it is not valid, or another list.
     */
    boolean accept(final long address, final int lengthBytes, final int first) {
        final int here = Memory.getInt(address + GroupProtocol.JOIN_HERE);
        if (Memory.getInt(address + GroupProtocol.JOIN_MEMBERS) != memberCount
                || Memory.getInt(address + GroupProtocol.JOIN_NODES) != nodes.length
                || Memory.getInt(address + GroupProtocol.JOIN_FIRST) != first
                || here < 1
                || here > nodes.length - first
                || lengthBytes
                        != GroupProtocol.JOIN_HEADER_BYTES + here * GroupProtocol.JOIN_NODE_BYTES) {
            return false;
        }
        for (int i = 0; i < here; i++) {
            final long entry =
                    address
                            + GroupProtocol.JOIN_HEADER_BYTES
                            + (long) i * GroupProtocol.JOIN_NODE_BYTES;
            if (!accept(first + i, Memory.getInt(entry), Memory.getInt(entry + 4))) {
                return false;
            }
        }
        return known < nodes.length || membersKnown == memberCount;
    }

    private boolean accept(final int index, final int node, final int count) {
        if (index < known) {
            return nodes[index] == node && counts[index] == count;
        }
        final int previous = index == 0 ? -1 : nodes[index - 1];
        if (node <= previous || node >= shape.nodeCount() || count < 1 || count > memberCount) {
            return false;
        }
        nodes[known] = node;
        counts[known++] = count;
        membersKnown += count;
        return true;
    }

    /** Differs, almost certainly, from that of any other list. */
    long hash() {
        long hash = mix(memberCount);
        for (int i = 0; i < nodes.length; i++) {
            hash = mix(hash ^ ((long) nodes[i] << 32 | counts[i]));
        }
        return hash;
    }

    // Source: the finalizer of MurmurHash3, 64 bits.
    private static long mix(final long value) {
        long mixed = (value ^ value >>> 33) * 0xFF51_AFD7_ED55_8CCDL;
        mixed = (mixed ^ mixed >>> 33) * 0xC4CE_B9FE_1A85_EC53L;
        return mixed ^ mixed >>> 33;
    }
}
