package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.order.OrderingArray;
import io.hxb.flow.order.Sequence;
import io.hxb.flow.route.RouteTable;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.TenantField;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LoopClock;
import io.hxb.log.LoopErrors;
import io.hxb.pm.PmStatus;
import io.hxb.recorder.RecordedEvent;

/**
 * The receiving half of one loop: puts frames into ordering arrays and hands them to contexts in
 * order; {@link AckScheduler} acknowledges them. Frames of any flow come here; credit and
 * acknowledgements belong to the loop that owns the context.
 */
final class Receiver implements OrderingArray.Sink<ReceiveFlow> {
    /** A frame that could not be delivered immediately counts as this many that could. */
    private static final int OUT_OF_ORDER_WEIGHT = 4;

    private static final int RECALLS_AT_ONCE = 16;

    private final FlowTable table;
    private final LoopInbox inbox;
    private final SweepTimer sweep;
    private final SendFeedback feedback;
    private final FlowConfig config;
    private final FlowListener listener;
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final ControlWriter control;
    private final AckScheduler acks;
    private final StaleFrameReplies staleFrameReplies;
    private final RouteTable routes;
    private final CounterBlock counters;
    private final LoopClock clock;
    private final FlowCookies flowCookies;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FrameHeaderFlyweight delivered = new FrameHeaderFlyweight();

    Receiver(
            final LoopParts parts,
            final BufferPool.Share share,
            final SendFeedback feedback,
            final AckScheduler acks,
            final StaleFrameReplies staleFrameReplies) {
        table = parts.table();
        config = parts.config();
        listener = table.listener();
        pool = table.pool();
        control = parts.control();
        routes = parts.routes();
        counters = parts.counters();
        clock = parts.clock();
        flowCookies = table.cookies();
        inbox = parts.inbox();
        sweep = parts.sweep();
        this.feedback = feedback;
        this.share = share;
        this.acks = acks;
        this.staleFrameReplies = staleFrameReplies;
    }

    /**
     * Takes one data frame for an open context; any loop.
     *
     * @return true if the buffer is kept, false if the caller still owns it.
     */
    boolean onData(final FlowContext context, final long headerAddress, final int bufferId) {
        header.wrap(headerAddress);
        if (header.destinationIncarnation() != context.incarnation) {
            counters.increment(CounterType.FLOW_STALE_FRAMES);
            staleFrameReplies.answer(header, context);
            return false;
        }
        final int node = table.shape().node(header.source());
        final long key = Flow.key(context.id, node, header.sourceContext());
        final ReceiveFlow flow = node < 0 ? null : table.receiveFlows().get(key);
        if (flow == null || !flow.isOf(header) || flow.context != context) {
            return onFirst(context, bufferId);
        }
        return take(flow, key, bufferId);
    }

    /** Data that belongs to no known flow may be the first of one, which the owner then makes. */
    private boolean onFirst(final FlowContext context, final int bufferId) {
        if (flowCookies.issueOf(context, header, clock.nowNs()) == FlowCookies.INVALID) {
            counters.increment(CounterType.FLOW_STALE_FRAMES);
            return false;
        }
        context.inbox.hand(bufferId, inbox);
        return true;
    }

    /**
     * Takes data that may be the first of a flow; on the loop that owns the context.
     *
     * @return true if the buffer is kept, false if the caller still owns it.
     */
    boolean onFirstData(final FlowContext context, final int node, final int bufferId) {
        header.wrap(pool.headerAddress(bufferId));
        final long key = Flow.key(context.id, node, header.sourceContext());
        final ReceiveFlow flow =
                header.destinationIncarnation() == context.incarnation
                        ? admit(context, header, node, key)
                        : null;
        return flow != null && take(flow, key, bufferId);
    }

    private boolean take(final ReceiveFlow flow, final long key, final int bufferId) {
        if (header.hasFlag(FrameHeaderFlyweight.FLAG_ACK)) {
            onPiggyback(key);
        }
        if (header.hasFlag(FrameHeaderFlyweight.FLAG_AGAIN)) {
            flow.arrivalSummary.onSentAgain(header.route());
        }
        final boolean isNow = header.hasFlag(FrameHeaderFlyweight.FLAG_ACK_NOW);
        return store(flow, header.sequence(), bufferId, isNow);
    }

