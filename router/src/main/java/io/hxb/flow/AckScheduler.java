package io.hxb.flow;

import io.hxb.config.FlowConfig;

/**
 * Decides when sources are told what has arrived and what they may send: at once, or a little later
 * so that one frame acknowledges several. Owned by one loop.
 */
final class AckScheduler {
    private final FlowTable table;
    private final FlowConfig config;
    private final ControlWriter control;
    private ReceiveFlow ackHead;
    private ReceiveFlow ackTail;
    private ReceiveFlow delayedHead;
    private ReceiveFlow delayedTail;

    AckScheduler(final FlowTable table, final ControlWriter control) {
        this.table = table;
        config = table.config();
        this.control = control;
    }

    /** Notes whether the source has to be told something, at once or a little later. */
    void owe(final ReceiveFlow flow, final long nowNs) {
        table.window(flow);
        if (flow.isAckNow || flow.debtFrames >= config.ackEveryFrames() || isWindowNews(flow)) {
            flow.isAckNow = true;
            addAck(flow);
        } else if (flow.debtFrames > 0 && !flow.isInDelayList) {
            flow.debtSinceNs = nowNs;
            addDelayed(flow);
        }
    }

    /** Acknowledges what is owed; returns frames sent. */
    int sendAcks(final long nowNs) {
        forgetPaid();
        while (delayedHead != null && delayedHead.debtSinceNs + config.ackDelayNs() - nowNs <= 0) {
            addAck(pollDelayed());
            forgetPaid();
        }
        int frames = 0;
        while (ackHead != null) {
            final ReceiveFlow flow = ackHead;
            if (isOwed(flow) && !flow.array.isEnded()) {
                table.window(flow);
                if (!control.sendAck(flow, false)) {
                    break;
                }
                flow.onAcknowledged(true);
                frames++;
            }
            pollAck();
        }
        return frames;
    }

    /**
     * Acknowledges what has arrived for a context that is about to close: its sources would
     * otherwise be told that it may not have. Returns frames sent.
     */
    int settle(final FlowContext context) {
        int frames = 0;
        for (ReceiveFlow flow = context.receiveFlows; flow != null; flow = flow.nextOfContext) {
            if (isOwed(flow) && !flow.array.isEnded() && control.sendAck(flow, false)) {
                flow.onAcknowledged(true);
                frames++;
            }
        }
        return frames;
    }

    /** True if some could not be sent yet. */
    boolean hasAcks() {
        return ackHead != null;
    }

    /** When the next is to be sent at the latest; Long.MAX_VALUE for never. */
    long nextDeadlineNs() {
        forgetPaid();
        return delayedHead == null ? Long.MAX_VALUE : delayedHead.debtSinceNs + config.ackDelayNs();
    }

    // What data of the other direction has acknowledged since needs no timer: an exchange of
    // messages would else wake its loop once in every delay for nothing.
    private void forgetPaid() {
        while (delayedHead != null && delayedHead.debtFrames == 0) {
            pollDelayed();
        }
    }

    private boolean isWindowNews(final ReceiveFlow flow) {
        final int next = flow.array.next();
        if (flow.limit - next <= 0) {
            return false;
        }
        final int told = flow.announcedLimit - next;
        return told <= 0 || flow.limit - flow.announcedLimit >= Math.max(1, flow.targetFrames / 2);
    }

    private boolean isOwed(final ReceiveFlow flow) {
        return flow.isAckNow || flow.debtFrames > 0;
    }

    private void addAck(final ReceiveFlow flow) {
        if (flow.isInAckList) {
            return;
        }
        flow.isInAckList = true;
        if (ackTail == null) {
            ackHead = flow;
        } else {
            ackTail.nextAck = flow;
        }
        ackTail = flow;
    }

    private void pollAck() {
        final ReceiveFlow flow = ackHead;
        ackHead = flow.nextAck;
        if (ackHead == null) {
            ackTail = null;
        }
        flow.nextAck = null;
        flow.isInAckList = false;
    }

    private void addDelayed(final ReceiveFlow flow) {
        flow.isInDelayList = true;
        if (delayedTail == null) {
            delayedHead = flow;
        } else {
            delayedTail.nextDelayed = flow;
        }
        delayedTail = flow;
    }

    private ReceiveFlow pollDelayed() {
        final ReceiveFlow flow = delayedHead;
        delayedHead = flow.nextDelayed;
        if (delayedHead == null) {
            delayedTail = null;
        }
        flow.nextDelayed = null;
        flow.isInDelayList = false;
        return flow;
    }
}
