package io.hxb.flow;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.route.RouteTable;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.MissingFlyweight;
import io.hxb.frame.TenantField;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.LoopClock;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.pm.shm.DirectPage;
import io.hxb.recorder.RecordedEvent;
import io.hxb.topology.Shape;

/**
 * What becomes of the frames sent: acknowledged by their peers, stranded on a link or a route that
 * fails, or given up with their flow. Owned by one loop.
 */
final class SendFeedback {
    /** How long messages wait for a window before that is recorded. */
    private static final long LONG_STALL_NS = 100_000_000L;

    private final FlowTable table;
    private final RouteTable routes;
    private final ControlWriter control;
    private final Transmitter transmitter;
    private final FlowTimers timers;
    private final SendQueue queue;
    private final CounterBlock counters;
    private final LoopClock clock;

    SendFeedback(
            final LoopParts parts,
            final Transmitter transmitter,
            final FlowTimers timers,
            final SendQueue queue) {
        table = parts.table();
        routes = parts.routes();
        control = parts.control();
        counters = parts.counters();
        clock = parts.clock();
        this.transmitter = transmitter;
        this.timers = timers;
        this.queue = queue;
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
        final SendWindow window = flow.window;
        if (!window.isPlausible(acknowledgement)) {
            counters.increment(CounterType.FLOW_OUTSIDE_WINDOW_FRAMES);
            return;
        }
        final long nowNs = clock.nowNs();
        counters.increment(CounterType.FLOW_RECEIVED_ACKS_FRAMES);
        flow.contact.onHeard(nowNs);
        if (flow.contact.denial().onHeard()) {
            routes.refuse();
        }
        final int before = window.inFlight();
        if (window.isConfirmed(acknowledgement)) {
            flow.ackContradiction.onAgreement();
        }
        for (int sequence = window.firstSequence(); sequence - acknowledgement < 0; sequence++) {
            acknowledge(flow, sequence, nowNs);
        }
        window.onDelivered(acknowledgement);
        for (int first = 0; first < bitCount; first += Long.SIZE) {
            long bits = Memory.getLong(bitmapAddress + (first >> 3));
            while (bits != 0) {
                final int bit = first + Long.numberOfTrailingZeros(bits);
                acknowledge(flow, acknowledgement + bit, nowNs);
                bits &= bits - 1;
            }
        }
        window.advance();
        if (window.inFlight() != before) {
            flow.rttEstimator.onProgress();
            window.onProgress(nowNs);
            window.detectLost(nowNs);
        }
        onWindow(flow, acknowledgement + windowFrames);
        if (!flow.isBusy()) {
            flow.contact.onNothingOutstanding();
        }
        if (window.lost() > 0 || !flow.backlog.isEmpty()) {
            queue.makeReady(flow);
        } else {
            timers.arm(flow, nowNs);
        }
    }

    /**
     * The receiver answers with an acknowledgement of its own. If it contradicts for long what was
     * acknowledged, the flow ends and begins again: otherwise both ends would wait for ever.
     *
     * @param bitmapAddress as that of {@link #onAck}.
     * @return false if the flow has ended.
     */
    boolean isGoingOn(
            final SendFlow flow,
            final int acknowledgement,
            final long bitmapAddress,
            final int bitCount) {
        if (!flow.window.isContradicted(acknowledgement, bitmapAddress, bitCount)) {
            flow.ackContradiction.onAgreement();
            return true;
        }
        final long retryNs = flow.rttEstimator.retryNs(0);
        if (!flow.isBusy() || !flow.ackContradiction.onContradiction(clock.nowNs(), retryNs)) {
            return true;
        }
        counters.increment(CounterType.FLOW_CONTRADICTED_EVENTS);
        end(flow, PmStatus.PEER_UNREACHABLE);
        return false;
    }

    /**
     * A frame has arrived that had arrived before. If it was sent again, that was unnecessary: the
     * frame itself had only been late.
     */
    void onArrivedAgain(final SendFlow flow, final int sequence) {
        if (flow.window.wasResent(sequence)) {
            flow.rttEstimator.onSpuriousRetransmit(clock.nowNs());
        }
    }