    @Override
    public boolean deliver(final ReceiveFlow flow, final int bufferId) {
        if (offer(flow, bufferId)) {
            return true;
        }
        // Room made between the refusal and this note would be missed, so it is tried once more.
        flow.context.noRoom.push(flow.roomNode);
        return offer(flow, bufferId);
    }

    @Override
    public void discard(final ReceiveFlow flow, final int bufferId) {
        share.release(bufferId);
    }

    @Override
    public void onEnded(final ReceiveFlow flow) {
        flow.context.inbox.post(flow, inbox);
    }

    /** Delivers what waited for room in the context; on its owner loop. */
    int resume(final FlowContext context) {
        final WaitQueue<ReceiveFlow> line = context.roomLine;
        ReceiveFlow.RoomNode node = (ReceiveFlow.RoomNode) context.noRoom.takeAll();
        while (node != null) {
            line.add(node.flow.roomPlace);
            node = (ReceiveFlow.RoomNode) node.take();
        }
        int frames = 0;
        boolean hasRoom = true;
        while (hasRoom && !line.isEmpty()) {
            final ReceiveFlow flow = line.poll();
            final int drained = flow.array.drain(this, flow);
            frames += drained;
            if (drained > 0) {
                inbox.post(flow, inbox);
            }
            hasRoom = context.noRoom.isEmpty();
        }
        return frames;
    }

    /** A context gave a frame back; on the loop that owns it. */
    void onReleased(final ReceiveFlow flow) {
        flow.onReleased();
        if (flow.array.isEnded()) {
            freeIfDone(flow);
        }
        serveCreditLine(flow.context.credit);
        if (!flow.array.isEnded()) {
            acks.schedule(flow, clock.nowNs());
        }
    }

    /** Looks at a flow to which something happened; on the loop that owns it. */
    void attend(final ReceiveFlow flow) {
        final long arrivals = flow.arrivalSummary.take();
        if (flow.array.isEnded()) {
            settle(flow);
            return;
        }
        if (arrivals != 0) {
            flow.onHeard(clock.nowNs());
            flow.pendingAck.onArrivals(arrivals);
            flow.piggyback.onArrival();
            if (ArrivalSummary.isAgain(arrivals) && flow.pendingAck.onAskedAgain()) {
                routes.onAskedAgain(flow.peerCoordinates, flow.arrivalSummary.askedRoute());
            }
        }
        acks.schedule(flow, clock.nowNs());
    }

    /**
     * Answers OPEN for an open context; on the loop that owns it. Anybody can send one, so it
     * leaves nothing behind.
     */
    void onOpen(final FlowContext context, final FrameHeaderFlyweight open, final int node) {
        if (!context.rights.mayReceiveFrom(TenantField.ofOpen(open), node, open.sourceContext())) {
            counters.increment(CounterType.FLOW_NOT_ALLOWED_EVENTS);
            control.sendUnreachable(open, context.incarnation, UnreachableFlyweight.NOT_ALLOWED);
            return;
        }
        final long key = Flow.key(context.id, node, open.sourceContext());
        final ReceiveFlow known = table.receiveFlows().get(key);
        if (known != null && known.isOf(open)) {
            // Data has shown already that the source knows the answer.
            counters.increment(CounterType.FLOW_STALE_FRAMES);
            return;
        }
        if (known == null && !table.hasRoom(context)) {
            refuse(context, open);
            return;
        }
        if (open.hasFlag(FrameHeaderFlyweight.FLAG_AGAIN)) {
            routes.onAskedAgain(open.source(), open.route());
        }
        final long nowNs = clock.nowNs();
        control.sendAccept(
                context,
                open,
                flowCookies.first(context, open, flowCookies.issueNs(nowNs)),
                context.credit.promise(nowNs));
    }

    private void refuse(final FlowContext context, final FrameHeaderFlyweight frame) {
        counters.increment(CounterType.FLOW_REFUSED_EVENTS);
        sweep.onShort(clock.nowNs());
        control.sendUnreachable(frame, context.incarnation, UnreachableFlyweight.NO_FLOWS);
    }

