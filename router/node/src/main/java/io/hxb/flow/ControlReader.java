package io.hxb.flow;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.route.RouteTable;
import io.hxb.frame.EndedFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.MissingFlyweight;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.routing.Route;

/**
 * Reads the control frames of the two ends of a flow, and those of relays that cannot forward a
 * frame: checks that they are about the flow in its present state. Owned by one loop. {@link
 * ControlWriter} writes them.
 */
final class ControlReader {
    private final FlowTable table;
    private final Receiver receiver;
    private final SendFeedback feedback;
    private final StaleFrameReplies staleFrameReplies;
    private final RouteTable routes;
    private final CounterBlock counters;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final UnreachableFlyweight unreachable = new UnreachableFlyweight();
    private final EndedFlyweight ended = new EndedFlyweight();
    private final MissingFlyweight missing = new MissingFlyweight();

    ControlReader(
            final LoopParts parts,
            final Receiver receiver,
            final SendFeedback feedback,
            final StaleFrameReplies staleFrameReplies) {
        table = parts.table();
        routes = parts.routes();
        counters = parts.counters();
        this.receiver = receiver;
        this.feedback = feedback;
        this.staleFrameReplies = staleFrameReplies;
    }

    /**
     * Takes one frame in a pool buffer.
     *
     * @return true if the buffer is kept, false if the caller still owns it.
     */
    boolean onFrame(final int bufferId) {
        final FrameHeaderFlyweight frame = header.wrap(table.pool().headerAddress(bufferId));
        final FlowContext context = table.context(frame.destinationContext());
        final int node = table.shape().node(frame.source());
        if (context == null) {
            counters.increment(CounterType.FLOW_UNKNOWN_CONTEXT_FRAMES);
        } else if (frame.type() == FrameType.DATA) {
            return receiver.onFirstData(context, node, bufferId);
        } else {
            handle(frame, context, node);
        }
        return false;
    }

