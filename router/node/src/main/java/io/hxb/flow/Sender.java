package io.hxb.flow;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.route.RouteTable;
import io.hxb.link.LoopClock;
import io.hxb.pm.PmStatus;
import io.hxb.recorder.RecordedEvent;
import io.hxb.time.Deadline;

/**
 * The sending half of one loop: takes messages, and takes care of flows whose peers are silent.
 * Owned by the loop. {@link Transmitter} sends, {@link SendFeedback} hears what becomes of it.
 */
final class Sender {
    /** Flows that are searched for a closed one when all are in use. */
    private static final int CLOSED_SEARCH = 64;

    /** Of one message in this number the wait is measured. */
    private static final int WATCH_EVERY = 16;

    private final FlowTable table;
    private final RouteTable routes;
    private final TxPool pool;
    private final ControlWriter control;
    private final CounterBlock counters;
    private final LoopClock clock;
    private final SweepTimer sweep;
    private final FlowTimers timers;
    private final SendQueue queue;
    private final FrameBuilder builder;
    private final Transmitter transmitter;
    private final SendFeedback feedback;

    /** Messages until the next one whose wait is measured. */
    private int untilWatched = WATCH_EVERY;

    /** Flow of a message that is measured since the last turn; null if there is none. */
    private SendFlow newlyWatched;

    Sender(final LoopParts parts) {
        table = parts.table();
        routes = parts.routes();
        pool = parts.pool();
        control = parts.control();
        counters = parts.counters();
        clock = parts.clock();
        sweep = parts.sweep();
        timers = new FlowTimers(parts.config().minRetransmitNs() / 2);
        queue = new SendQueue(parts.table().packetWeight());
        builder = new FrameBuilder(parts);
        transmitter = new Transmitter(parts, timers, queue, builder);
        feedback = new SendFeedback(parts, transmitter, timers, queue);
    }

    /**
     * The flow to a context, a new one if there is none.
     *
     * @param node of the shape.
     * @param contextId 0 to 65,535.
     * @return null if all flows are in use.
     */
    SendFlow flow(final FlowContext context, final int node, final int contextId) {
        final long key = Flow.key(context.id, node, contextId);
        final SendFlow last = context.lastSendFlow(key);
        if (last != null) {
            return last;
        }
        final SendFlow known = table.sendFlows().get(key);
        final SendFlow flow = known != null ? known : newFlow(context, node, contextId);
        if (flow != null) {
            context.onUsed(flow);
        }
        return flow;
    }

    private SendFlow newFlow(final FlowContext context, final int node, final int contextId) {
        final SendFlow flow = table.newSendFlow(context, node, contextId, routes);
        if (table.isShort(context)) {
            sweep.onShort(clock.nowNs());
        }
        return flow == null && forgetClosed(context)
                ? table.newSendFlow(context, node, contextId, routes)
                : flow;
    }

    /** Forgets a flow that failed or was refused and only occupies a place. */
    private boolean forgetClosed(final FlowContext context) {
        for (int left = Math.min(CLOSED_SEARCH, context.sendFlowCount()); left > 0; left--) {
            final SendFlow flow = context.nextSendFlow();
            if (flow.isClosed() && !flow.isBusy()) {
                feedback.forget(flow);
                return true;
            }
        }
        return false;
    }

    /**
     * Looks at a flow for whether it is in use: forgets it, closes it or asks what is missing.
     *
     * @param idleNs time for which nothing was to be sent.
     */
    void visit(final SendFlow flow, final long idleNs) {
        if (flow.isBusy() || flow.window.unusedNs(clock.nowNs()) < idleNs) {
            return;
        }
        if (flow.isClosed()) {
            feedback.forget(flow);
        } else if (flow.isOpen()) {
            if (!flow.window.isDelivered()) {
                control.sendProbe(flow, 1);
            } else {
                feedback.closeIfIdle(flow, idleNs);
            }
        }
    }

    /** Takes the message in {@code sendSlot}; see {@link FlowLoop#submit}. */
    void submit(final SendFlow flow, final int sendSlot, final int lengthBytes) {
        flow.backlog.add(sendSlot, lengthBytes);
        onWaiting(flow, 1);
        queue.makeReady(flow);
    }

    /** See {@link FlowLoop#stage}. */
    long stage(
            final SendFlow flow,
            final long address,
            final int lengthBytes,
            final int maxMessages,
            final boolean isNewRun) {
        final long staged = builder.stage(flow, address, lengthBytes, maxMessages, isNewRun);
        if (staged > 0) {
            onWaiting(flow, StageResult.messages(staged));
            queue.makeReady(flow);
        }
        return staged;
    }

    private void onWaiting(final SendFlow flow, final int messages) {
        untilWatched -= messages;
        if (untilWatched <= 0 && newlyWatched == null && flow.backlog.watchLast(clock.nowNs())) {
            untilWatched = WATCH_EVERY;
            newlyWatched = flow;
        }
    }