    /**
     * The flow of a frame, made now if the frame shows a valid ticket; on the loop that owns the
     * context.
     *
     * @return null if the frame is of the past, or there are too many flows; its source is notified
     *     in either case.
     */
    ReceiveFlow admit(
            final FlowContext context,
            final FrameHeaderFlyweight frame,
            final int node,
            final long key) {
        final ReceiveFlow known = table.receiveFlows().get(key);
        if (known != null && known.isOf(frame)) {
            return known;
        }
        final long issueNs = flowCookies.issueOf(context, frame, clock.nowNs());
        if (issueNs == FlowCookies.INVALID || (known != null && !known.isBefore(frame, issueNs))) {
            counters.increment(CounterType.FLOW_STALE_FRAMES);
            return null;
        }
        final SendFlow sending = table.sendFlows().get(key);
        if (sending != null
                && sending.isOpen()
                && sending.peerIncarnation() != frame.sourceIncarnation()) {
            // What became of messages to the earlier incarnation is reported before the first one
            // of
            // the later, which is sent again meanwhile.
            feedback.onOtherIncarnation(sending);
            return null;
        }
        if (known != null) {
            replace(known, frame.sourceIncarnation());
        }
        final ReceiveFlow flow = table.newReceiveFlow(context, node, frame, issueNs);
        if (flow == null) {
            refuse(context, frame);
            return null;
        }
        if (table.isShort(context)) {
            sweep.onShort(clock.nowNs());
        }
        flow.onHeard(clock.nowNs());
        flow.grant();
        flow.onAcknowledged(false);
        return flow;
    }

    /** Handles CLOSE: forgets the flow if nothing of it is missing; on the loop that owns it. */
    void onClose(final FlowContext context, final FrameHeaderFlyweight close, final long key) {
        final ReceiveFlow flow = table.receiveFlows().get(key);
        if (flow != null && flow.isOf(close)) {
            flow.onHeard(clock.nowNs());
            if (flow.array.next() != close.sequence()
                    || !flow.isCookieExpired(flowCookies.lifetimeNs(), clock.nowNs())) {
                counters.increment(CounterType.FLOW_STALE_FRAMES);
                return;
            }
            finish(flow);
        }
        control.sendClosed(context, close);
    }

    /** Forgets a flow that its source does not use; on the loop that owns the context. */
    void finish(final ReceiveFlow flow) {
        counters.increment(CounterType.FLOW_FORGOTTEN_EVENTS);
        flow.context.remove(flow);
        end(flow);
    }

    /** Handles PROBE of a flow; on the loop that owns it. */
    void onProbe(final ReceiveFlow flow, final FrameHeaderFlyweight probe) {
        flow.onHeard(clock.nowNs());
        if (flow.pendingAck.onAskedAgain()) {
            routes.onAskedAgain(flow.peerCoordinates, probe.route());
        }
        final int unused = flow.window.unusedFrames(probe.sequence());
        // Stored frames have used window, whatever the source claims.
        final boolean isReturn =
                probe.windowFrames() == 0
                        && flow.array.next() == probe.sequence()
                        && unused > 0
                        && flow.array.isEmpty();
        if (isReturn) {
            flow.takeBack(unused);
            serveCreditLine(flow.context.credit);
        } else {
            answerAgain(flow);
        }
    }

    /** An answer to the source could not reach it: it gets another one. */
    void answerAgain(final ReceiveFlow flow) {
        flow.pendingAck.makeDue();
        acks.schedule(flow, clock.nowNs());
    }

    /** Ends all receiving flows of a context that is closed already, and remembers them. */
    void forget(final FlowContext context) {
        for (int index = context.receiveFlowCount() - 1; index >= 0; index--) {
            staleFrameReplies.leaveTombstone(context.receiveFlow(index));
            end(context.receiveFlow(index));
        }
    }

