package io.hxb.flow;

import io.hxb.config.FlowConfig;

/**
 * Decides when frames are acknowledged and credit is granted: immediately, or a little later, so
 * that one frame acknowledges several. Owned by one loop.
 */
final class AckScheduler {
    private final FlowConfig config;
    private final long piggybackDelayNs;
    private final ControlWriter control;

    /** Flows whose acknowledgement is sent at once. */
    private final WaitQueue<ReceiveFlow> due = new WaitQueue<>();

    /** Flows whose acknowledgement waits for more frames, for {@code flow.ackDelay}. */
    private final WaitQueue<ReceiveFlow> delayed = new WaitQueue<>();

    /** Flows whose acknowledgement is likely to be piggybacked, and waits longer for that. */
    private final WaitQueue<ReceiveFlow> piggybacked = new WaitQueue<>();

    AckScheduler(final LoopParts parts) {
        config = parts.config();
        piggybackDelayNs = config.piggybackDelayNs();
        control = parts.control();
    }

    /** Schedules the acknowledgement of a flow, if one is needed: at once or a little later. */
    void schedule(final ReceiveFlow flow, final long nowNs) {
        flow.grant();
        final PendingAck pendingAck = flow.pendingAck;
        pendingAck.startDelay(nowNs);
        if (pendingAck.isDue()
                || pendingAck.frames() >= config.ackEveryFrames()
                || flow.window.isNews(flow.array.next())) {
            pendingAck.makeDue();
            due.add(flow.ackPlace);
        } else if (pendingAck.frames() > 0 && lineOf(flow).add(flow.delayPlace)) {
            pendingAck.delay(nowNs);
        }
    }

    private WaitQueue<ReceiveFlow> lineOf(final ReceiveFlow flow) {
        return flow.piggyback.isLikely() ? piggybacked : delayed;
    }

    /** Sends the acknowledgements that are due; returns frames sent. */
    int sendAcks(final long nowNs) {
        endDelays(delayed, config.ackDelayNs(), nowNs);
        endDelays(piggybacked, piggybackedDelayNs(), nowNs);
        int frames = 0;
        while (!due.isEmpty()) {
            final ReceiveFlow flow = due.first();
            if (flow.pendingAck.isPending() && !flow.array.isEnded()) {
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
        while (hasPending(line) && line.first().pendingAck.sinceNs() + delayNs - nowNs <= 0) {
            final ReceiveFlow flow = line.poll();
            due.add(flow.ackPlace);
            // A flow that was acknowledged while it was queued, and received again, has waited
            // less.
            final boolean hasWaited =
                    line == piggybacked
                            && nowNs - flow.pendingAck.pendingSinceNs() >= piggybackDelayNs;
            flow.piggyback.onSentAlone(hasWaited, nowNs);
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
            if (flow.pendingAck.isPending()
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
                        leftNs(piggybacked, piggybackedDelayNs(), nowNs));
        return leftNs == Long.MAX_VALUE ? Long.MAX_VALUE : nowNs + leftNs;
    }

    private long piggybackedDelayNs() {
        return config.ackDelayNs() + piggybackDelayNs;
    }

    private static long leftNs(
            final WaitQueue<ReceiveFlow> line, final long delayNs, final long nowNs) {
        return hasPending(line)
                ? line.first().pendingAck.sinceNs() + delayNs - nowNs
                : Long.MAX_VALUE;
    }

    // What data of the other direction has acknowledged in the meantime needs no timer: otherwise
    // an exchange of messages would wake its loop for nothing once per delay.
    private static boolean hasPending(final WaitQueue<ReceiveFlow> line) {
        while (!line.isEmpty() && line.first().pendingAck.frames() == 0) {
            line.poll();
        }
        return !line.isEmpty();
    }
}
