package io.hxb.flow;

/**
 * Searches the flows of one loop, a few in a turn, for those that are not in use: all of them
 * several times in the idle time, and without pause while a context has few flows left. Owned by
 * the loop.
 */
final class IdleFlowSweeper {
    private static final int VISITS_PER_TURN = 64;

    /** Time without use after which a flow may be forgotten, while few are left. */
    private static final long SHORT_IDLE_NS = 100_000_000;

    private final FlowTable table;
    private final Sender sender;
    private final Receiver receiver;
    private final long idleNs;
    private final SweepTimer timer;

    /**
     * Position of the round: the context, and the flow whose predecessor is next, from the last one
     * down.
     */
    private int contextIndex;

    private int flowIndex;
    private boolean isReceiving;
    private boolean hasBegun;
    private boolean wasShort;

    IdleFlowSweeper(final LoopParts parts, final Sender sender, final Receiver receiver) {
        table = parts.table();
        this.sender = sender;
        this.receiver = receiver;
        idleNs = parts.config().idleTimeoutNs();
        timer = parts.sweep();
    }

    /** Looks at some flows of {@code contexts} if it is time. */
    void doWork(final FlowContext[] contexts, final long nowNs) {
        if (!timer.isDue(nowNs)) {
            return;
        }
        int visits = VISITS_PER_TURN;
        while (visits > 0 && contextIndex < contexts.length) {
            visits -= visitNext(contexts[contextIndex]);
        }
        if (contextIndex >= contexts.length) {
            timer.onRound(wasShort, nowNs);
            contextIndex = 0;
            wasShort = false;
        }
    }

    /** Looks at the next flow of the context, or goes on to its others; returns flows looked at. */
    private int visitNext(final FlowContext context) {
        final int count = isReceiving ? context.receiveFlowCount() : context.sendFlowCount();
        flowIndex = hasBegun ? Math.min(flowIndex, count) : count;
        hasBegun = true;
        if (flowIndex > 0) {
            flowIndex--;
            visit(context);
            return 1;
        }
        hasBegun = false;
        contextIndex += isReceiving ? 1 : 0;
        isReceiving = !isReceiving;
        return 0;
    }

    private void visit(final FlowContext context) {
        final boolean isShort = table.isShort(context);
        wasShort |= isShort;
        if (isReceiving) {
            receiver.visit(context.receiveFlow(flowIndex), isShort ? SHORT_IDLE_NS : idleNs);
        } else {
            sender.visit(context.sendFlow(flowIndex), isShort ? SHORT_IDLE_NS : idleNs);
        }
    }
}
