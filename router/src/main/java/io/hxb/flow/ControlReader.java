package io.hxb.flow;

import io.hxb.flow.route.RouteTable;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.routing.Route;

/**
 * Reads the control frames of the two ends of a flow, and those of relays that cannot forward a
 * frame: checks that they are about the flow in its present state. Owned by one loop. {@link
 * ControlWriter} writes them.
 */
final class ControlReader {
    private final FlowTable table;
    private final BufferPool.Share share;
    private final Receiver receiver;
    private final SendFeedback feedback;
    private final ControlWriter control;
    private final RouteTable routes;
    private final FlowCounters counters;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FrameHeaderFlyweight offending = new FrameHeaderFlyweight();
    private final UnreachableFlyweight unreachable = new UnreachableFlyweight();

    ControlReader(
            final LoopParts parts,
            final BufferPool.Share share,
            final Receiver receiver,
            final SendFeedback feedback) {
        table = parts.table();
        this.share = share;
        control = parts.control();
        routes = parts.routes();
        counters = parts.counters();
        this.receiver = receiver;
        this.feedback = feedback;
    }

    /** Takes one frame in a pool buffer, which this object then owns. */
    void onFrame(final int bufferId) {
        final FrameHeaderFlyweight frame = header.wrap(table.pool().headerAddress(bufferId));
        final FlowContext context = table.context(frame.destinationContext());
        final int node = table.shape().node(frame.source());
        if (context == null) {
            counters.onNoSuchContext();
        } else if (frame.type() == FrameType.DATA) {
            receiver.onFirstData(context, node, bufferId);
            return;
        } else {
            handle(frame, context, node);
        }
        share.release(bufferId);
    }

    private void handle(
            final FrameHeaderFlyweight frame, final FlowContext context, final int node) {
        final int type = frame.type();
        if (type == FrameType.OPEN) {
            receiver.onOpen(context, frame, node);
            return;
        }
        if (frame.destinationIncarnation() != context.incarnation) {
            counters.onStale();
            if (type == FrameType.PROBE || type == FrameType.CLOSE) {
                control.sendUnreachable(
                        frame, context.incarnation, UnreachableFlyweight.STALE_INCARNATION);
            }
            return;
        }
        if (type == FrameType.UNREACHABLE && isAboutRoute(frame)) {
            counters.onUnreachable();
            handleBrokenRoute(frame, context);
            return;
        }
        final long key = Flow.key(context.id, node, frame.sourceContext());
        if (type == FrameType.PROBE) {
            handleProbe(context, frame, node, key);
        } else if (type == FrameType.CLOSE) {
            receiver.onClose(context, frame, key);
        } else {
            handleAnswer(frame, key, type);
        }
    }

    private void handleProbe(
            final FlowContext context,
            final FrameHeaderFlyweight frame,
            final int node,
            final long key) {
        final ReceiveFlow flow = receiver.admit(context, frame, node, key);
        if (flow != null) {
            receiver.onProbe(flow, frame);
        }
    }

    private void handleAnswer(final FrameHeaderFlyweight frame, final long key, final int type) {
        final SendFlow flow = table.sendFlows().get(key);
        final int epoch = type == FrameType.UNREACHABLE ? frame.epoch() : frame.acknowledgedEpoch();
        if (flow == null || flow.epoch() != epoch) {
            counters.onStale();
            return;
        }
        if (type == FrameType.UNREACHABLE) {
            counters.onUnreachable();
            if (isOfFrameSent(frame, flow)) {
                feedback.onUnreachable(
                        flow, unreachable.reason(), offending.type(), frame.sourceIncarnation());
            } else {
                routes.refuse();
            }
        } else if (type == FrameType.ACCEPT) {
            feedback.onAccept(flow, frame);
        } else if (type == FrameType.CLOSED) {
            feedback.onClosed(flow, frame);
        } else if (type != FrameType.ACK) {
            counters.onMalformed();
        } else if (!flow.isOpen() || flow.peerIncarnation() != frame.sourceIncarnation()) {
            counters.onStale();
        } else {
            if (frame.hasFlag(FrameHeaderFlyweight.FLAG_AGAIN)) {
                feedback.onArrivedAgain(flow, frame.sequence());
            }
            feedback.onAck(
                    flow,
                    frame.acknowledgement(),
                    frame.windowFrames(),
                    frame.bodyAddress(),
                    frame.bodyLength() / Long.BYTES * Long.SIZE);
            if (frame.hasFlag(FrameHeaderFlyweight.FLAG_CLOSE)) {
                feedback.onAskedToClose(flow);
            }
        }
    }