    /**
     * A turn begins, before which messages were taken: the clock still had the time of the turn
     * before, between which and this one the loop may have slept.
     */
    void beginTurn(final long nowNs) {
        if (newlyWatched != null) {
            newlyWatched.backlog.watchedSince(nowNs);
            newlyWatched = null;
        }
    }

    /** Looks after the flows whose time has come. */
    int fireTimers() {
        int fired = 0;
        SendFlow flow = timers.poll(clock.nowNs());
        while (flow != null) {
            fired++;
            onTimer(flow);
            timers.arm(flow, clock.nowNs());
            flow = timers.poll(clock.nowNs());
        }
        return fired;
    }

    /** Sends what may be sent; returns the number of frames. */
    int sendReady() {
        return transmitter.sendReady();
    }

    /** The links, which were full, take frames again. */
    void onWritable() {
        queue.onWritable();
    }

    boolean hasReady() {
        return queue.hasReady();
    }

    long nextDeadlineNs(final long timeNs) {
        timers.putOff(timeNs);
        return Deadline.earlier(timers.firstNs(), queue.nextDeadlineNs());
    }

    /** What becomes of the frames sent. */
    SendFeedback feedback() {
        return feedback;
    }

    /** Frames in use, of data and of control. */
    int framesInUse() {
        return pool.framesInUse() + pool.controlInUse();
    }

    private void onTimer(final SendFlow flow) {
        if (!flow.context.isOpen() || flow.isClosed()) {
            return;
        }
        final long nowNs = clock.nowNs();
        if (flow.contact.isLost(nowNs)) {
            if (flow.isClosing() && flow.backlog.isEmpty()) {
                feedback.closed(flow);
            } else {
                counters.increment(CounterType.FLOW_PEER_UNREACHABLE_EVENTS);
                counters.events()
                        .record(
                                RecordedEvent.PEER_UNREACHABLE,
                                nowNs,
                                flow.context.id,
                                flow.peerContext,
                                flow.peerNode);
                feedback.end(flow, PmStatus.PEER_UNREACHABLE);
            }
            return;
        }
        final int denied = flow.contact.denial().take(nowNs);
        if (denied != PmStatus.OK) {
            feedback.onDenied(flow, denied);
            return;
        }
        if (flow.contact.retryRouteWhenDue(nowNs)) {
            queue.makeReady(flow);
        }
        if (!flow.isOpen()) {
            queue.makeReady(flow);
            return;
        }
        final SendWindow window = flow.window;
        if (window.isAwaiting()) {
            window.detectLostWhenDue(nowNs);
            final long timeoutNs = flow.rttEstimator.timeoutNs();
            if (window.isTimedOut(timeoutNs, nowNs)) {
                timeOut(flow, timeoutNs);
            }
        }
        if (window.lost() > 0) {
            queue.makeReady(flow);
        }
        if (flow.persistTimer.isProbeDue(nowNs)) {
            probe(flow, nowNs);
        }
    }

    private void probe(final SendFlow flow, final long nowNs) {
        control.sendProbe(flow, flow.backlog.messageCount());
        if (control.hadNoRoute()) {
            flow.contact.onNoRoute(nowNs);
            flow.persistTimer.retryAt(flow.contact.routeRetryNs());
        } else {
            flow.persistTimer.onSent(nowNs);
            flow.window.onProbed(nowNs);
        }
    }

    private void timeOut(final SendFlow flow, final long timeoutNs) {
        final long nowNs = clock.nowNs();
        final SendWindow window = flow.window;
        window.onProgress(nowNs);
        if (window.detectLossBeforeSpuriousRetransmit(nowNs)) {
            counters.increment(CounterType.FLOW_TIMEOUTS_EVENTS);
            return;
        }
        // Usually one end of the flow has waited for its CPU and nothing is lost: a single frame
        // goes first, and its acknowledgement shows what has arrived (as RFC 8985's tail loss
        // probe).
        final int maxFrames = flow.rttEstimator.isBackedOff() ? SendFlow.MAX_RESEND_FRAMES : 1;
        final int marked = window.markOldest(nowNs, timeoutNs, maxFrames);
        if (marked > 0) {
            counters.increment(CounterType.FLOW_TIMEOUTS_EVENTS);
            counters.events()
                    .record(
                            RecordedEvent.RETRANSMISSION_TIMED_OUT,
                            nowNs,
                            flow.context.id,
                            flow.peerNode,
                            timeoutNs,
                            marked);
            flow.rttEstimator.onTimeout();
        }
        if (flow.lossDetector.takeRouteSilent()) {
            // The next ones take another route, whose round trips are measured from the beginning.
            flow.rttEstimator.onProgress();
            window.markOldest(nowNs, 0, SendFlow.MAX_RESEND_FRAMES);
        }
    }
}