    /** The receiver has a long frame of which ranges are missing: they are sent again. */
    void onMissing(final SendFlow flow, final int sequence, final MissingFlyweight missing) {
        transmitter.resend(flow, sequence, missing);
    }

    /** The receiver takes data now; {@code accept} is of the flow's epoch. */
    void onAccept(final SendFlow flow, final FrameHeaderFlyweight accept) {
        if (!flow.isOpening() || accept.epoch() != flow.nonce()) {
            counters.increment(CounterType.FLOW_STALE_FRAMES);
            return;
        }
        // The peer's node may have another cluster file, or one without tenants.
        if (!flow.context.rights.maySendTo(
                TenantField.ofAccept(accept), flow.peerNode, flow.peerContext)) {
            counters.increment(CounterType.FLOW_NOT_ALLOWED_EVENTS);
            end(flow, PmStatus.NOT_ALLOWED);
            return;
        }
        if (flow.isPeerCloseRefuted(accept.sourceIncarnation())) {
            counters.increment(CounterType.FLOW_STALE_FRAMES);
            endStaged(flow, PmStatus.PEER_RESTARTED);
            onSendsFailed(flow, PmStatus.PEER_RESTARTED);
        }
        final PersistTimer persistTimer = flow.persistTimer;
        if (routes.wantsArrivals()) {
            routes.onArrived(
                    flow.peerCoordinates, persistTimer.openRoute(), persistTimer.openSentNs());
        }
        flow.onAccept(
                accept.sourceIncarnation(),
                accept.acknowledgement(),
                accept.windowFrames(),
                clock.nowNs());
        queue.makeReady(flow);
    }

    /**
     * The receiver has few flows left: closes this one if it can, otherwise shows that it is in
     * use.
     */
    void onAskedToClose(final SendFlow flow) {
        closeIfIdle(flow, 0);
        if (flow.isOpen()) {
            control.sendProbe(flow, 1);
        }
    }

    /**
     * Closes a flow on which nothing was to be sent for {@code idleNs}, if the peer can forget it
     * already.
     */
    void closeIfIdle(final SendFlow flow, final long idleNs) {
        final long nowNs = clock.nowNs();
        if (flow.backlog.isEmpty() && flow.mayClose(table.cookies().lifetimeNs(), idleNs, nowNs)) {
            flow.close(nowNs);
            queue.makeReady(flow);
        }
    }

    /** The receiver has forgotten the flow; {@code closed} is of the flow's epoch. */
    void onClosed(final SendFlow flow, final FrameHeaderFlyweight closed) {
        if (flow.isClosing()
                && closed.sourceIncarnation() == flow.peerIncarnation()
                && closed.sequence() == flow.window.nextSequence()) {
            closed(flow);
        } else {
            counters.increment(CounterType.FLOW_STALE_FRAMES);
        }
    }

    /** The flow, which is closing, is closed: what waits opens it again. */
    void closed(final SendFlow flow) {
        flow.end();
        flow.restart();
        timers.remove(flow);
        if (flow.backlog.isEmpty()) {
            forget(flow);
        } else {
            queue.makeReady(flow);
        }
    }

    /** Forgets a flow that is closed and has nothing to send. */
    void forget(final SendFlow flow) {
        assert flow.isClosed() && !flow.isBusy() : "the flow is in use";
        counters.increment(CounterType.FLOW_FORGOTTEN_EVENTS);
        table.sendFlows().remove(flow);
        flow.context.remove(flow);
        flow.part();
    }

    /**
     * A node reports that a frame of the flow cannot be delivered. Only the peer's node ends the
     * flow; the word of a relay without a route is not a sign of life of the peer either.
     *
     * @param type of the frame, which was sent and not acknowledged.
     * @param peerIncarnation of the context that is there instead.
     */
    void onUnreachable(
            final SendFlow flow, final int reason, final int type, final int peerIncarnation) {
        final boolean isRestarted =
                reason == UnreachableFlyweight.STALE_INCARNATION
                        && flow.peerIncarnation() != peerIncarnation;
        if (flow.isOpening()) {
            onNotOpened(flow, reason);
        } else if (flow.isClosing()) {
            // Everything was delivered, so nobody misses anything.
            if (isRestarted || reason == UnreachableFlyweight.NO_SUCH_CONTEXT) {
                closed(flow);
            }
        } else if (reason == UnreachableFlyweight.NO_SUCH_CONTEXT) {
            doubt(flow, PmStatus.NO_SUCH_CONTEXT, type);
        } else if (reason == UnreachableFlyweight.NO_FLOWS) {
            doubt(flow, PmStatus.PEER_FULL, type);
        } else if (isRestarted) {
            doubt(flow, PmStatus.PEER_RESTARTED, type);
        }
    }

