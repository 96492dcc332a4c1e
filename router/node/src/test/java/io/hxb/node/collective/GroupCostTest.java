package io.hxb.node.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterBlock;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.wire.GroupProtocol;
import io.hxb.testing.Allocations;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

/** What operations of a group cost its nodes in memory of the heap. */
@Tag("unit")
class GroupCostTest {
    private static final Shape SHAPE = Shape.of(2, 2, 2);
    private static final int NODES = SHAPE.nodeCount();
    private static final int MEMBER = 5;
    private static final long GROUP = 4711;
    private static final int COUNT = 512;
    private static final int DATA_BYTES = COUNT * Long.BYTES;
    private static final int SLOT_BYTES = 8_192;
    private static final int SLOTS = 256;

    @AutoClose private final Arena arena = Arena.ofConfined();
    private final Wire wire = new Wire();
    private final Collectives[] nodes = new Collectives[NODES];
    private final int[] instances = new int[NODES];
    private final int[] operations = new int[NODES];
    private int results;
    private long nowNs;

    /** Messages in the order in which they were sent, in memory that was there before. */
    private final class Wire {
        private final long memory = arena.allocate((long) SLOTS * SLOT_BYTES, 8).address();
        private final int[] sources = new int[SLOTS];
        private final int[] sourceContexts = new int[SLOTS];
        private final int[] destinations = new int[SLOTS];
        private final int[] contexts = new int[SLOTS];
        private final int[] tags = new int[SLOTS];
        private final int[] lengths = new int[SLOTS];
        private int first;
        private int next;

        int claim(final int source, final int sourceContext, final int node, final int context) {
            assertTrue(next - first < SLOTS, "more messages than there is room for");
            final int slot = next++ % SLOTS;
            sources[slot] = source;
            sourceContexts[slot] = sourceContext;
            destinations[slot] = node;
            contexts[slot] = context;
            return slot;
        }

        long address(final int slot) {
            return memory + (long) slot * SLOT_BYTES;
        }

        void send(final int slot, final int lengthBytes, final int tag) {
            lengths[slot] = lengthBytes;
            tags[slot] = tag;
        }

        /** Delivers one message; false if there is none. */
        boolean deliver() {
            if (first == next) {
                return false;
            }
            final int slot = first++ % SLOTS;
            if (contexts[slot] != GroupProtocol.CONTEXT) {
                onMessage(destinations[slot], tags[slot], address(slot), lengths[slot]);
            } else {
                assertTrue(
                        nodes[destinations[slot]].onMessage(
                                tags[slot],
                                sources[slot],
                                sourceContexts[slot],
                                address(slot),
                                lengths[slot],
                                nowNs),
                        "a message that a node cannot take yet");
            }
            return true;
        }
    }

    private final class Outlet implements GroupOutlet {
        private final int node;

        Outlet(final int node) {
            this.node = node;
        }

        @Override
        public int maxLengthBytes() {
            return SLOT_BYTES;
        }

        @Override
        public int claim(final int peer, final int context, final int lengthBytes) {
            return wire.claim(node, GroupProtocol.CONTEXT, peer, context);
        }

        @Override
        public long address(final int slot) {
            return wire.address(slot);
        }

        @Override
        public void send(final int slot, final int lengthBytes, final int tag) {
            wire.send(slot, lengthBytes, tag);
        }
    }

    private static final class AllMayJoin implements GroupMembers {
        @Override
        public int incarnation(final int context) {
            return 1;
        }

        @Override
        public int tenant(final int context) {
            return 0;
        }

        @Override
        public boolean mayJoin(final int context) {
            return true;
        }
    }

    private void onMessage(
            final int node, final int tag, final long address, final int lengthBytes) {
        assertEquals(PmStatus.OK, Memory.getInt(address + GroupProtocol.STATUS));
        if (tag == GroupProtocol.JOINED) {
            instances[node] = Memory.getInt(address + GroupProtocol.INSTANCE);
        } else {
            assertEquals(operations[node], Memory.getInt(address + GroupProtocol.OPERATION));
            assertEquals(GroupProtocol.HEADER_BYTES + DATA_BYTES, lengthBytes);
            final long last = address + GroupProtocol.HEADER_BYTES + DATA_BYTES - Long.BYTES;
            assertEquals((long) NODES * operations[node], Memory.getLong(last));
            results++;
        }
    }