    /**
     * Asks silent sources for the window they do not use, if others wait for it, and gives up
     * sources that remain silent.
     *
     * @param isNodeShort true if other contexts wait for what this one has borrowed.
     */
    void recall(final FlowContext context, final boolean isNodeShort) {
        final boolean isWanted =
                context.credit.isShort() || (isNodeShort && context.credit.isBorrower());
        int recalls = isWanted ? RECALLS_AT_ONCE : 0;
        // From the end, because a flow that is given up is removed.
        for (int index = context.receiveFlowCount() - 1; index >= 0; index--) {
            final ReceiveFlow flow = context.receiveFlow(index);
            final long silenceNs = flow.silentNs(clock.nowNs());
            if (silenceNs >= 2 * config.peerTimeoutNs() && isStuck(flow)) {
                giveUp(flow);
            } else if (recalls > 0
                    && silenceNs >= CreditRecallTimer.RECALL_NS
                    && flow.mayRecall(clock.nowNs())
                    && flow.unusedFrames() > 0) {
                recall(flow);
                recalls--;
            }
        }
        serveCreditLine(context.credit);
    }

    /** A source that does not answer loses its window; frames that it sends later are not kept. */
    private void recall(final ReceiveFlow flow) {
        if (flow.unansweredNs(clock.nowNs()) < 2 * config.peerTimeoutNs()) {
            flow.onRecalled(clock.nowNs());
            control.sendAck(flow, ControlWriter.WINDOW);
        } else if (flow.array.isEmpty()) {
            flow.takeBack(flow.unusedFrames());
        }
    }

    /**
     * Checks whether a flow is in use. A source that no longer uses it closes it; if that could not
     * be heard, the flow is forgotten when the source would have given up. Under pressure the
     * source is asked to close it.
     *
     * @param idleNs time without use after which a flow may go.
     */
    void visit(final ReceiveFlow flow, final long idleNs) {
        final long nowNs = clock.nowNs();
        final long silenceNs = flow.silentNs(nowNs);
        final long goneNs = 2 * config.peerTimeoutNs();
        if (silenceNs < idleNs || !flow.array.isEmpty()) {
            return;
        }
        if (silenceNs >= config.idleTimeoutNs() + goneNs || flow.isUnresponsive(nowNs)) {
            finish(flow);
        } else if (idleNs < config.idleTimeoutNs()
                && flow.isCookieExpired(flowCookies.lifetimeNs(), nowNs)
                && flow.mayAsk(nowNs)
                && control.sendAck(flow, ControlWriter.FLOW)) {
            flow.onAsked(goneNs / ReceiveFlow.MAX_ASKS, nowNs);
            counters.increment(CounterType.FLOW_RECALLED_EVENTS);
        }
    }

    /** True if frames wait for an earlier one, which the source has not sent. */
    private static boolean isStuck(final ReceiveFlow flow) {
        return !flow.array.isEmpty() && flow.array.held(flow.array.next()) % 2 == 0;
    }

    private void giveUp(final ReceiveFlow flow) {
        counters.increment(CounterType.FLOW_PEER_UNREACHABLE_EVENTS);
        final FlowContext context = flow.context;
        counters.events()
                .record(
                        RecordedEvent.PEER_UNREACHABLE,
                        clock.nowNs(),
                        context.id,
                        flow.peerContext,
                        flow.peerNode);
        context.remove(flow);
        end(flow);
        listener.onPeerStatus(
                context.id, flow.peerNode, flow.peerContext, PmStatus.PEER_UNREACHABLE);
    }

    private void serveCreditLine(final ContextCredit credit) {
        // Each once: one that gets nothing, because what is left is kept for others, waits again.
        for (int left = credit.waiting(); left > 0; left--) {
            final ReceiveFlow waiting = credit.pollLine();
            if (waiting == null) {
                return;
            }
            if (!waiting.array.isEnded()) {
                acks.schedule(waiting, clock.nowNs());
            }
        }
    }