    private void onNotOpened(final SendFlow flow, final int reason) {
        if (reason == UnreachableFlyweight.NO_SUCH_CONTEXT) {
            if (!waitForPeer(flow)) {
                counters.increment(CounterType.FLOW_NO_SUCH_CONTEXT_EVENTS);
                end(flow, PmStatus.NO_SUCH_CONTEXT);
            }
        } else if (reason == UnreachableFlyweight.NO_FLOWS) {
            end(flow, PmStatus.PEER_FULL);
        } else if (reason == UnreachableFlyweight.NOT_ALLOWED) {
            counters.increment(CounterType.FLOW_NOT_ALLOWED_EVENTS);
            end(flow, PmStatus.NOT_ALLOWED);
        }
    }

    /**
     * The context at the other end is closed, and this is what it had of the flow.
     *
     * @param type of the frame that is answered, 0 for none.
     */
    void onEnded(final SendFlow flow, final ClosedFlowRecord closedFlowRecord, final int type) {
        final int status =
                closedFlowRecord.isOpenAgain() ? PmStatus.PEER_RESTARTED : PmStatus.NO_SUCH_CONTEXT;
        if (!flow.isClosing()) {
            doubt(flow, status, closedFlowRecord, type);
            return;
        }
        final FlowContext context = flow.context;
        final int node = flow.peerNode;
        final int peerContext = flow.peerContext;
        closed(flow);
        if (closedFlowRecord.hasLost()) {
            table.listener().onPeerStatus(context.id, node, peerContext, status);
        }
    }

    /** Another incarnation of the peer was heard: asks the one that the flow leads to. */
    void onOtherIncarnation(final SendFlow flow) {
        doubt(flow, PmStatus.PEER_RESTARTED, FrameType.OPEN);
    }

    private void doubt(final SendFlow flow, final int status, final int type) {
        doubt(flow, status, null, type);
    }

    private void doubt(
            final SendFlow flow,
            final int status,
            final ClosedFlowRecord closedFlowRecord,
            final int type) {
        final long nowNs = clock.nowNs();
        final long untilNs = nowNs + flow.rttEstimator.timeoutNs();
        final boolean isOfProbe = type == FrameType.PROBE;
        if (flow.contact.denial().onDenied(status, closedFlowRecord, isOfProbe, untilNs)) {
            control.sendProbe(flow, flow.backlog.messageCount());
            timers.arm(flow, nowNs);
        }
    }

    /**
     * The peer of an open flow is gone: its node has confirmed it, and the peer itself was not
     * heard.
     */
    void onDenied(final SendFlow flow, final int status) {
        if (status == PmStatus.PEER_RESTARTED) {
            counters.increment(CounterType.FLOW_PEER_RESTARTED_EVENTS);
        } else if (status == PmStatus.NO_SUCH_CONTEXT) {
            counters.increment(CounterType.FLOW_NO_SUCH_CONTEXT_EVENTS);
        }
        end(flow, status, flow.contact.denial().lastWord());
    }

    private boolean waitForPeer(final SendFlow flow) {
        final long nowNs = clock.nowNs();
        final boolean isWaiting = flow.waitForPeer(nowNs);
        if (isWaiting) {
            timers.arm(flow, nowNs);
        }
        return isWaiting;
    }

