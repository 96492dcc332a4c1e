package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;

import io.hxb.pm.PmStatus;
import io.hxb.testing.Allocations;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;

/** What flows cost: allocation per message, time per message, memory per peer. */
@Tag("unit")
class FlowCostTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int PEERS = 2_560;
    private static final long LIMIT_BYTES = 64L << 20;

    @Test
    void shouldAllocateNothingPerMessage() {
        try (Arena arena = Arena.ofConfined()) {
            // given
            final DirectNode[] nodes = pair(arena, 1_024);
            final long payload = arena.allocate(8_192, 8).address();
            final long[] ns = new long[2];
            // when
            Allocations.awaitNone(
                    () -> {
                        ns[0] = exchange(nodes, 300_000, payload, 32);
                        ns[1] = exchange(nodes, 100_000, payload, 8_192);
                    });
            // then
            System.out.printf(
                    "flows: %d ns a 32-byte message, %d ns an 8 KB message, of CPU at both ends%n",
                    ns[0] / 300_000, ns[1] / 100_000);
            close(nodes);
        }
    }

    @Test
    void shouldKeepPeersWithinTheStatedMemory() {
        try (Arena arena = Arena.ofConfined()) {
            // given
            final DirectNode[] nodes = new DirectNode[PEERS + 1];
            final Shape shape = Shape.of(64, 64);
            final FlowSetup hubSetup = new FlowSetup(new FlowSizes(9_000, 8_192, 256, 4, 8_192));
            final FlowSetup peerSetup = new FlowSetup(new FlowSizes(256, 8, 0, 1, 4));
            nodes[0] = new DirectNode(0, shape, hubSetup, 8_192, PEERS, arena);
            nodes[0].loop.openContext(0, 7, ContextTerms.of(4_096));
            for (int id = 1; id <= PEERS; id++) {
                nodes[id] = new DirectNode(id, shape, peerSetup, 64, 4, arena);
                nodes[id].loop.openContext(0, 7 + id, ContextTerms.of(16));
            }
            join(nodes, shape);
            final long payload = arena.allocate(64, 8).address();
            // when
            final long before = usedHeap();
            for (int id = 1; id <= PEERS; id++) {
                assertEquals(PmStatus.OK, send(nodes[0], id, payload, 64));
                assertEquals(PmStatus.OK, send(nodes[id], 0, payload, 64));
            }
            long nowNs = 0;
            while (nodes[0].receivedMessages < PEERS || nodes[0].doneMessages < PEERS) {
                assertTrue(nowNs < 1_000_000_000, "not all peers were reached");
                nowNs += 100_000;
                for (final DirectNode node : nodes) {
                    node.loop.doWork(nowNs);
                    node.releaseAll();
                }
            }
            final long measured = (usedHeap() - before) / (2 * PEERS) * PEERS * 2;
            // then
            final long stated = (long) nodes[0].table.bytesPerPeer() * PEERS;
            final long fixed = nodes[0].table.bytesPerLoop();
            System.out.printf(
                    "flows: %d bytes a peer stated, %d measured, and %d a loop%n",
                    stated / PEERS, measured / (2 * PEERS), fixed);
            assertTrue(stated + fixed <= LIMIT_BYTES, "stated: " + (stated + fixed));
            // Both ends lie in this heap: the hub's flows and as many at the peers.
            assertTrue(measured <= 2 * stated, "measured: " + measured + " of " + 2 * stated);
            close(nodes);
        }
    }

    private static DirectNode[] pair(final Arena arena, final int slots) {
        final Shape shape = Shape.of(2);
        final FlowSetup setup = new FlowSetup(FlowSizes.of(9_000, 1, 8_192));
        final DirectNode[] nodes = new DirectNode[2];
        for (int id = 0; id < 2; id++) {
            nodes[id] = new DirectNode(id, shape, setup, 1_024, slots, arena);
            nodes[id].loop.openContext(0, 5 + id, ContextTerms.of(512));
        }
        join(nodes, shape);
        return nodes;
    }

    private static void join(final DirectNode[] nodes, final Shape shape) {
        final DirectNode[] byCoordinates =
                new DirectNode[(int) shape.coordinates(shape.nodeCount() - 1) + 1];
        for (int id = 0; id < nodes.length; id++) {
            byCoordinates[(int) shape.coordinates(id)] = nodes[id];
            nodes[id].peers = byCoordinates;
        }
    }

    private static int send(
            final DirectNode from, final int to, final long payload, final int lengthBytes) {
        return from.loop.submit(0, from.takeSlot(), to, 0, payload, lengthBytes, 1);
    }

    /** Sends {@code count} messages from the first to the second; returns the CPU time it took. */
    private static long exchange(
            final DirectNode[] nodes, final int count, final long payload, final int lengthBytes) {
        final DirectNode from = nodes[0];
        final DirectNode to = nodes[1];
        final long until = to.receivedMessages + count;
        int rest = count;
        final long startNs = THREADS.getCurrentThreadCpuTime();
        while (to.receivedMessages < until || from.freeSlots() < 1_024) {
            for (int i = 0; i < 256 && rest > 0 && from.freeSlots() > 0; i++) {
                rest--;
                send(from, 1, payload, lengthBytes);
            }
            from.loop.doWork(System.nanoTime());
            to.releaseAll();
            to.loop.doWork(System.nanoTime());
        }
        return THREADS.getCurrentThreadCpuTime() - startNs;
    }

    private static long usedHeap() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            final Runtime runtime = Runtime.getRuntime();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }

    private static void close(final DirectNode[] nodes) {
        for (final DirectNode node : nodes) {
            node.table.close();
        }
    }
}
