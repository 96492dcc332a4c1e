package io.hxb.remote;

import io.hxb.counter.CounterBlock;
import io.hxb.flow.ContextKind;
import io.hxb.flow.ContextTerms;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowPort;
import io.hxb.pm.shm.RemoteMemoryArea;

/**
 * What a context does with remote memory: two ends in the network, one for requests and one for
 * answers. Owned by the loop of the context; other loops deliver into it.
 */
public final class RemoteEndpoint {
    /** How long a context that closes waits at most until its last answers are acknowledged. */
    private static final long ANSWERS_NS = 500_000_000L;

    private final int contextId;
    private final RemoteHost host;
    private final RemoteMemoryArea area;
    private final Initiator initiator;
    private final Target target;
    private FlowPort port;
    private boolean isFlowClosed;
    private boolean isTakeAwaited;
    private boolean isAnswering;
    private long answersNs;

    /**
     * Makes the endpoint of a context.
     *
     * @param size of the node: its nodes, contexts, and longest message.
     * @param counters of the context's loop; any loop counts in them.
     * @param grants what the context's application shares.
     * @param area the memory that the application has lent for it.
     */
    public RemoteEndpoint(
            final int contextId,
            final Size size,
            final RemoteHost host,
            final GrantTable grants,
            final CounterBlock counters,
            final RemoteMemoryArea area) {
        this.contextId = contextId;
        this.host = host;
        this.area = area;
        initiator =
                new Initiator(
                        contextId, size.nodes, size.contexts, host, counters, area, size.mtuBytes);
        target = new Target(contextId, grants, counters, area, size.mtuBytes);
    }

    /** Opens both ends. */
    public void start(final FlowPort flows, final int incarnation, final ContextTerms terms) {
        port = flows;
        initiator.start(flows);
        target.start(flows);
        flows.openContext(end(ContextKind.REQUESTS), incarnation, terms);
        flows.openContext(end(ContextKind.ANSWERS), incarnation, terms);
    }

    private int end(final int kind) {
        return ContextKind.end(kind, contextId);
    }

    /** Takes a frame, as FlowListener.onFrame; any loop. */
    public int onFrame(final FlowEndpoints ends, final long bodyAddress, final int messageCount) {
        return ContextKind.of(ends.contextId()) == ContextKind.REQUESTS
                ? target.onFrame(ends, bodyAddress, messageCount)
                : initiator.onFrame(ends, bodyAddress, messageCount);
    }

    /** What was sent from an end is done, as FlowListener.onSendDone. */
    public void onSendDone(final int endId, final int slot, final int status) {
        if (ContextKind.of(endId) == ContextKind.REQUESTS) {
            initiator.onSendDone(slot, status);
        } else {
            target.onSendDone(slot, status);
        }
    }

    /**
     * Does what is due, a bounded amount.
     *
     * @return the amount of work, or minus the code of a CloseReason if the application has broken
     *     the rules.
     */
    public int doWork(final long nowNs) {
        final int initiated = initiator.doWork(nowNs);
        final int answered = target.doWork();
        final boolean hasOutcomes = initiator.takeOutcomes();
        if (target.takeNotified() || hasOutcomes) {
            host.wake();
        }
        if (initiator.isTimed()) {
            host.wakeAt(initiator.nextNs());
        }
        return initiated < 0 ? initiated : initiated + answered;
    }

    /** True if there is something to do. */
    public boolean hasWork() {
        return initiator.hasWork() || target.hasWork();
    }

    /** The loop is about to sleep: publishes whether the application has to wake it. */
    public void prepareToSleep() {
        final boolean isAwaited = target.isBlocked();
        if (isAwaited != isTakeAwaited) {
            isTakeAwaited = isAwaited;
            area.takeAwaited(isAwaited);
        }
    }

    /** Begins to close; {@link #finishClosing} ends it. */
    public void close() {
        initiator.close();
        target.close();
    }

    /**
     * Continues to close: waits until no loop delivers, and for a moment until others have the
     * answers to what they had done, so that what was done does not look as if the context had been
     * gone; ends the flows, waits until no link reads the memory.
     *
     * @param nowNs the time, always later than before.
     * @param isToAnswer false to leave out the answers.
     * @return true when everything is done.
     */
    public boolean finishClosing(final long nowNs, final boolean isToAnswer) {
        if (!initiator.isQuiet() || !target.isQuiet()) {
            return false;
        }
        if (!isFlowClosed) {
            if (isToAnswer && !target.isAnswered() && !isOverdue(nowNs)) {
                host.wakeAt(answersNs);
                return false;
            }
            isFlowClosed = true;
            initiator.forget();
            target.forget();
            port.closeContext(end(ContextKind.REQUESTS));
            port.closeContext(end(ContextKind.ANSWERS));
        }
        return port.queuedFrames(end(ContextKind.REQUESTS)) == 0
                && port.queuedFrames(end(ContextKind.ANSWERS)) == 0;
    }

    private boolean isOverdue(final long nowNs) {
        if (!isAnswering) {
            isAnswering = true;
            answersNs = nowNs + ANSWERS_NS;
        }
        return answersNs - nowNs <= 0;
    }

    /**
     * Sizes of a node. Immutable.
     *
     * @param nodes of the cluster.
     * @param contexts of each node.
     * @param mtuBytes longest message.
     */
    public record Size(int nodes, int contexts, int mtuBytes) {}
}
