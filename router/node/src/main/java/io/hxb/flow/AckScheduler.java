package io.hxb.flow;

import io.hxb.config.FlowConfig;

/**
 * Decides when sources are told what has arrived and what they may send: immediately, or a little
 * later so that one frame acknowledges several. Owned by one loop.
 */
final class AckScheduler {
    private final FlowConfig config;
    private final long patienceNs;
    private final ControlWriter control;

    /** Flows to be acknowledged at once, and flows that owe something. */
    private final WaitQueue<ReceiveFlow> due = new WaitQueue<>();

    private final WaitQueue<ReceiveFlow> delayed = new WaitQueue<>();

    /** Flows that owe something and are likely to get a ride. */
    private final WaitQueue<ReceiveFlow> patient = new WaitQueue<>();

    AckScheduler(final LoopParts parts) {
        config = parts.config();
        patienceNs = config.piggybackDelayNs();
        control = parts.control();
    }

    /** Notes whether the source has to be told something, at once or a little later. */
    void schedule(final ReceiveFlow flow, final long nowNs) {
        flow.grant();
        final PendingAck debt = flow.debt;
        debt.onOwed(nowNs);
        if (debt.isDue()
                || debt.frames() >= config.ackEveryFrames()
                || flow.window.isNews(flow.array.next())) {
            debt.makeDue();
            due.add(flow.ackPlace);
        } else if (debt.frames() > 0 && lineOf(flow).add(flow.delayPlace)) {
            debt.delay(nowNs);
        }
    }

    private WaitQueue<ReceiveFlow> lineOf(final ReceiveFlow flow) {
        return flow.rides.isLikely() ? patient : delayed;
    }

    /** Acknowledges what is owed; returns frames sent. */
    int sendAcks(final long nowNs) {
        endDelays(delayed, config.ackDelayNs(), nowNs);
        endDelays(patient, patientDelayNs(), nowNs);
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

    private void endDelays(
            final WaitQueue<ReceiveFlow> line, final long delayNs, final long nowNs) {
        while (hasOwed(line) && line.first().debt.sinceNs() + delayNs - nowNs <= 0) {
            final ReceiveFlow flow = line.poll();
            due.add(flow.ackPlace);
            // A flow that was paid in the middle of the line and owes again has waited for less.
            final boolean isVain = line == patient && nowNs - flow.debt.owedNs() >= patienceNs;
            flow.rides.onSentAlone(isVain, nowNs);
        }
    }

    /**
     * Acknowledges what a context has received and released that is about to close, so that its
     * sources need not ask. Returns frames sent.
     */
    int settle(final FlowContext context) {
        int frames = 0;
        for (int index = context.receiveFlowCount() - 1; index >= 0; index--) {
            final ReceiveFlow flow = context.receiveFlow(index);
            if (flow.debt.isOwed()
                    && !flow.array.isEnded()
                    && flow.isAllReleased()
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
    long nextDeadlineNs(final long nowNs) {
        final long leftNs =
                Math.min(
                        leftNs(delayed, config.ackDelayNs(), nowNs),
                        leftNs(patient, patientDelayNs(), nowNs));
        return leftNs == Long.MAX_VALUE ? Long.MAX_VALUE : nowNs + leftNs;
    }

    private long patientDelayNs() {
        return config.ackDelayNs() + patienceNs;
    }

    private static long leftNs(
            final WaitQueue<ReceiveFlow> line, final long delayNs, final long nowNs) {
        return hasOwed(line) ? line.first().debt.sinceNs() + delayNs - nowNs : Long.MAX_VALUE;
    }

    // What data of the other direction has acknowledged in the meantime needs no timer: otherwise
    // an exchange of messages would wake its loop in vain once per delay.
    private static boolean hasOwed(final WaitQueue<ReceiveFlow> line) {
        while (!line.isEmpty() && line.first().debt.frames() == 0) {
            line.poll();
        }
        return !line.isEmpty();
    }
}
