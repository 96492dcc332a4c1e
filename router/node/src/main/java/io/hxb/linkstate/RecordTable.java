package io.hxb.linkstate;

import io.hxb.frame.LinkStateFlyweight;
import io.hxb.linux.Memory;
import io.hxb.routing.GraphRoutes;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The record of each node number that counts: as much memory as there are nodes, whoever sends
 * whatever. Guarded by the lock of {@link LinkStates}.
 */
final class RecordTable {
    /** Time after which a record is forgotten that its node has not refreshed. */
    static final long LIFETIME_NS = LinkStateFlyweight.MAX_AGE_MS * 1_000_000L;

    private static final long NS_PER_MS = 1_000_000L;
    private static final int SLOT_BYTES = (LinkStateFlyweight.MAX_BYTES + 7) & -8;

    private final int nodes;
    private final MemorySegment memory;
    private final long[] toldNs;
    private final LinkStateFlyweight held = new LinkStateFlyweight();
    private final LinkStateFlyweight other = new LinkStateFlyweight();

    RecordTable(final int nodes) {
        this.nodes = nodes;
        memory = Arena.ofAuto().allocate((long) nodes * SLOT_BYTES, Long.BYTES);
        toldNs = new long[nodes];
    }

    int nodes() {
        return nodes;
    }

    /** Bytes that all records take. */
    long bytes() {
        return memory.byteSize();
    }

    private long slot(final int node) {
        return memory.address() + (long) node * SLOT_BYTES;
    }

    boolean isKnown(final int node) {
        return Memory.getUnsignedShort(slot(node)) != 0;
    }

    /** The record of a node, which is known; valid until the next call. */
    LinkStateFlyweight record(final int node) {
        return held.wrap(slot(node));
    }

    /** When the node of a record made it, by the clock of this one. */
    long toldNs(final int node) {
        return toldNs[node];
    }

    /** Puts a record in place of the one that its node has. */
    void put(final int node, final LinkStateFlyweight record, final long from, final long nowNs) {
        toldNs[node] = nowNs - record.ageMs() * NS_PER_MS;
        Memory.copy(from, slot(node), record.length());
    }

    void forget(final int node) {
        Memory.putShort(slot(node), 0);
    }

    /** Writes the record of a node to {@code to}, a ms older at each node; returns its bytes. */
    int write(final int node, final long to, final long nowNs) {
        final int bytes = record(node).length();
        Memory.copy(slot(node), to, bytes);
        final long ageMs = Math.max(0, nowNs - toldNs[node]) / NS_PER_MS + 1;
        held.wrap(to).ageMs((int) Math.min(ageMs, LinkStateFlyweight.MAX_AGE_MS));
        return bytes;
    }

    /**
     * Lists the edges of a node: its adjacencies to nodes that report it, too.
     *
     * @param edges filled with one {@link #edge} for each, {@code
     *     [LinkStateFlyweight.MAX_ADJACENCIES]}, with growing neighbours.
     * @return how many there are.
     */
    int edges(final int node, final long[] edges) {
        if (!isKnown(node)) {
            return 0;
        }
        final LinkStateFlyweight record = record(node);
        int count = 0;
        for (int i = 0; i < record.adjacencies(); i++) {
            final int neighbour = record.neighbour(i);
            final int back =
                    neighbour < nodes && isKnown(neighbour)
                            ? other.wrap(slot(neighbour)).find(node)
                            : -1;
            if (back >= 0) {
                edges[count] = edge(neighbour, record, i, other, back);
                count++;
            }
        }
        return count;
    }

    // What both ends agree on: the smaller of what they report, within what routes can use.
    private static long edge(
            final int neighbour,
            final LinkStateFlyweight one,
            final int index,
            final LinkStateFlyweight other,
            final int back) {
        final long capacity =
                Math.clamp(
                        Math.min(one.capacityMbps(index), other.capacityMbps(back)),
                        1,
                        GraphRoutes.MAX_CAPACITY_MBPS);
        final int mtu = Math.min(one.mtuBytes(index), other.mtuBytes(back));
        final int links = Math.min(one.linkCount(index), other.linkCount(back));
        return capacity << 32 | (long) mtu << 16 | (long) links << 8 | neighbour;
    }

    static int neighbour(final long edge) {
        return (int) edge & 0xFF;
    }

    static int links(final long edge) {
        return (int) edge >>> 8 & 0xFF;
    }

    static int mtuBytes(final long edge) {
        return (int) edge >>> 16;
    }

    static int capacityMbps(final long edge) {
        return (int) (edge >>> 32);
    }
}
