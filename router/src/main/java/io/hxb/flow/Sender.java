package io.hxb.flow;

import io.hxb.flow.route.RouteTable;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.link.TurnClock;
import io.hxb.pm.PmStatus;
import io.hxb.topology.Shape;

/**
 * The sending half of one loop: takes messages, and looks after flows of which nothing is heard.
 * Owned by the loop. {@link Transmitter} sends, {@link SendFeedback} hears what becomes of it.
 */
final class Sender {
    private final FlowTable table;
    private final RouteTable routes;
    private final TxPool pool;
    private final ControlWriter control;
    private final FlowCounters counters;
    private final TurnClock clock;
    private final FlowTimers timers;
    private final SendQueue queue = new SendQueue();
    private final Transmitter transmitter;
    private final SendFeedback feedback;

    Sender(
            final FlowTable table,
            final FlowOutput output,
            final TxPool pool,
            final ControlWriter control,
            final FlowCounters counters,
            final TurnClock clock) {
        this.table = table;
        routes = output.routes();
        this.pool = pool;
        this.control = control;
        this.counters = counters;
        this.clock = clock;
        timers = new FlowTimers(table.config());
        transmitter = new Transmitter(table, output, pool, control, timers, queue, counters, clock);
        feedback =
                new SendFeedback(
                        table, routes, control, transmitter, timers, queue, counters, clock);
    }

    /** See {@link FlowLoop#submit}. */
    int submit(
            final FlowContext context,
            final int sendSlot,
            final int node,
            final int contextId,
            final long payloadAddress,
            final int lengthBytes,
            final int tag) {
        if (lengthBytes < 0 || lengthBytes > table.sizes().maxMessageBytes()) {
            return PmStatus.TOO_LONG;
        }
        if (node < 0 || node >= table.shape().nodeCount()) {
            return PmStatus.PEER_UNREACHABLE;
        }
        if (contextId < 0 || contextId > 0xFFFF) {
            return PmStatus.NO_SUCH_CONTEXT;
        }
        final SendFlow flow = flow(context, node, contextId);
        if (flow == null) {
            counters.onNoFlow();
            return PmStatus.NO_BUFFERS;
        }
        context.ensureSlot(sendSlot);
        context.slotAddress[sendSlot] = payloadAddress;
        context.slotLength[sendSlot] = lengthBytes;
        context.slotTag[sendSlot] = tag;
        context.slotNext[sendSlot] = FlowContext.NO_SLOT;
        if (flow.pendingHead == FlowContext.NO_SLOT) {
            flow.pendingHead = sendSlot;
        } else {
            context.slotNext[flow.pendingTail] = sendSlot;
        }
        flow.pendingTail = sendSlot;
        flow.pendingCount++;
        flow.pendingBytes += MessageRecordFlyweight.paddedLength(lengthBytes);
        flow.isHeldBack = false;
        queue.makeReady(flow);
        return PmStatus.OK;
    }

    /** See {@link FlowLoop#stage}. */
    long stage(
            final FlowContext context,
            final int node,
            final int contextId,
            final long address,
            final int lengthBytes,
            final int mostMessages,
            final boolean isNewRun) {
        final SendFlow flow = flow(context, node, contextId);
        return flow == null
                ? Staged.NONE
                : transmitter.stage(flow, address, lengthBytes, mostMessages, isNewRun);
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

    /** Sends what may go; returns frames sent. */
    int sendReady() {
        return transmitter.sendReady();
    }

    /** The links, which took no more, take frames again. */
    void onWritable() {
        queue.onWritable();
    }

    boolean hasReady() {
        return queue.hasReady();
    }

    long nextDeadlineNs(final long timeNs) {
        timers.putOff(timeNs);
        return FlowTimers.earlier(timers.firstNs(), queue.nextDeadlineNs());
    }

    /** What becomes of the frames sent. */
    SendFeedback feedback() {
        return feedback;
    }

    /** Frames in use, of data and of control. */
    int framesInUse() {
        return pool.framesInUse() + pool.controlInUse();
    }

    private SendFlow flow(final FlowContext context, final int node, final int contextId) {
        final long key = Flow.key(context.id, node, contextId);
        if (context.lastSendFlow != null && context.lastSendFlow.key == key) {
            return context.lastSendFlow;
        }
        SendFlow flow = table.sendFlows().get(key);
        if (flow == null) {
            final long coordinates = table.shape().coordinates(node);
            flow =
                    new SendFlow(
                            context,
                            node,
                            contextId,
                            coordinates,
                            Shape.distance(table.ownCoordinates(), coordinates) == 1,
                            table,
                            routes);
            if (!table.sendFlows().put(flow)) {
                return null;
            }
            flow.nextOfContext = context.sendFlows;
            context.sendFlows = flow;
            flow.opposite = table.receiveFlows().get(key);
            if (flow.opposite != null) {
                flow.opposite.opposite = flow;
            }
        }
        context.lastSendFlow = flow;
        return flow;
    }

    private void onTimer(final SendFlow flow) {
        if (!flow.context.isOpen || flow.state == SendFlow.CLOSED) {
            return;
        }
        if (flow.isOutstanding
                && (timers.silenceEndsNs(flow) - clock.nowNs() <= 0
                        || timers.isCutOff(flow, clock.nowNs()))) {
            counters.onPeerUnreachable();
            feedback.end(flow, PmStatus.PEER_UNREACHABLE);
            return;
        }
        if (flow.cutOff.isWaiting() && flow.cutOff.retryNs - clock.nowNs() <= 0) {
            flow.cutOff.onRetry();
            queue.makeReady(flow);
        }
        if (flow.state == SendFlow.OPENING) {
            queue.makeReady(flow);
            return;
        }
        if (flow.inFlight > flow.lost) {
            if (flow.overtakenNs - clock.nowNs() <= 0) {
                flow.detectLost(clock.nowNs());
            }
            final long timeoutNs = flow.roundTrip.timeoutNs();
            if (flow.progressNs + timeoutNs - clock.nowNs() <= 0) {
                timeOut(flow, timeoutNs);
            }
        }
        if (flow.lost > 0) {
            queue.makeReady(flow);
        }
        if (flow.isProbing && flow.retryNs - clock.nowNs() <= 0) {
            control.sendProbe(flow, flow.pendingCount);
            if (control.hadNoRoute()) {
                flow.cutOff.onNoRoute(clock.nowNs());
                flow.retryNs = flow.cutOff.retryNs;
            } else {
                flow.retryNs = clock.nowNs() + flow.roundTrip.retryNs(flow.retries++);
            }
        }
    }

    private void timeOut(final SendFlow flow, final long timeoutNs) {
        flow.progressNs = clock.nowNs();
        if (flow.believeEarlyCopy(clock.nowNs())) {
            counters.onTimeout();
            return;
        }
        // Mostly an end of the flow has waited for its CPU and nothing is lost: a single frame goes
        // first, and its acknowledgement tells what has arrived (as RFC 8985's tail loss probe).
        final int mostFrames = flow.roundTrip.isBackedOff() ? SendFlow.MAX_RESEND_FRAMES : 1;
        if (flow.markOldest(clock.nowNs(), timeoutNs, mostFrames) > 0) {
            counters.onTimeout();
            flow.roundTrip.onTimeout();
        }
        if (flow.takeRouteSilent()) {
            // The next ones go by another route, whose round trips begin anew.
            flow.roundTrip.onProgress();
            flow.markOldest(clock.nowNs(), 0, SendFlow.MAX_RESEND_FRAMES);
        }
    }
}