    /**
     * A relay has no route for what the flow sends: it takes another route now.
     *
     * @param type of the frame that the relay reports.
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
            flow.persistTimer.retryAt(clock.nowNs());
        } else if (flow.window.markBehind(sequence, route, relay) > 0) {
            flow.window.repeatAt(clock.nowNs());
        }
        queue.makeReady(flow);
        timers.arm(flow, clock.nowNs());
    }

    /**
     * A link has failed: frames of the flows of {@code context} that were sent over it to a
     * neighbour are sent over other links immediately.
     *
     * @return frames that will be sent again.
     */
    int onLinkFailed(
            final FlowContext context, final int link, final int dimension, final int neighbour) {
        int frames = 0;
        for (int index = context.sendFlowCount() - 1; index >= 0; index--) {
            final SendFlow flow = context.sendFlow(index);
            final boolean isVia = Shape.coordinate(flow.peerCoordinates, dimension) == neighbour;
            final int stranded = isVia && flow.isOpen() ? flow.window.strand(link) : 0;
            if (stranded > 0) {
                frames += stranded;
                queue.makeReady(flow);
            }
            if (isVia && flow.isOpen()) {
                // A peer that takes nothing is probed seldom, but the loss of the last path to it
                // has to be noticed as soon as for others.
                flow.persistTimer.onPathChanged(clock.nowNs());
                timers.arm(flow, clock.nowNs());
            }
        }
        return frames;
    }

    /**
     * Ends the flow: everything unacknowledged is done with {@code status}. The next message starts
     * it again with the next epoch.
     */
    void end(final SendFlow flow, final int status) {
        end(flow, status, null);
    }

    /**
     * Ends the flow. What the peer had released is done with {@code PmStatus.OK}, what it had not
     * with {@code status}. What it never saw, and what was not sent, goes to its next incarnation,
     * unless it was sent when there was none. Where the peer had taken nothing more before, that
     * waits at most {@link SendFlow#MAX_REOPEN_WAIT_NS} for it, so that its buffers are free again.
     *
     * @param closedFlowRecord of the peer, null if it is not known: then nothing counts as
     *     released, and all may have been seen.
     */
    private void end(
            final SendFlow flow, final int status, final ClosedFlowRecord closedFlowRecord) {
        final FlowContext context = flow.context;
        final boolean isStuck = flow.persistTimer.isProbing();
        final boolean isMoving =
                closedFlowRecord != null
                        && !hasBegin(flow)
                        && context.isOpen()
                        && ContextKind.of(context.id) == ContextKind.MESSAGES;
        flow.end();
        int failed = endFrames(flow, status, closedFlowRecord, isMoving);
        if (!isMoving) {
            failed += endStaged(flow, status);
        }
        flow.restart();
        timers.remove(flow);
        if (!context.isOpen()) {
            flow.backlog.takeMessages();
            return;
        }
        if (!isMoving) {
            failed += endMessages(flow, status);
        } else if (!flow.backlog.isEmpty()) {
            if (isStuck && !closedFlowRecord.isOpenAgain()) {
                flow.awaitReopening();
            }
            queue.makeReady(flow);
        }
        if (failed > 0) {
            onSendsFailed(flow, status);
        } else if (closedFlowRecord == null
                || closedFlowRecord.hasLost()
                || closedFlowRecord.isOpenAgain()) {
            onRestartNotified(flow, status);
            table.listener().onPeerStatus(context.id, flow.peerNode, flow.peerContext, status);
        }
    }

    /**
     * True if a message is under way by which a context begins to send to another one of its node
     * without the node: that is meant for one incarnation only.
     */
    private boolean hasBegin(final SendFlow flow) {
        if (flow.peerCoordinates != table.ownCoordinates()) {
            return false;
        }
        final SendWindow window = flow.window;
        boolean isBegin = false;
        for (int sequence = window.firstSequence(); sequence != window.nextSequence(); sequence++) {
            final TxFrame frame = window.frame(sequence);
            isBegin |=
                    frame != null
                            && !frame.isRun()
                            && hasBegin(flow, frame.firstSlot(), frame.messageCount());
        }
        final SendBacklog backlog = flow.backlog;
        final int waiting = backlog.messageCount();
        return isBegin || (backlog.hasMessages() && hasBegin(flow, backlog.firstSlot(), waiting));
    }

