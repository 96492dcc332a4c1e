package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.flow.route.RouteTable;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.TurnClock;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.topology.Shape;

/**
 * What becomes of the frames sent: acknowledged by their peers, stranded on a link or a route that
 * fails, or given up with their flow. Owned by one loop.
 */
final class SendFeedback {
    private static final long MIN_ABSENCE_PAUSE_NS = 1_000_000L;
    private static final long MAX_ABSENCE_PAUSE_NS = 50_000_000L;

    private final FlowTable table;
    private final FlowConfig config;
    private final RouteTable routes;
    private final ControlWriter control;
    private final Transmitter transmitter;
    private final FlowTimers timers;
    private final SendQueue queue;
    private final FlowCounters counters;
    private final TurnClock clock;

    SendFeedback(
            final FlowTable table,
            final RouteTable routes,
            final ControlWriter control,
            final Transmitter transmitter,
            final FlowTimers timers,
            final SendQueue queue,
            final FlowCounters counters,
            final TurnClock clock) {
        this.table = table;
        config = table.config();
        this.routes = routes;
        this.control = control;
        this.transmitter = transmitter;
        this.timers = timers;
        this.queue = queue;
        this.counters = counters;
        this.clock = clock;
    }

    /**
     * Handles an acknowledgement.
     *
     * @param bitmapAddress selective bitmap, bit i of it for acknowledgement + i.
     * @param bitCount bits of it, a multiple of 64; 0 when there is none.
     */
    void onAck(
            final SendFlow flow,
            final int acknowledgement,
            final int windowFrames,
            final long bitmapAddress,
            final int bitCount) {
        if (flow.nextSequence - acknowledgement < 0
                || flow.firstSequence - acknowledgement > config.windowFrames()) {
            counters.onOutOfWindow();
            return;
        }
        counters.onAck();
        flow.lastHeardNs = clock.nowNs();
        flow.cutOff.onHeard();
        final int before = flow.inFlight;
        for (int sequence = flow.firstSequence; sequence - acknowledgement < 0; sequence++) {
            acknowledge(flow, sequence);
        }
        for (int first = 0; first < bitCount; first += Long.SIZE) {
            long bits = Memory.getLong(bitmapAddress + (first >> 3));
            while (bits != 0) {
                acknowledge(flow, acknowledgement + first + Long.numberOfTrailingZeros(bits));
                bits &= bits - 1;
            }
        }
        flow.advance();
        if (flow.inFlight != before) {
            flow.roundTrip.onProgress();
            flow.progressNs = clock.nowNs();
            flow.detectLost(clock.nowNs());
        }
        onWindow(flow, acknowledgement + windowFrames);
        if (flow.inFlight == 0 && !flow.hasPending()) {
            flow.isOutstanding = false;
        }
        if (flow.lost > 0 || flow.hasPending()) {
            queue.makeReady(flow);
        } else {
            timers.arm(flow, clock.nowNs());
        }
    }

    /**
     * A frame has arrived that had arrived before. If it was sent again, that was needless: the
     * frame itself had only been late.
     */
    void onArrivedAgain(final SendFlow flow, final int sequence) {
        if (flow.wasResent(sequence)) {
            flow.roundTrip.onNeedlessResend(clock.nowNs());
        }
    }

    /** The receiver takes data now. */
    void onAccept(
            final SendFlow flow,
            final int peerIncarnation,
            final int acknowledgement,
            final int windowFrames) {
        if (flow.state != SendFlow.OPENING || acknowledgement != flow.nextSequence) {
            counters.onStale();
            return;
        }
        flow.state = SendFlow.OPEN;
        flow.wasOpen = true;
        flow.cutOff.onHeard();
        if (routes.hasTrouble()) {
            routes.onArrived(flow.peerCoordinates, flow.openRoute, flow.openSentNs);
        }
        flow.peerIncarnation = peerIncarnation;
        flow.limit = acknowledgement + windowFrames;
        flow.lastHeardNs = clock.nowNs();
        flow.retries = 0;
        queue.makeReady(flow);
    }

    /**
     * Somebody says that what the flow sends cannot be delivered. Only the peer's node ends the
     * flow; a relay without a way on is no sign of life of the peer either.
     */
    void onUnreachable(final SendFlow flow, final int reason, final int peerIncarnation) {
        if (reason == UnreachableFlyweight.NO_SUCH_CONTEXT && flow.state != SendFlow.CLOSED) {
            if (flow.state == SendFlow.OPENING && waitForPeer(flow)) {
                return;
            }
            counters.onPeerContextGone();
            end(flow, PmStatus.NO_SUCH_CONTEXT);
        } else if (reason == UnreachableFlyweight.STALE_INCARNATION
                && flow.state == SendFlow.OPEN
                && flow.peerIncarnation != peerIncarnation) {
            counters.onPeerRestarted();
            end(flow, PmStatus.PEER_RESTARTED);
        } else if (reason == UnreachableFlyweight.NO_FLOWS && flow.state == SendFlow.OPENING) {
            end(flow, PmStatus.PEER_FULL);
        }
    }