    private void join(final int node) {
        final int slot = wire.claim(node, MEMBER, node, GroupProtocol.CONTEXT);
        final long at = wire.address(slot);
        Memory.fill(at, GroupProtocol.JOIN_HEADER_BYTES, 0);
        Memory.putLong(at + GroupProtocol.ID, GROUP);
        Memory.putInt(at + GroupProtocol.JOIN_RANK, node);
        Memory.putInt(at + GroupProtocol.JOIN_MEMBERS, NODES);
        Memory.putInt(at + GroupProtocol.JOIN_NODES, NODES);
        Memory.putInt(at + GroupProtocol.JOIN_HERE, NODES);
        for (int i = 0; i < NODES; i++) {
            final long entry =
                    at + GroupProtocol.JOIN_HEADER_BYTES + (long) i * GroupProtocol.JOIN_NODE_BYTES;
            Memory.putInt(entry, i);
            Memory.putInt(entry + Integer.BYTES, 1);
        }
        wire.send(
                slot,
                GroupProtocol.JOIN_HEADER_BYTES + NODES * GroupProtocol.JOIN_NODE_BYTES,
                GroupProtocol.JOIN);
    }

    /** A sum of 512 numbers, each of which is how many operations there were. */
    private void contribute(final int node) {
        final int slot = wire.claim(node, MEMBER, node, GroupProtocol.CONTEXT);
        final long at = wire.address(slot);
        for (int i = 0; i < GroupProtocol.HEADER_BYTES; i += Long.BYTES) {
            Memory.putLong(at + i, 0);
        }
        Memory.putLong(at + GroupProtocol.ID, GROUP);
        Memory.putInt(at + GroupProtocol.INSTANCE, instances[node]);
        Memory.putInt(at + GroupProtocol.OPERATION, ++operations[node]);
        Memory.putByte(at + GroupProtocol.KIND, (byte) GroupProtocol.ALLREDUCE);
        Memory.putByte(at + GroupProtocol.TYPE, (byte) GroupProtocol.INT64);
        Memory.putByte(at + GroupProtocol.FUNCTION, (byte) GroupProtocol.SUM);
        Memory.putInt(at + GroupProtocol.COUNT, COUNT);
        Memory.putInt(at + GroupProtocol.TOTAL_BYTES, DATA_BYTES);
        for (int i = 0; i < COUNT; i++) {
            Memory.putLong(
                    at + GroupProtocol.HEADER_BYTES + (long) i * Long.BYTES, operations[node]);
        }
        wire.send(slot, GroupProtocol.HEADER_BYTES + DATA_BYTES, GroupProtocol.CONTRIBUTE);
    }

    private void deliverAll() {
        for (int quiet = 0; quiet < 2 * NODES; ) {
            quiet = wire.deliver() ? 0 : quiet + 1;
            nowNs += 1_000;
            nodes[quiet % NODES].doWork(nowNs);
        }
    }

    private void operate(final int count) {
        for (int i = 0; i < count; i++) {
            for (int node = 0; node < NODES; node++) {
                contribute(node);
            }
            deliverAll();
        }
    }

    @Test
    void shouldAllocateNothingPerOperation() {
        // given
        for (int node = 0; node < NODES; node++) {
            nodes[node] =
                    new Collectives(
                            SHAPE,
                            node,
                            node + 1,
                            new AllMayJoin(),
                            new Outlet(node),
                            CounterBlock.unpublished(0, 0));
        }
        for (int node = 0; node < NODES; node++) {
            join(node);
        }
        for (int i = 0; i < 100; i++) {
            nowNs += 20_000_000;
            deliverAll();
        }
        results = 0;
        // when
        final int rounds = Allocations.awaitNone(() -> operate(3_000));
        // then
        assertEquals(3_000 * NODES * rounds, results);
    }
}
