package io.hxb.node;

import io.hxb.flow.ContextTerms;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowLoop;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;

/**
 * Programs of a simulated node, each with a context of its own, that send messages as fast as their
 * node takes them and give back at once what they get. Owned by the test.
 */
final class SimProgram implements FlowListener {
    static final int FIRST_CONTEXT = 1;
    private static final int MAX_CONTEXTS = 6;
    private static final int SLOTS = 512;

    /** For messages that the test sends itself. */
    private static final int LONE_SLOTS = 2;

    private static final int QUOTA_FRAMES = 128;

    private final int own;
    private final Arena arena;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private FlowLoop loop;
    private long memory;
    private int contexts;
    private int next;

    /** Node to send to, -1 for none. */
    int target = -1;

    /** Of each message. */
    int messageBytes;

    /** Bytes of messages that have come to each context. */
    final long[] receivedBytes = new long[FIRST_CONTEXT + MAX_CONTEXTS];

    SimProgram(final int node, final Arena arena) {
        own = node;
        this.arena = arena;
    }

    /**
     * Opens the contexts.
     *
     * @param count of those that send much; one more sends nothing by itself.
     */
    void open(final FlowLoop flowLoop, final int count, final int longestBytes) {
        loop = flowLoop;
        contexts = count;
        memory = arena.allocate(longestBytes, 8).address();
        for (int i = 0; i <= count; i++) {
            loop.openContext(FIRST_CONTEXT + i, own + 100, ContextTerms.of(QUOTA_FRAMES));
        }
        for (int slot = 0; slot < SLOTS; slot++) {
            free.add(slot);
        }
    }

    /** Sends what there are slots for, each message from the next context. */
    void turn() {
        while (target >= 0 && free.size() > LONE_SLOTS) {
            send(FIRST_CONTEXT + next++ % contexts, target, messageBytes);
        }
    }

    /** Sends one message to the context of the same number. */
    void send(final int context, final int node, final int lengthBytes) {
        final int slot = free.poll();
        if (loop.submit(context, slot, node, context, memory, lengthBytes, 0) != PmStatus.OK) {
            throw new AssertionError("submit refused");
        }
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
            final int length = Memory.getInt(at);
            receivedBytes[ends.contextId()] += length;
            at += (8 + length + 7) & -8;
        }
        loop.released(ends.flowHandle(), bufferId);
        return DELIVERED;
    }

    @Override
    public void onSendDone(final int contextId, final int sendSlot, final int status) {
        if (status != PmStatus.OK) {
            throw new AssertionError(contextId + ": " + PmStatus.name(status));
        }
        free.add(sendSlot);
    }

    @Override
    public void onRunDone(
            final int contextId, final int firstSlot, final int messages, final int status) {
        throw new AssertionError(contextId);
    }

    @Override
    public void onPeerStatus(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        throw new AssertionError(contextId + ": " + PmStatus.name(status));
    }
}