    private static boolean hasBegin(final SendFlow flow, final int firstSlot, final int count) {
        final MessageSlots slots = flow.context.slots;
        boolean isBegin = false;
        int slot = firstSlot;
        for (int left = count; left > 0 && slot != MessageSlots.NONE; left--) {
            isBegin |=
                    slots.tag(slot) == DirectPage.BEGIN_TAG
                            && slots.lengthBytes(slot) == DirectPage.BEGIN_BYTES;
            slot = slots.next(slot);
        }
        return isBegin;
    }

    private void onSendsFailed(final SendFlow flow, final int status) {
        onRestartNotified(flow, status);
        table.listener().onSendsFailed(flow.context.id, flow.peerNode, flow.peerContext, status);
    }

    private static void onRestartNotified(final SendFlow flow, final int status) {
        if (status == PmStatus.PEER_RESTARTED && flow.opposite() != null) {
            flow.opposite().onRestartNotified();
        }
    }

    /** Ends the frames in flight, or keeps those that are to be sent again; returns failures. */
    private int endFrames(
            final SendFlow flow,
            final int status,
            final ClosedFlowRecord closedFlowRecord,
            final boolean isMoving) {
        final SendWindow window = flow.window;
        final WaitQueue<TxFrame> moved = new WaitQueue<>();
        int movedMessages = 0;
        int failed = 0;
        for (int sequence = window.firstSequence(); sequence != window.nextSequence(); sequence++) {
            final TxFrame frame = window.takeOut(sequence);
            if (frame == null) {
                continue;
            }
            final int count = frame.messageCount();
            if (isMoving && closedFlowRecord.isForNext(sequence)) {
                frame.renew();
                moved.add(frame.stagedPlace);
                movedMessages += count;
            } else {
                final int released =
                        closedFlowRecord == null ? 0 : closedFlowRecord.released(sequence, count);
                failed += count - released;
                transmitter.finish(frame, status, released);
            }
        }
        if (movedMessages > 0) {
            flow.onFramesMoved();
        }
        flow.backlog.putBack(moved, movedMessages);
        return failed;
    }

    private int endStaged(final SendFlow flow, final int status) {
        int failed = 0;
        TxFrame staged = flow.backlog.pollStaged();
        while (staged != null) {
            failed += staged.messageCount();
            transmitter.finish(staged, status);
            staged = flow.backlog.pollStaged();
        }
        return failed;
    }

    private int endMessages(final SendFlow flow, final int status) {
        final FlowContext context = flow.context;
        int failed = 0;
        for (int slot = flow.backlog.takeMessages(); slot != MessageSlots.NONE; failed++) {
            final int following = context.slots.next(slot);
            table.listener().onSendDone(context.id, slot, status);
            slot = following;
        }
        return failed;
    }

    /** Forgets all sends of a context that is closed already. */
    void forget(final FlowContext context) {
        for (int index = context.sendFlowCount() - 1; index >= 0; index--) {
            final SendFlow flow = context.sendFlow(index);
            table.sendFlows().remove(flow);
            end(flow, PmStatus.CONTEXT_CLOSED);
        }
    }

    private void acknowledge(final SendFlow flow, final int sequence, final long nowNs) {
        if (!flow.window.isInFlight(sequence)) {
            return;
        }
        final TxFrame frame = flow.window.frame(sequence);
        if (frame != null) {
            if (routes.wantsArrivals() && frame.attempts() == 1) {
                final long route = FrameHeaderFlyweight.routeAt(frame.headerAddress());
                routes.onArrived(flow.peerCoordinates, route, frame.sentNs());
            }
            flow.window.onArrived(frame, nowNs, counters);
            transmitter.finish(frame, PmStatus.OK);
        }
    }

    private void onWindow(final SendFlow flow, final int limit) {
        final long nowNs = clock.nowNs();
        final long stalledNs = flow.window.stalledNs(nowNs);
        if (flow.window.raise(limit)) {
            flow.persistTimer.onWindow();
            if (stalledNs >= LONG_STALL_NS) {
                counters.events()
                        .record(
                                RecordedEvent.WINDOW_STALLED,
                                nowNs,
                                flow.context.id,
                                flow.peerContext,
                                flow.peerNode,
                                stalledNs);
            }
        } else if (flow.backlog.isEmpty() && flow.window.giveBack(limit)) {
            control.sendProbe(flow, 0);
        }
    }
}
