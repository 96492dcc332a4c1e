package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.flow.ContextTerms;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowLoop;
import io.hxb.link.sim.SimClock;
import io.hxb.pm.PmStatus;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * One end of exchanges of short messages in a simulated cluster, one at a time, beside what a
 * {@link SimApplication} does: the end that asks measures the round trips.
 */
final class SimExchange {
    static final int CONTEXT = 2;
    private static final int BYTES = 32;
    private static final int SLOTS = 64;

    private final FlowLoop loop;
    private final SimClock clock;
    private final long memory;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final ArrayDeque<FlowEndpoints> arrived = new ArrayDeque<>();
    private final ArrayDeque<Integer> buffers = new ArrayDeque<>();
    private long askedNs;
    private int peer = -1;

    /** Of the end that asks, in ns. */
    final List<Long> roundTrips = new ArrayList<>();

    SimExchange(
            final FlowLoop loop, final SimClock clock, final Arena arena, final int incarnation) {
        this.loop = loop;
        this.clock = clock;
        memory = arena.allocate((long) SLOTS * BYTES, 8).address();
        for (int slot = 0; slot < SLOTS; slot++) {
            free.add(slot);
        }
        loop.openContext(CONTEXT, incarnation, ContextTerms.of(SLOTS));
    }

    /** Exchanges messages with a node from now on. */
    void ask(final int node) {
        peer = node;
        askedNs = clock.nanoTime();
        send(node);
    }

    private void send(final int node) {
        final int slot = free.remove();
        assertEquals(
                PmStatus.OK,
                loop.submit(CONTEXT, slot, node, CONTEXT, memory + (long) slot * BYTES, BYTES, 0));
    }

    void turn() {
        while (!arrived.isEmpty()) {
            final FlowEndpoints ends = arrived.remove();
            loop.released(ends.flowHandle(), buffers.remove());
            if (ends.sourceNode() == peer) {
                final long nowNs = clock.nanoTime();
                roundTrips.add(nowNs - askedNs);
                askedNs = nowNs;
            }
            send(ends.sourceNode());
        }
    }

    int onFrame(final FlowEndpoints ends, final int bufferId) {
        arrived.add(ends);
        buffers.add(bufferId);
        return FlowListener.DELIVERED;
    }

    void onSendDone(final int slot, final int status) {
        assertEquals(PmStatus.OK, status);
        free.add(slot);
    }
}
