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

/** One incarnation of an application that sends bursts to random nodes. Owned by the test. */
final class FaultApplication implements FlowListener {
    private static final int CONTEXT = 1;
    private static final int SLOTS = 64;
    private static final int SLOT_BYTES = 256;
    private static final int HEADER_BYTES = 12;

    private final int node;
    private final int page;
    private final FaultLedger ledger;
    private final SplittableRandom random;
    private final int nodes;
    private final long memory;
    private final long pauseNs;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final int[] slotTo = new int[SLOTS];
    private final int[] slotNumber = new int[SLOTS];
    private final Map<Integer, Integer> lastOf = new HashMap<>();
    private FlowLoop loop;
    private long nextNs;
    boolean isSending = true;

    FaultApplication(
            final int node,
            final int nodes,
            final FaultLedger ledger,
            final Arena arena,
            final SplittableRandom random,
            final long pauseNs,
            final long nowNs) {
        this.node = node;
        this.nodes = nodes;
        this.ledger = ledger;
        this.random = random;
        this.pauseNs = pauseNs;
        page = ledger.newSender();
        memory = arena.allocate((long) SLOTS * SLOT_BYTES, 8).address();
        nextNs = nowNs;
        for (int slot = 0; slot < SLOTS; slot++) {
            free.add(slot);
        }
    }

    void attach(final FlowLoop flowLoop, final int incarnation) {
        loop = flowLoop;
        loop.openContext(CONTEXT, incarnation, ContextTerms.of(128));
    }

    /** Sends a burst if it is time. */
    void turn(final long nowNs) {
        if (!isSending || nextNs - nowNs > 0) {
            return;
        }
        nextNs = nowNs + pauseNs;
        int to = random.nextInt(nodes - 1);
        to += to >= node ? 1 : 0;
        for (int count = 1 + random.nextInt(16); count > 0 && !free.isEmpty(); count--) {
            send(to);
        }
    }

    long nextNs() {
        return isSending ? nextNs : Long.MAX_VALUE;
    }

    private void send(final int to) {
        final int slot = free.poll();
        final long payload = memory + (long) slot * SLOT_BYTES;
        slotTo[slot] = to;
        slotNumber[slot] = ledger.send(page, to);
        Memory.putInt(payload, page);
        Memory.putInt(payload + 4, slotNumber[slot]);
        Memory.putInt(payload + 8, to);
        final int length = HEADER_BYTES + random.nextInt(SLOT_BYTES - HEADER_BYTES);
        if (loop.submit(CONTEXT, slot, to, CONTEXT, payload, length, 0) != PmStatus.OK) {
            throw new AssertionError("submit refused");
        }
    }

    /** The end of this incarnation. */
    void crash() {
        isSending = false;
        ledger.forget(page, SLOTS - free.size());
        ledger.crash(node);
        loop.closeContext(CONTEXT);
    }

    void close() {
        loop.closeContext(CONTEXT);
    }

    @Override
    public int onFrame(
            final FlowEndpoints ends,
            final int bufferId,
            final long bodyAddress,
            final int bodyLengthBytes,
            final int messageCount) {
        long at = bodyAddress;
        for (int i = 0; i < messageCount; i++) {
            final int sender = Memory.getInt(at + 8);
            final int number = Memory.getInt(at + 12);
            if (Memory.getInt(at + 16) != node) {
                throw new AssertionError("message for " + Memory.getInt(at + 16));
            }
            ledger.deliver(sender, node, number, lastOf.getOrDefault(sender, 0));
            lastOf.put(sender, number);
            at += (8 + Memory.getInt(at) + 7) & -8;
        }
        loop.released(ends.flowHandle(), bufferId);
        return DELIVERED;
    }

    @Override
    public void onRunDone(
            final int contextId, final int firstSlot, final int messages, final int status) {
        throw new IllegalStateException("nothing was staged");
    }

    @Override
    public void onSendDone(final int contextId, final int sendSlot, final int status) {
        ledger.done(page, slotTo[sendSlot], slotNumber[sendSlot], status);
        free.add(sendSlot);
    }

    @Override
    public void onPeerStatus(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        if (status != PmStatus.PEER_RESTARTED) {
            throw new AssertionError("peer " + peerNode + ": " + PmStatus.name(status));
        }
    }
}
