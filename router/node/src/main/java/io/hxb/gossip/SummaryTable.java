package io.hxb.gossip;

import io.hxb.frame.SummaryFlyweight;
import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The newest record of each node of the cluster file: as much memory as that has nodes, whoever
 * sends whatever. Guarded by the lock of {@link Gossip}.
 */
final class SummaryTable {
    private static final long NS_PER_MS = 1_000_000;

    private final int nodes;
    private final int slotBytes;
    private final MemorySegment memory;
    private final long[] toldNs;
    private final SummaryFlyweight held = new SummaryFlyweight();

    SummaryTable(final int nodes, final int slotBytes) {
        this.nodes = nodes;
        this.slotBytes = slotBytes;
        memory = Arena.ofAuto().allocate((long) nodes * slotBytes, Long.BYTES);
        toldNs = new long[nodes];
    }

    int nodes() {
        return nodes;
    }

    int slotBytes() {
        return slotBytes;
    }

    private long slot(final int node) {
        return memory.address() + (long) node * slotBytes;
    }

    /** The record of a node, which is known; valid until the next call. */
    SummaryFlyweight record(final int node) {
        return held.wrap(slot(node));
    }

    boolean isKnown(final int node) {
        return record(node).links() > 0;
    }

    /** Address of the record of a node. */
    long address(final int node) {
        return slot(node);
    }

    /** Ms since the node told what is known of it. */
    int ageMs(final int node, final long nowNs) {
        final long ms = Math.max(0, nowNs - toldNs[node]) / NS_PER_MS;
        return (int) Math.min(ms, SummaryFlyweight.MAX_AGE_MS);
    }

    /** Puts a record in place of the older one of its node; it was told {@code ageMs} ago. */
    void put(final int node, final long record, final int bytes, final int ageMs, final long now) {
        Memory.copy(record, slot(node), bytes);
        toldNs[node] = now - ageMs * NS_PER_MS;
    }

    /** A node lives, and what it told earlier still holds. */
    void renew(final int node, final int sequence, final int ageMs, final long nowNs) {
        final SummaryFlyweight old = record(node);
        old.origin(node, old.generation(), sequence, 0);
        toldNs[node] = nowNs - ageMs * NS_PER_MS;
    }

    /** Writes a record of a node to {@code to}: all of it, or that it lives; returns its bytes. */
    int write(final int node, final boolean isAll, final long to, final long nowNs) {
        final SummaryFlyweight record = record(node);
        final int bytes = isAll ? record.length() : SummaryFlyweight.ALIVE_BYTES;
        final int generation = record.generation();
        final int sequence = record.sequence();
        if (isAll) {
            Memory.copy(slot(node), to, bytes);
        } else {
            held.wrap(to).alive();
        }
        held.wrap(to).origin(node, generation, sequence, ageMs(node, nowNs));
        return bytes;
    }

    /** Copies all records, with their ages now; an unknown node has zeros. */
    void copy(final MemorySegment to, final long nowNs) {
        MemorySegment.copy(memory, 0, to, 0, memory.byteSize());
        for (int node = 0; node < nodes; node++) {
            if (isKnown(node)) {
                final SummaryFlyweight copy = record(node);
                final int generation = copy.generation();
                final int sequence = copy.sequence();
                held.wrap(to.address() + (long) node * slotBytes)
                        .origin(node, generation, sequence, ageMs(node, nowNs));
            }
        }
    }
}
