package io.hxb.flow;

import io.hxb.config.FlowConfig;

/**
 * Decides when sources are told what has arrived and what they may send: immediately, or a little
 * later so that one frame acknowledges several. Owned by one loop.
 */
final class AckScheduler {
    private final FlowConfig config;
    private final ControlWriter control;

    /** Flows to be acknowledged at once, and flows that owe something. */
    private final WaitingLine<ReceiveFlow> due = new WaitingLine<>();

    private final WaitingLine<ReceiveFlow> delayed = new WaitingLine<>();

    AckScheduler(final LoopParts parts) {
        config = parts.config();
        control = parts.control();
    }

    /** Notes whether the source has to be told something, at once or a little later. */
    void owe(final ReceiveFlow flow, final long nowNs) {
        flow.grant();
        final AckDebt debt = flow.debt;
        if (debt.isDue()
                || debt.frames() >= config.ackEveryFrames()
                || flow.window.isNews(flow.array.next())) {
            debt.makeDue();
            due.add(flow.ackPlace);
        } else if (debt.frames() > 0 && delayed.add(flow.delayPlace)) {
            debt.delay(nowNs);
        }
    }

    /** Acknowledges what is owed; returns frames sent. */
    int sendAcks(final long nowNs) {
        forgetPaid();
        while (!delayed.isEmpty() && firstDelayEndsNs() - nowNs <= 0) {
            due.add(delayed.poll().ackPlace);
            forgetPaid();
        }
        int frames = 0;
        while (!due.isEmpty()) {
            final ReceiveFlow flow = due.first();
            if (flow.debt.isOwed() && !flow.array.isEnded()) {
                flow.grant();
                if (!control.sendAck(flow, ControlWriter.NO_RECALL)) {
                    break;
                }
                flow.onAcknowledged(true);
                frames++;
            }
            due.poll();
        }
        return frames;
    }

    /**
     * Acknowledges what has arrived for a context that is about to close: its sources would
     * otherwise learn that it may not have arrived. Returns frames sent.
     */
    int settle(final FlowContext context) {
        int frames = 0;
        for (int index = context.receiveFlowCount() - 1; index >= 0; index--) {
            final ReceiveFlow flow = context.receiveFlow(index);
            if (flow.debt.isOwed()
                    && !flow.array.isEnded()
                    && control.sendAck(flow, ControlWriter.NO_RECALL)) {
                flow.onAcknowledged(true);
                frames++;
            }
        }
        return frames;
    }

    /** True if some could not be sent yet. */
    boolean hasAcks() {
        return !due.isEmpty();
    }

    /** When the next is to be sent at the latest; Long.MAX_VALUE for never. */
    long nextDeadlineNs() {
        forgetPaid();
        return delayed.isEmpty() ? Long.MAX_VALUE : firstDelayEndsNs();
    }

    private long firstDelayEndsNs() {
        return delayed.first().debt.sinceNs() + config.ackDelayNs();
    }

    // What data of the other direction has acknowledged in the meantime needs no timer: otherwise
    // an exchange of messages would wake its loop in vain once per delay.
    private void forgetPaid() {
        while (!delayed.isEmpty() && delayed.first().debt.frames() == 0) {
            delayed.poll();
        }
    }
}
