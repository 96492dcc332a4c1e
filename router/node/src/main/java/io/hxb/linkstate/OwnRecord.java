package io.hxb.linkstate;

import io.hxb.frame.LinkStateFlyweight;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * What this node reports of itself: what it sees now, and as which record that goes out. Guarded by
 * the lock of {@link LinkStates}.
 */
final class OwnRecord {
    /** A change of a capacity alone by less than this part of it waits for the next record. */
    static final int CAPACITY_PARTS = 8;

    private static final Adjacency[] NONE = {};

    private final int here;
    private final long identity;
    private final int incarnation;
    private final byte[] name;
    private final LinkStateFlyweight record = new LinkStateFlyweight();
    private final MemorySegment memory =
            Arena.ofAuto().allocate(LinkStateFlyweight.MAX_BYTES, Long.BYTES);
    // Not null: the first record is due once this node has looked at itself.
    private Adjacency[] seen = NONE;
    private int generation;
    private int sequence;
    private boolean hasLooked;
    private boolean isStopped;

    OwnRecord(final int here, final LinkStates.Self self) {
        this.here = here;
        identity = self.identity();
        incarnation = self.incarnation();
        generation = self.generation();
        name = cut(self.hostName());
    }

    private static byte[] cut(final String hostName) {
        String text = hostName;
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        while (bytes.length > LinkStateFlyweight.MAX_NAME_BYTES) {
            text = text.substring(0, text.offsetByCodePoints(text.length(), -1));
            bytes = text.getBytes(StandardCharsets.UTF_8);
        }
        return bytes;
    }

    long identity() {
        return identity;
    }

    boolean hasLooked() {
        return hasLooked;
    }

    boolean isStopped() {
        return isStopped;
    }

    /**
     * This node sees these adjacencies.
     *
     * @return how many do not fit into its record.
     * @throws IllegalArgumentException if a neighbour is no other node of the cluster.
     */
    int look(final List<Adjacency> adjacencies, final int nodes) {
        final Adjacency[] ofNodes = new Adjacency[nodes];
        int count = 0;
        for (final Adjacency one : adjacencies) {
            final int neighbour = one.neighbour();
            if (neighbour < 0 || neighbour >= nodes || neighbour == here) {
                throw new IllegalArgumentException(
                        "neighbour must be another node, 0.." + (nodes - 1) + ": " + neighbour);
            }
            if (one.links() > 0) {
                count += ofNodes[neighbour] == null ? 1 : 0;
                ofNodes[neighbour] = together(ofNodes[neighbour], one);
            }
        }
        seen =
                Arrays.stream(ofNodes)
                        .filter(one -> one != null)
                        .sorted(Comparator.comparingInt(Adjacency::neighbour))
                        .limit(LinkStateFlyweight.MAX_ADJACENCIES)
                        .toArray(Adjacency[]::new);
        hasLooked = true;
        return count - seen.length;
    }

    // Trunks between the same two nodes are one adjacency.
    private static Adjacency together(final Adjacency one, final Adjacency other) {
        return one == null
                ? other
                : new Adjacency(
                        one.neighbour(),
                        one.links() + other.links(),
                        Math.min(one.mtuBytes(), other.mtuBytes()),
                        one.capacityMbps() + other.capacityMbps());
    }

    /** From now on this node is one that has stopped in order. */
    void stop() {
        seen = NONE;
        hasLooked = true;
        isStopped = true;
    }

    /** True if what this node sees is news beside a record of it. */
    boolean isNews(final LinkStateFlyweight told) {
        if (told.adjacencies() != seen.length || told.isStopped() != isStopped) {
            return true;
        }
        write();
        for (int i = 0; i < seen.length; i++) {
            final long difference = Math.abs(record.capacityMbps(i) - told.capacityMbps(i));
            if (record.neighbour(i) != told.neighbour(i)
                    || record.linkCount(i) != told.linkCount(i)
                    || record.mtuBytes(i) != told.mtuBytes(i)
                    || difference * CAPACITY_PARTS >= Math.max(1, told.capacityMbps(i))) {
                return true;
            }
        }
        return false;
    }

    /** Makes the next record of this node; valid until the next call. */
    LinkStateFlyweight next() {
        if (sequence == -1) {
            generation++;
            sequence = 0;
        }
        sequence++;
        return write();
    }

    /** Address of the record that {@link #next} made. */
    long address() {
        return memory.address();
    }

    private LinkStateFlyweight write() {
        record.wrap(memory.address()).record(seen.length, name);
        record.origin(here, identity, generation, sequence, incarnation);
        for (int i = 0; i < seen.length; i++) {
            final Adjacency one = seen[i];
            record.adjacency(i, one.neighbour(), one.links(), one.mtuBytes(), one.capacityMbps());
        }
        return isStopped ? record.stopped() : record;
    }

    /**
     * Others have a record of this node: of an earlier start, or forged.
     *
     * @return true if it is newer than its own, and the next one is newer again.
     */
    boolean outdoes(final LinkStateFlyweight heard) {
        if (heard.orderAgainst(write()) <= 0) {
            return false;
        }
        // Nothing is newer than the largest generation and number: those are forgotten in time.
        if (heard.generation() == -1) {
            generation = -1;
            sequence = heard.sequence() == -1 ? -2 : heard.sequence();
        } else {
            generation = heard.generation() + 1;
            sequence = 0;
        }
        return true;
    }
}
