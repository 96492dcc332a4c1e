package io.hxb.linkstate;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.LinkStateFlyweight;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Node 0 of eight, whose neighbours are made up. */
abstract class MadeUpNeighbours {
    static final long MS = 1_000_000L;
    static final int NODES = 8;
    static final int BODY_BYTES = 1_336;
    static final long IDENTITY = 1_000;

    final List<String> claims = new ArrayList<>();
    final MemorySegment memory = Arena.ofAuto().allocate(4_096, 8);
    final LinkStateFlyweight entry = new LinkStateFlyweight();
    LinkStates states = make(0, NODES);
    // Near the overflow of the clock, which happens in the tests.
    long nowNs = Long.MAX_VALUE - 500 * MS;

    LinkStates make(final int here, final int nodes) {
        return new LinkStates(
                here,
                nodes,
                new LinkStates.Self(IDENTITY, 50, 7, "pc-0"),
                (node, kept, refused) -> claims.add(node + ": " + kept + ", not " + refused));
    }

    static Adjacency to(final int neighbour) {
        return new Adjacency(neighbour, 1, 1_500, 1_000);
    }

    // A record of a node which sees those neighbours, with growing numbers.
    LinkStateFlyweight write(
            final int node, final int generation, final int sequence, final int... neighbours) {
        entry.wrap(memory.address())
                .record(neighbours.length, new byte[] {'p', 'c'})
                .origin(node, IDENTITY + node, generation, sequence, 7);
        for (int i = 0; i < neighbours.length; i++) {
            entry.adjacency(i, neighbours[i], 1, 1_500, 1_000);
        }
        return entry;
    }

    void hear(final int from) {
        entry.wrap(memory.address());
        assertTrue(LinkStateFlyweight.isValid(memory.address(), entry.length()));
        states.onFrame(from, memory.address(), entry.length(), nowNs);
    }

    void acknowledge(final int from, final int node, final int generation, final int sequence) {
        entry.wrap(memory.address())
                .acknowledgement()
                .origin(node, IDENTITY + node, generation, sequence, 7);
        hear(from);
    }

    // The entries of the next frame to a neighbour but the first, which is of this node.
    List<String> sent(final int to) {
        final List<String> found = new ArrayList<>();
        final int bytes = states.fill(to, memory.address(), BODY_BYTES, nowNs);
        assertTrue(bytes == 0 || LinkStateFlyweight.isValid(memory.address(), bytes));
        for (int at = 0; at < bytes; at += entry.length()) {
            entry.wrap(memory.address() + at);
            final String kind = entry.kind() == LinkStateFlyweight.RECORD ? "record " : "ack ";
            found.add(kind + entry.node() + " " + entry.generation() + "/" + entry.sequence());
        }
        if (!found.isEmpty() && found.getFirst().startsWith("ack 0")) {
            found.removeFirst();
        }
        return found;
    }

    void settle(final int from) {
        for (int i = 0; i < 10 && !sent(from).isEmpty(); i++) {
            acknowledge(from, 0, 50, 1);
        }
    }

    long count(final LinkStateCount what) {
        return states.count(what);
    }
}
