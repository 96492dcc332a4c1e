package io.hxb.node;

import io.hxb.flow.ContextTerms;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowLoop;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** An application in a simulated cluster: sends numbered messages to all, checks what it gets. */
final class SimApplication implements FlowListener {
    static final int CONTEXT = 1;
    static final int SLOTS = 32;
    private static final int HEADERS_BYTES = 72;
    private static final int HELD_FRAMES = 48;

    private final int node;
    private final int nodeCount;
    private final long memory;
    private final int slotBytes;
    private final SplittableRandom random;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final ArrayDeque<long[]> held = new ArrayDeque<>();
    private final long[] sentTo;
    private final Map<Integer, Long> receivedFrom = new HashMap<>();
    private FlowLoop loop;
    private final long[] failedTo;
    private final int[] slotTo;
    private boolean wasFull;

    /** Nodes to send to; null for all. */
    int[] targets;

    /** All messages have the greatest length. */
    boolean isBulk;

    /** Whether flows may end; what was sent in them may be missing then, but nothing else. */
    boolean mayEnd;

    /** Exchanges short messages beside all this; null for none. */
    SimExchange exchange;

    /** While it sleeps it takes nothing and gives nothing back. */
    boolean isAsleep;

    long ended;
    long toSend;
    long sent;
    long done;
    long failed;
    long received;

    /** Makes one that has at most {@code slots} messages on the way. */
    SimApplication(
            final int node,
            final int nodeCount,
            final Arena arena,
            final long seed,
            final int slots,
            final int frameBytes) {
        slotBytes = frameBytes - HEADERS_BYTES;
        this.node = node;
        this.nodeCount = nodeCount;
        memory = arena.allocate((long) slots * slotBytes, 8).address();
        slotTo = new int[slots];
        random = new SplittableRandom(seed * 31 + node);
        sentTo = new long[nodeCount];
        failedTo = new long[nodeCount];
        for (int slot = 0; slot < slots; slot++) {
            free.add(slot);
        }
    }

    void attach(final FlowLoop flowLoop) {
        loop = flowLoop;
        loop.openContext(CONTEXT, node + 100, ContextTerms.of(128));
    }

    void turn() {
        if (exchange != null) {
            exchange.turn();
        }
        while (sent < toSend && !free.isEmpty()) {
            send(
                    targets == null
                            ? random.nextInt(nodeCount)
                            : targets[random.nextInt(targets.length)]);
        }
        while (!isAsleep && !held.isEmpty() && random.nextInt(4) != 0) {
            final long[] frame = held.poll();
            loop.released((int) frame[0], (int) frame[1]);
        }
        if (!isAsleep && wasFull && held.size() < HELD_FRAMES / 2) {
            wasFull = false;
            loop.resume(CONTEXT);
        }
    }

    private void send(final int to) {
        final int slot = free.poll();
        slotTo[slot] = to;
        final long payload = memory + (long) slot * slotBytes;
        final int length = isBulk ? slotBytes : 25 + random.nextInt(slotBytes - 24);
        Memory.putLong(payload, node);
        Memory.putLong(payload + 8, ++sentTo[to]);
        Memory.putLong(payload + 16, length);
        Memory.putByte(payload + length - 1, length);
        if (loop.submit(CONTEXT, slot, to, CONTEXT, payload, length, 0) != PmStatus.OK) {
            throw new AssertionError("submit refused");
        }
        sent++;
    }

    long failedTo(final int to) {
        return failedTo[to];
    }

    long sentTo(final int to) {
        return sentTo[to];
    }

    long receivedFrom(final int from) {
        return receivedFrom.getOrDefault(from, 0L);
    }

    void close() {
        held.forEach(frame -> loop.released((int) frame[0], (int) frame[1]));
        held.clear();
        loop.closeContext(CONTEXT);
    }

    @Override
    public int onFrame(
            final FlowEndpoints ends,
            final int bufferId,
            final long bodyAddress,
            final int bodyLengthBytes,
            final int messageCount) {
        if (ends.contextId() == SimExchange.CONTEXT) {
            return exchange.onFrame(ends, bufferId);
        }
        if (held.size() >= HELD_FRAMES) {
            wasFull = true;
            return FULL;
        }
        long at = bodyAddress;
        for (int i = 0; i < messageCount; i++) {
            final int length = Memory.getInt(at);
            check(ends.sourceNode(), at + 8, length);
            at += (8 + length + 7) & -8;
        }
        held.add(new long[] {ends.flowHandle(), bufferId});
        return DELIVERED;
    }

    private void check(final int sourceNode, final long payload, final int length) {
        final long number = Memory.getLong(payload + 8);
        final long expected = receivedFrom(sourceNode) + 1;
        if (Memory.getLong(payload) != sourceNode
                || (mayEnd ? number < expected : number != expected)
                || Memory.getLong(payload + 16) != length) {
            throw new AssertionError(
                    "node "
                            + node
                            + " got message "
                            + number
                            + " of "
                            + sourceNode
                            + ", not "
                            + expected);
        }
        receivedFrom.put(sourceNode, number);
        received++;
    }

    @Override
    public void onRunDone(
            final int contextId, final int firstSlot, final int messages, final int status) {
        throw new IllegalStateException("nothing was staged");
    }

    @Override
    public void onSendDone(final int contextId, final int sendSlot, final int status) {
        if (contextId == SimExchange.CONTEXT) {
            exchange.onSendDone(sendSlot, status);
            return;
        }
        free.add(sendSlot);
        done++;
        failed += status == PmStatus.OK ? 0 : 1;
        failedTo[slotTo[sendSlot]] += status == PmStatus.OK ? 0 : 1;
    }

    @Override
    public void onPeerStatus(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        ended++;
        if (!mayEnd) {
            throw new AssertionError(
                    "node " + node + ", peer " + peerNode + ": " + PmStatus.name(status));
        }
    }
}