    private boolean store(
            final ReceiveFlow flow, final int sequence, final int bufferId, final boolean isNow) {
        // Read before it is stored: other loops may hand it over, and its buffer hold another
        // frame.
        final int weight =
                FlowSizes.weight(FrameHeaderFlyweight.bodyLength(pool.headerAddress(bufferId)));
        final int result =
                flow.window.isOpenFor(sequence)
                        ? flow.array.store(sequence, bufferId)
                        : OrderingArray.OUTSIDE;
        if (result == OrderingArray.STORED) {
            flow.array.drain(this, flow);
            final boolean isInOrder = Sequence.isBefore(sequence, flow.array.next());
            if (!isInOrder) {
                counters.increment(CounterType.FLOW_REORDERED_FRAMES);
            }
            final long marks =
                    (isNow ? ArrivalSummary.NOW : 0)
                            | (isInOrder ? 0 : ArrivalSummary.OUT_OF_ORDER);
            flow.arrivalSummary.add(
                    isInOrder ? weight : Math.max(weight, OUT_OF_ORDER_WEIGHT), marks);
        } else {
            if (result == OrderingArray.DUPLICATE) {
                counters.increment(CounterType.FLOW_DUPLICATE_FRAMES);
                flow.arrivalSummary.addAgain(sequence);
            } else {
                counters.increment(CounterType.FLOW_OUTSIDE_WINDOW_FRAMES);
                flow.arrivalSummary.add(1, ArrivalSummary.NOW | ArrivalSummary.AGAIN);
            }
        }
        flow.context.inbox.post(flow, inbox);
        return result == OrderingArray.STORED;
    }

    private void onPiggyback(final long key) {
        final SendFlow sending = table.sendFlows().get(key);
        if (sending != null) {
            sending.mailbox.post(
                    header.acknowledgement(), header.windowFrames(), header.acknowledgedEpoch());
            sending.context.inbox.post(sending, inbox);
        }
    }

    private boolean offer(final ReceiveFlow flow, final int bufferId) {
        delivered.wrap(pool.headerAddress(bufferId));
        // Read before the frame is handed over, because its buffer may soon hold another frame.
        final int bodyLengthBytes = delivered.bodyLength();
        final int messageCount = delivered.messageCount();
        final int answer = handOver(flow, bufferId, bodyLengthBytes, messageCount);
        if (answer == FlowListener.FULL) {
            counters.increment(CounterType.FLOW_DELIVERY_REFUSED_EVENTS);
            return false;
        }
        counters.increment(CounterType.FLOW_DELIVERED_FRAMES);
        counters.add(CounterType.FLOW_DELIVERED_MESSAGES, messageCount);
        counters.add(CounterType.FLOW_DELIVERED_BYTES, bodyLengthBytes);
        flow.delivered.add(messageCount, bodyLengthBytes);
        if (answer == FlowListener.COPIED) {
            share.release(bufferId);
        }
        return true;
    }

    // Whatever goes wrong in the context, the ordering array stays as it is, and its loop goes on.
    private int handOver(
            final ReceiveFlow flow,
            final int bufferId,
            final int bodyLengthBytes,
            final int messageCount) {
        try {
            return listener.onFrame(
                    flow.ends, bufferId, delivered.bodyAddress(), bodyLengthBytes, messageCount);
        } catch (final RuntimeException | Error e) {
            LoopErrors.INSTANCE.onError(e);
            return FlowListener.FULL;
        }
    }

    private void replace(final ReceiveFlow known, final int newIncarnation) {
        final FlowContext context = known.context;
        final boolean isRestart = known.peerIncarnation() != newIncarnation;
        final boolean hadBegun = known.hasArrivals();
        context.remove(known);
        end(known);
        if (isRestart) {
            counters.increment(CounterType.FLOW_PEER_RESTARTED_EVENTS);
        }
        // Without arrivals it was possibly meant for an earlier incarnation of this node: nobody
        // misses anything.
        if (isRestart ? !known.isRestartNotified() : hadBegun) {
            listener.onPeerStatus(
                    context.id,
                    known.peerNode,
                    known.peerContext,
                    isRestart ? PmStatus.PEER_RESTARTED : PmStatus.PEER_UNREACHABLE);
        }
    }

    private void end(final ReceiveFlow flow) {
        table.receiveFlows().remove(flow);
        flow.part();
        flow.array.end();
        flow.array.drain(this, flow);
    }

    /** When nobody delivers any more: takes back what was announced and never arrived. */
    private void settle(final ReceiveFlow flow) {
        if (flow.settle() && flow.context.isOpen()) {
            serveCreditLine(flow.context.credit);
        }
        freeIfDone(flow);
    }

    private void freeIfDone(final ReceiveFlow flow) {
        if (flow.isSettled() && !flow.hasHeldFrames() && table.freeHandle(flow)) {
            flow.context.onHandleFreed();
        }
    }
}
