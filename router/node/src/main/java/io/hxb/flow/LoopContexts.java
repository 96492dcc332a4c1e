package io.hxb.flow;

import io.hxb.time.Deadline;

import java.util.Arrays;

/**
 * The contexts that one loop owns, and what is due for all of them: their guarantees, recalls of
 * credit and the search for idle flows. Owned by that loop.
 */
final class LoopContexts {
    private final FlowTable table;
    private final Receiver receiver;
    private final CreditRecallTimer recall;
    private final IdleFlowSweeper sweeper;
    private final SweepTimer sweep;
    private FlowContext[] contexts = new FlowContext[0];

    /** Guarantee of each context when those of this loop were last looked at. */
    private int settledPart;

    private int shortages;
    private boolean isNodeShort;

    LoopContexts(final LoopParts parts, final Receiver receiver, final IdleFlowSweeper sweeper) {
        table = parts.table();
        recall = parts.recall();
        sweep = parts.sweep();
        this.receiver = receiver;
        this.sweeper = sweeper;
    }

    void add(final FlowContext context) {
        final FlowContext[] more = Arrays.copyOf(contexts, contexts.length + 1);
        more[contexts.length] = context;
        contexts = more;
    }

    void remove(final FlowContext context) {
        final FlowContext[] fewer = new FlowContext[contexts.length - 1];
        int count = 0;
        for (final FlowContext known : contexts) {
            if (known != context) {
                fewer[count++] = known;
            }
        }
        contexts = fewer;
    }

    /** All of them; not to be changed. */
    FlowContext[] all() {
        return contexts;
    }

    void doWork(final long nowNs) {
        settleGuarantees();
        recallWhenDue(nowNs);
        sweeper.doWork(contexts, nowNs);
    }

    // Contexts that have nothing to do leave their parts to others, too.
    private void settleGuarantees() {
        final int part = table.guarantees().partFrames();
        if (part != settledPart) {
            settledPart = part;
            for (final FlowContext context : contexts) {
                context.credit.settle();
            }
        }
    }

    private void recallWhenDue(final long nowNs) {
        final int seen = table.credit().shortages();
        if (seen != shortages) {
            shortages = seen;
            isNodeShort = true;
            recall.onShortOfCredit();
        }
        if (contexts.length == 0 || !recall.poll(nowNs)) {
            return;
        }
        final boolean isShort = isNodeShort;
        isNodeShort = false;
        for (final FlowContext context : contexts) {
            receiver.recall(context, isShort);
            if (context.credit.isShort()) {
                recall.onShortOfCredit();
            }
        }
    }

    /** When {@link #doWork} has something to do at the latest, {@link Deadline#NEVER} for never. */
    long nextDeadlineNs(final long nowNs) {
        return contexts.length == 0
                ? Deadline.NEVER
                : Deadline.earlier(recall.nextDeadlineNs(nowNs), sweep.nextDeadlineNs());
    }
}