    // Asks the more rarely the longer nobody is there. The answer shows that the route is good. The
    // next question has the next epoch: a late answer to an earlier one ends no flow that is open.
    private boolean waitForPeer(final SendFlow flow) {
        if (!flow.isPeerAbsent) {
            flow.isPeerAbsent = true;
            flow.absentSinceNs = clock.nowNs();
        }
        final long absentNs = clock.nowNs() - flow.absentSinceNs;
        final long leftNs = flow.context.peerWaitNs - absentNs;
        if (leftNs <= 0) {
            return false;
        }
        final long pauseNs = Math.clamp(absentNs / 4, MIN_ABSENCE_PAUSE_NS, MAX_ABSENCE_PAUSE_NS);
        flow.retryNs = clock.nowNs() + Math.min(pauseNs, leftNs);
        flow.retries = 0;
        flow.epoch = (flow.epoch + 1) & 0xFFFF;
        flow.lastHeardNs = clock.nowNs();
        flow.cutOff.onHeard();
        timers.arm(flow, clock.nowNs());
        return true;
    }

    /**
     * A relay has no way on for what the flow sends: that goes another way now.
     *
     * @param type of the frame that the relay complains of.
     * @param sequence of that frame.
     * @param route that it had.
     * @param relay coordinate vector of the relay.
     */
    void onRouteBroken(
            final SendFlow flow,
            final int type,
            final int sequence,
            final long route,
            final long relay) {
        if (type != FrameType.DATA) {
            flow.retryNs = clock.nowNs();
        } else if (flow.markBehind(sequence, route, relay) > 0) {
            flow.resendNs = clock.nowNs();
        }
        queue.makeReady(flow);
        timers.arm(flow, clock.nowNs());
    }

    /**
     * A link has failed: what the flows of {@code context} sent over it to a neighbour goes over
     * others at once.
     *
     * @return frames that will be sent again.
     */
    int onLinkFailed(
            final FlowContext context, final int link, final int dimension, final int neighbour) {
        int frames = 0;
        for (SendFlow flow = context.sendFlows; flow != null; flow = flow.nextOfContext) {
            final boolean isThere = Shape.coordinate(flow.peerCoordinates, dimension) == neighbour;
            final int stranded = isThere && flow.state == SendFlow.OPEN ? flow.strand(link) : 0;
            if (stranded > 0) {
                frames += stranded;
                queue.makeReady(flow);
            }
        }
        return frames;
    }

    /**
     * Ends the flow: everything unacknowledged is done with {@code status}. The next message starts
     * it again with the next epoch.
     */
    void end(final SendFlow flow, final int status) {
        final int first = flow.firstSequence;
        final int next = flow.nextSequence;
        final int pending = flow.pendingHead;
        flow.pendingHead = FlowContext.NO_SLOT;
        flow.pendingTail = FlowContext.NO_SLOT;
        flow.pendingBytes = 0;
        flow.state = SendFlow.CLOSED;
        flow.epoch = (flow.epoch + 1) & 0xFFFF;
        flow.isOutstanding = false;
        flow.cutOff.onHeard();
        for (int sequence = first; sequence != next; sequence++) {
            final TxFrame frame = flow.takeOut(sequence);
            if (frame != null) {
                frame.isLost = false;
                transmitter.finish(frame, status);
            }
        }
        for (TxFrame frame = flow.pollStaged(); frame != null; frame = flow.pollStaged()) {
            transmitter.finish(frame, status);
        }
        flow.pendingCount = 0;
        flow.resetSequences();
        timers.remove(flow);
        final FlowContext context = flow.context;
        if (!context.isOpen) {
            return;
        }
        for (int slot = pending; slot != FlowContext.NO_SLOT; ) {
            final int following = context.slotNext[slot];
            table.listener().onSendDone(context.id, slot, status);
            slot = following;
        }
        table.listener().onPeerStatus(context.id, flow.peerNode, flow.peerContext, status);
    }

    /** Forgets all sends of a context that is closed already. */
    void forget(final FlowContext context) {
        for (SendFlow flow = context.sendFlows; flow != null; flow = flow.nextOfContext) {
            table.sendFlows().remove(flow);
            end(flow, PmStatus.CONTEXT_CLOSED);
        }
        context.sendFlows = null;
    }

    private void acknowledge(final SendFlow flow, final int sequence) {
        if (sequence - flow.firstSequence < 0 || flow.nextSequence - sequence <= 0) {
            return;
        }
        final TxFrame frame = flow.frame(sequence);
        if (frame != null) {
            if (routes.hasTrouble() && frame.attempts == 1) {
                final long route = FrameHeaderFlyweight.routeAt(frame.headerAddress);
                routes.onArrived(flow.peerCoordinates, route, frame.sentNs);
            }
            flow.onArrived(frame, clock.nowNs(), counters);
            transmitter.finish(frame, PmStatus.OK);
        }
    }

    private void onWindow(final SendFlow flow, final int limit) {
        if (limit - flow.limit > 0) {
            flow.limit = limit;
            flow.isStalled = false;
            flow.isProbing = false;
            flow.isWindowReturned = false;
        } else if (limit - flow.limit < 0
                && flow.inFlight == 0
                && !flow.hasPending()
                && flow.limit - flow.nextSequence > 0) {
            flow.limit = flow.nextSequence;
            flow.isWindowReturned = true;
            control.sendProbe(flow, 0);
        }
    }
}