    /**
     * A denial shows the header of the denied frame, which must be one that the flow has in flight.
     */
    private boolean isOfFrameSent(final FrameHeaderFlyweight frame, final SendFlow flow) {
        if (frame.bodyLength() < UnreachableFlyweight.LENGTH) {
            return false;
        }
        unreachable.wrap(frame.bodyAddress());
        offending.wrap(unreachable.offendingHeaderAddress());
        if (offending.source() != table.ownCoordinates()
                || offending.sourceContext() != flow.context.id
                || offending.sourceIncarnation() != flow.context.incarnation
                || offending.destination() != flow.peerCoordinates
                || offending.destinationContext() != flow.peerContext
                || offending.epoch() != flow.epoch()) {
            return false;
        }
        final int sequence = offending.sequence();
        if (offending.type() == FrameType.OPEN) {
            return flow.isOpening() && sequence == flow.nonce();
        }
        if (offending.destinationIncarnation() != flow.peerIncarnation()) {
            return false;
        }
        if (offending.type() == FrameType.CLOSE) {
            return flow.isClosing() && sequence == flow.window.nextSequence();
        }
        return flow.isOpen()
                && (offending.type() == FrameType.DATA
                        ? flow.window.isInFlight(sequence)
                        : offending.type() == FrameType.PROBE && flow.window.isPlausible(sequence));
    }

    private boolean isAboutRoute(final FrameHeaderFlyweight frame) {
        if (frame.bodyLength() < UnreachableFlyweight.LENGTH) {
            return false;
        }
        unreachable.wrap(frame.bodyAddress());
        return unreachable.reason() == UnreachableFlyweight.NO_ROUTE
                || unreachable.reason() == UnreachableFlyweight.HOP_LIMIT;
    }

    /**
     * A relay cannot forward a frame: believed only if the frame is one of ours and still in
     * flight.
     */
    private void handleBrokenRoute(final FrameHeaderFlyweight frame, final FlowContext context) {
        offending.wrap(unreachable.offendingHeaderAddress());
        final int peer = table.shape().node(offending.destination());
        if (unreachable.reason() != UnreachableFlyweight.NO_ROUTE
                || peer < 0
                || offending.source() != table.ownCoordinates()
                || offending.sourceContext() != context.id
                || offending.sourceIncarnation() != context.incarnation) {
            routes.refuse();
            return;
        }
        final long key = Flow.key(context.id, peer, offending.destinationContext());
        final SendFlow sending = table.sendFlows().get(key);
        final ReceiveFlow receiving = table.receiveFlows().get(key);
        final int type = offending.type();
        if (type == FrameType.ACK || type == FrameType.ACCEPT) {
            if (receiving == null || receiving.epoch() != offending.acknowledgedEpoch()) {
                routes.refuse();
            } else if (routes.onUnreachable(
                    receiving.peerCoordinates, offending.route(), frame.source())) {
                receiver.answerAgain(receiving);
            }
        } else if (sending == null
                || sending.epoch() != offending.epoch()
                || sending.isClosed()
                || (type == FrameType.DATA && !sending.window.isInFlight(offending.sequence()))) {
            routes.refuse();
        } else if (routes.onUnreachable(
                sending.peerCoordinates, offending.route(), frame.source())) {
            feedback.onRouteBroken(
                    sending,
                    type,
                    offending.sequence(),
                    Route.start(offending.route()),
                    frame.source());
        }
    }
}
