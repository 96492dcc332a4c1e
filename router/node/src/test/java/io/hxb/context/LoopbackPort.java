package io.hxb.context;

import io.hxb.flow.ContextTerms;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowPort;
import io.hxb.flow.FlowWalk;
import io.hxb.flow.StageResult;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.pm.attach.ListedFlow;

import java.util.ArrayDeque;
import java.util.List;

/** Flows of one loop that deliver every message to the same node, without any network. */
final class LoopbackPort implements FlowPort {
    private static final int HEADER_BYTES = 64;

    private final FlowListener listener;
    private final BufferPool.Share share;
    private final boolean[] open;
    private final int[] quota;
    private final int[] held;
    private final int[] incarnations;
    private final FlowEndpoints[] ends;
    private final ArrayDeque<Pending>[] waiting;
    private final ArrayDeque<Pending> spare = new ArrayDeque<>();
    private Runnable afterReport = () -> {};
    private volatile List<ListedFlow> listed = List.of();
    private volatile int walkCalls = 1;
    private int walked;
    int queued;

    @SuppressWarnings({"unchecked", "rawtypes"})
    LoopbackPort(final FlowListener listener, final BufferPool.Share share, final int contexts) {
        this.listener = listener;
        this.share = share;
        open = new boolean[contexts];
        quota = new int[contexts];
        held = new int[contexts];
        incarnations = new int[contexts];
        ends = new FlowEndpoints[contexts * contexts];
        waiting = new ArrayDeque[contexts];
        for (int i = 0; i < contexts; i++) {
            waiting[i] = new ArrayDeque<>();
        }
    }

    @Override
    public void openContext(final int contextId, final int incarnation, final ContextTerms terms) {
        open[contextId] = true;
        quota[contextId] = terms.receiveQuotaFrames();
        held[contextId] = 0;
        incarnations[contextId] = incarnation;
    }

    @Override
    public long waitingBytes(
            final int contextId, final int destinationNode, final int destinationContext) {
        return 0;
    }

    @Override
    public void endFlow(
            final int contextId, final int destinationNode, final int destinationContext) {}

    /** Sets how many calls a pass through the flows takes, and what they find. */
    void flows(final int calls, final ListedFlow... found) {
        walkCalls = calls;
        listed = List.of(found);
    }

    @Override
    public boolean walk(final FlowWalk walk, final int maxFlows) {
        walked++;
        if (walked < walkCalls) {
            return false;
        }
        walked = 0;
        listed.forEach(walk::add);
        return true;
    }

    @Override
    public int creditFrames(final int contextId) {
        return quota[contextId];
    }

    /** Sets what runs after each report that there is no such context. */
    void afterReport(final Runnable value) {
        afterReport = value;
    }

    /** Takes the message out that waits longest for a context; its send slot. */
    int takeWaiting(final int destinationContext) {
        return waiting[destinationContext].poll().slot;
    }

    int incarnation(final int contextId) {
        return incarnations[contextId];
    }

    @Override
    public void closeContext(final int contextId) {
        open[contextId] = false;
        for (final ArrayDeque<Pending> queue : waiting) {
            queue.removeIf(pending -> pending.source == contextId);
        }
        for (final Pending pending : waiting[contextId]) {
            listener.onSendDone(pending.source, pending.slot, PmStatus.PEER_RESTARTED);
            listener.onPeerStatus(pending.source, 0, contextId, PmStatus.PEER_RESTARTED);
        }
        waiting[contextId].clear();
    }

    @Override
    public void submitOrReport(
            final int contextId,
            final int sendSlot,
            final int destinationNode,
            final int destinationContext,
            final long payloadAddress,
            final int lengthBytes,
            final int tag) {
        if (destinationNode != 0) {
            // The other node is silent.
            return;
        }
        if (!open[destinationContext]) {
            final int status = PmStatus.NO_SUCH_CONTEXT;
            listener.onSendDone(contextId, sendSlot, status);
            listener.onPeerStatus(contextId, destinationNode, destinationContext, status);
            afterReport.run();
            return;
        }
        final Pending pending = spare.isEmpty() ? new Pending() : spare.poll();
        pending.source = contextId;
        pending.slot = sendSlot;
        pending.address = payloadAddress;
        pending.lengthBytes = lengthBytes;
        pending.tag = tag;
        waiting[destinationContext].add(pending);
        deliver(destinationContext);
    }

    @Override
    public long stage(
            final int contextId,
            final int destinationNode,
            final int destinationContext,
            final long address,
            final int lengthBytes,
            final int maxMessages,
            final boolean isNewRun) {
        return StageResult.NONE;
    }

    private void deliver(final int destination) {
        while (!waiting[destination].isEmpty() && held[destination] < quota[destination]) {
            final int buffer = share.acquire();
            if (buffer == BufferPool.NONE) {
                return;
            }
            final Pending pending = waiting[destination].peek();
            final long body =
                    listenerBuffer(buffer) + BufferPool.HEADER_OFFSET_BYTES + HEADER_BYTES;
            Memory.putInt(body, pending.lengthBytes);
            Memory.putInt(body + 4, pending.tag);
            Memory.copy(pending.address, body + MessageRecordFlyweight.LENGTH, pending.lengthBytes);
            final int taken =
                    listener.onFrame(
                            ends(pending.source, destination),
                            buffer,
                            body,
                            MessageRecordFlyweight.LENGTH + pending.lengthBytes,
                            1);
            if (taken == FlowListener.FULL) {
                share.release(buffer);
                return;
            }
            if (taken == FlowListener.COPIED) {
                share.release(buffer);
            }
            held[destination]++;
            waiting[destination].poll();
            listener.onSendDone(pending.source, pending.slot, PmStatus.OK);
            spare.add(pending);
        }
    }

    // One for all frames of a pair of contexts, as flows have it.
    private FlowEndpoints ends(final int source, final int destination) {
        final int pair = source * open.length + destination;
        final int incarnation = incarnations[destination];
        if (ends[pair] == null || ends[pair].incarnation() != incarnation) {
            ends[pair] = new FlowEndpoints(destination, incarnation, 0, source, destination);
        }
        return ends[pair];
    }

    private long listenerBuffer(final int buffer) {
        return share.pool().address(buffer);
    }

    @Override
    public void moreComing(final int contextId, final boolean isMoreComing) {
        // Nothing waits here.
    }

    @Override
    public void released(final int flowHandle, final int bufferId) {
        held[flowHandle]--;
        share.release(bufferId);
        deliver(flowHandle);
    }

    @Override
    public void releasedCopy(final int flowHandle) {
        held[flowHandle]--;
        deliver(flowHandle);
    }

    @Override
    public void abandoned(final int flowHandle, final int sequence, final int messagesLeft) {}

    @Override
    public void resume(final int contextId) {
        deliver(contextId);
    }

    @Override
    public int queuedFrames(final int contextId) {
        return queued;
    }

    private static final class Pending {
        private int source;
        private int slot;
        private long address;
        private int lengthBytes;
        private int tag;
    }
}