    private void handle(
            final FrameHeaderFlyweight frame, final FlowContext context, final int node) {
        final int type = frame.type();
        if (type == FrameType.OPEN) {
            receiver.onOpen(context, frame, node);
            return;
        }
        if (frame.destinationIncarnation() != context.incarnation) {
            counters.increment(CounterType.FLOW_STALE_FRAMES);
            if (type == FrameType.PROBE || type == FrameType.CLOSE) {
                staleFrameReplies.answer(frame, context);
            }
            return;
        }
        unreachable.wrap(frame.address());
        if (type == FrameType.UNREACHABLE && unreachable.isOfRelay()) {
            counters.increment(CounterType.FORWARD_UNREACHABLE_RECEIVED_FRAMES);
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
        if (flow != null && type == FrameType.ENDED && flow.epoch() == frame.acknowledgedEpoch()) {
            handleEnded(frame, flow);
            return;
        }
        final int epoch = type == FrameType.UNREACHABLE ? frame.epoch() : frame.acknowledgedEpoch();
        if (flow == null || flow.epoch() != epoch) {
            counters.increment(CounterType.FLOW_STALE_FRAMES);
            return;
        }
        if (type == FrameType.UNREACHABLE) {
            counters.increment(CounterType.FORWARD_UNREACHABLE_RECEIVED_FRAMES);
            if (isOfFrameSent(frame, flow)) {
                feedback.onUnreachable(
                        flow,
                        unreachable.reason(),
                        unreachable.failedType(),
                        frame.sourceIncarnation());
            } else {
                routes.refuse();
            }
        } else if (type == FrameType.ACCEPT) {
            feedback.onAccept(flow, frame);
        } else if (type == FrameType.CLOSED) {
            feedback.onClosed(flow, frame);
        } else if (type != FrameType.ACK && type != FrameType.MISSING) {
            counters.increment(CounterType.FLOW_MALFORMED_FRAMES);
        } else if (!flow.isOpen() || flow.peerIncarnation() != frame.sourceIncarnation()) {
            counters.increment(CounterType.FLOW_STALE_FRAMES);
        } else if (type == FrameType.MISSING) {
            feedback.onMissing(flow, frame.sequence(), missing.wrap(frame.address()));
        } else {
            if (frame.hasFlag(FrameHeaderFlyweight.FLAG_AGAIN)) {
                feedback.onArrivedAgain(flow, frame.sequence());
            }
            final int acknowledgement = frame.acknowledgement();
            final long bitmap = frame.bodyAddress();
            final int bitCount = frame.bodyLength() / Long.BYTES * Long.SIZE;
            if (!feedback.isGoingOn(flow, acknowledgement, bitmap, bitCount)) {
                return;
            }
            feedback.onAck(flow, acknowledgement, frame.windowFrames(), bitmap, bitCount);
            if (frame.hasFlag(FrameHeaderFlyweight.FLAG_CLOSE)) {
                feedback.onAskedToClose(flow);
            }
        }
    }

    /**
     * A context that is closed announces what it had of the flow. As with a denial it names a frame
     * that it has not taken, or comes unasked; either way it is asked before it is believed. It has
     * seen whatever was acknowledged.
     */
    private void handleEnded(final FrameHeaderFlyweight frame, final SendFlow flow) {
        ended.wrap(frame.address());
        final SendWindow window = flow.window;
        final int type = ended.answeredType();
        final int sequence = frame.sequence();
        final boolean isOfFlow =
                frame.sourceIncarnation() == flow.peerIncarnation()
                        && window.isPlausible(ended.firstSequence())
                        && window.isPlausible(ended.seenTo())
                        && ended.seenTo() - window.firstSequence() >= 0;
        final boolean isRight =
                switch (type) {
                    case FrameType.CLOSE -> flow.isClosing() && sequence == window.nextSequence();
                    case FrameType.DATA -> flow.isOpen() && window.isInFlight(sequence);
                    case FrameType.PROBE, 0 -> flow.isOpen() && window.isPlausible(sequence);
                    default -> false;
                };
        if (isOfFlow && isRight) {
            feedback.onEnded(flow, new ClosedFlowRecord(ended, sequence), type);
        } else {
            counters.increment(CounterType.FLOW_STALE_FRAMES);
        }
    }

    /**
     * A denial names the frame it denies, which must be one that the flow has in flight. Its ends
     * are those of the flow, whose key and epoch have been compared.
     */
    private boolean isOfFrameSent(final FrameHeaderFlyweight frame, final SendFlow flow) {
        final int type = unreachable.failedType();
        final int sequence = frame.sequence();
        if (type == FrameType.OPEN) {
            return flow.isOpening() && sequence == flow.nonce();
        }
        if (unreachable.failedIncarnation() != flow.peerIncarnation()) {
            return false;
        }
        if (type == FrameType.CLOSE) {
            return flow.isClosing() && sequence == flow.window.nextSequence();
        }
        return flow.isOpen()
                && (type == FrameType.DATA
                        ? flow.window.isInFlight(sequence)
                        : type == FrameType.PROBE && flow.window.isPlausible(sequence));
    }

    /**
     * A relay cannot forward a frame: believed only if the frame is one of ours and still in
     * flight.
     */
    private void handleBrokenRoute(final FrameHeaderFlyweight frame, final FlowContext context) {
        final int peer = unreachable.failedDestination();
        if (unreachable.reason() != UnreachableFlyweight.NO_ROUTE
                || peer < 0
                || peer >= table.shape().nodeCount()) {
            routes.refuse();
            return;
        }
        final long key = Flow.key(context.id, peer, frame.sourceContext());
        final SendFlow sending = table.sendFlows().get(key);
        final ReceiveFlow receiving = table.receiveFlows().get(key);
        final int type = unreachable.failedType();
        final long route = unreachable.failedRoute();
        if (type == FrameType.ACK || type == FrameType.ACCEPT) {
            if (receiving == null || receiving.epoch() != frame.acknowledgedEpoch()) {
                routes.refuse();
            } else if (routes.onUnreachable(receiving.peerCoordinates, route, frame.source())) {
                receiver.answerAgain(receiving);
            }
        } else if (sending == null
                || sending.epoch() != frame.epoch()
                || sending.isClosed()
                || (type == FrameType.DATA && !sending.window.isInFlight(frame.sequence()))) {
            routes.refuse();
        } else if (routes.onUnreachable(sending.peerCoordinates, route, frame.source())) {
            feedback.onRouteBroken(
                    sending, type, frame.sequence(), Route.start(route), frame.source());
        }
    }
}
