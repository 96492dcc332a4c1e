package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.route.RouteTable;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MissingFlyweight;
import io.hxb.link.FrameOwner;
import io.hxb.link.LoopClock;
import io.hxb.link.OutgoingFrame;
import io.hxb.pm.PmStatus;

/**
 * Gives flows their turns and hands their frames to the output, for the first time or again. Owned
 * by one loop.
 *
 * <p>A turn is of a bounded number of frames, of which long ones count as several ({@link
 * FlowSizes#weight}); a flow that cannot go on (no window, its links blocked) leaves the line, so
 * it holds up nobody else.
 */
final class Transmitter implements FrameOwner {
    private static final int FRAMES_A_TURN = 32;
    private static final int FRAMES_A_ROUND = 256;
    private static final int ROUNDS = 4;

    private final FlowListener listener;
    private final FlowConfig config;
    private final FlowCookies flowCookies;
    private final long ticketNs;
    private final FlowOutput output;
    private final RouteTable routes;
    private final TxPool pool;
    private final ControlWriter control;
    private final FlowTimers timers;
    private final SendQueue queue;
    private final FrameBuilder builder;
    private final CounterBlock counters;
    private final LoopClock clock;

    /** How the last turn ended: done, more to do, or held up by the output or the pool. */
    private boolean hasMore;

    private boolean isHeldUp;
    private boolean isWithoutRoute;

    /** Bytes of the frames that it has sent. */
    private long turnBytes;

    Transmitter(
            final LoopParts parts,
            final FlowTimers timers,
            final SendQueue queue,
            final FrameBuilder builder) {
        listener = parts.table().listener();
        config = parts.config();
        flowCookies = parts.table().cookies();
        ticketNs = flowCookies.lifetimeNs();
        output = parts.output();
        routes = parts.routes();
        pool = parts.pool();
        control = parts.control();
        counters = parts.counters();
        clock = parts.clock();
        this.timers = timers;
        this.queue = queue;
        this.builder = builder;
    }

    @Override
    public void release(final long token) {
        final TxFrame frame = pool.frame((int) token);
        frame.flow().context.onUnqueued();
        if (frame.onReleased(clock.nowNs())) {
            complete(frame);
        }
    }

    /** Sends what may go; returns frames sent. */
    int sendReady() {
        queue.begin();
        queue.retryBlockedWhenDue(clock.nowNs());
        int frames = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final int sent = sendRound();
            frames += sent;
            if (sent > 0) {
                output.flush();
            }
            if (sent == 0 || !queue.hasBlocked()) {
                break;
            }
            queue.retryBlocked();
        }
        queue.setRetry(clock.nowNs());
        return frames;
    }

    private int sendRound() {
        final long nowNs = clock.nowNs();
        int frames = 0;
        for (int turns = queue.readyCount(); turns > 0 && frames < FRAMES_A_ROUND; turns--) {
            if (queue.awaitsPackets()) {
                break;
            }
            final SendFlow flow = queue.poll();
            if (!flow.context.isOpen()) {
                continue;
            }
            hasMore = false;
            isHeldUp = false;
            isWithoutRoute = false;
            turnBytes = 0;
            final int turnFrames = flow.beginTurn(turnFrames());
            final int sent = turn(flow, turnFrames, nowNs);
            frames += sent;
            queue.onSent(flow, turnBytes);
            flow.endTurn(isHeldUp ? turnFrames - sent : 0);
            if (isWithoutRoute) {
                flow.contact.onNoRoute(nowNs);
            } else if (isHeldUp) {
                queue.block(flow);
            } else if (hasMore) {
                queue.makeReady(flow);
            }
            timers.arm(flow, nowNs);
        }
        return frames;
    }

    private int turn(final SendFlow flow, final int maxFrames, final long nowNs) {
        if (flow.isBusy()) {
            flow.contact.onOutstanding(nowNs);
        }
        final SendWindow window = flow.window;
        if (window.inFlight() == 0 && flow.mayClose(ticketNs, config.idleTimeoutNs(), nowNs)) {
            // The receiver may have forgotten the flow.
            flow.close(nowNs);
        }
        if (!flow.isOpen()) {
            ask(flow, nowNs);
            return 0;
        }
        final int lost = window.lost() > 0 ? sendLost(flow, nowNs) : 0;
        final int restFrames = maxFrames - lost;
        if (!flow.isNextToUs || flow.backlog.isEmpty()) {
            return lost + sendNew(flow, restFrames, nowNs);
        }
        output.announceBulk(builder.waitingBytes(flow, restFrames));
        final int sent = sendNew(flow, restFrames, nowNs);
        output.announceBulk(0);
        return lost + sent;
    }

    // While no other flow waits its turn is a whole round: trains are as long as what is sent at
    // once.
    private int turnFrames() {
        return queue.isAlone() ? FRAMES_A_ROUND : FRAMES_A_TURN;
    }

    private int sendNew(final SendFlow flow, final int maxFrames, final long nowNs) {
        final SendWindow window = flow.window;
        int frames = 0;
        while (!isHeldUp && !flow.backlog.isEmpty()) {
            if (!window.hasRoom()) {
                if (window.stall(nowNs)) {
                    counters.increment(CounterType.FLOW_WINDOW_STALLS_EVENTS);
                }
                break;
            }
            hasMore =
                    frames >= maxFrames
                            || (builder.isWorthWaiting(flow) && flow.backlog.holdBack());
            if (hasMore) {
                break;
            }
            final TxFrame first = flow.backlog.firstStaged();
            if (first != null && first.isQueued()) {
                // It was sent to an earlier incarnation, and a link still reads its header.
                isHeldUp = true;
                break;
            }
            final TxFrame frame = builder.next(flow, nowNs);
            if (frame == null) {
                counters.increment(CounterType.FLOW_NO_MEMORY_EVENTS);
                isHeldUp = true;
                break;
            }
            frames += transmit(flow, frame, nowNs);
        }
        return frames;
    }

    /** Asks the peer to open the flow or to forget it. */
    private void ask(final SendFlow flow, final long nowNs) {
        if (flow.isClosed()) {
            if (flow.backlog.isEmpty()) {
                return;
            }
            flow.begin(flowCookies.nonce(flow, nowNs), nowNs);
        }
        final PersistTimer persistTimer = flow.persistTimer;
        if (!persistTimer.isDue(nowNs)) {
            return;
        }
        if (persistTimer.isRepeated()
                && routes.onLost(flow.peerCoordinates, persistTimer.openRoute())) {
            persistTimer.onNewRoute();
        }
        final boolean isSent =
                flow.isClosing()
                        ? control.sendClose(flow)
                        : control.sendOpen(flow, persistTimer.isRepeated());
        isWithoutRoute = control.hadNoRoute();
        if (isWithoutRoute) {
            return;
        }
        persistTimer.onOpen(control.lastRoute(), nowNs);
        if (isSent) {
            persistTimer.onSent(nowNs);
        } else {
            persistTimer.retryAt(nowNs + config.minRetransmitNs());
        }
    }

    private int sendLost(final SendFlow flow, final long nowNs) {
        final SendWindow window = flow.window;
        final boolean mayRepeat = window.mayRepeat(nowNs);
        int frames = 0;
        int repeated = 0;
        for (int sequence = window.firstSequence();
                sequence != window.nextSequence() && window.lost() > 0 && !isHeldUp;
                sequence++) {
            final TxFrame frame = window.frame(sequence);
            if (frame == null || !frame.isLost() || frame.isQueued()) {
                continue;
            }
            if (frame.attempts() > 0 && !frame.isStranded()) {
                if (!mayRepeat || repeated >= SendFlow.MAX_RESEND_FRAMES) {
                    continue;
                }
                repeated += FlowSizes.weight(frame.lengthBytes());
            }
            frames += transmit(flow, frame, nowNs);
        }
        if (repeated > 0) {
            window.repeatAt(nowNs + flow.rttEstimator.resendPauseNs());
        }
        return frames;
    }

    /**
     * Sends a frame, or keeps it as lost when the output is blocked; returns what it counts of a
     * turn.
     */
    private int transmit(final SendFlow flow, final TxFrame frame, final long nowNs) {
        builder.writeFlags(flow, frame);
        frame.onQueued();
        flow.context.onQueued();
        final int link = output.send(outgoing(frame));
        if (link < 0) {
            onNotTaken(flow, frame, link);
            return 0;
        }
        if (frame.attempts() == 0) {
            counters.increment(CounterType.FLOW_SENT_FRAMES);
        } else {
            counters.increment(CounterType.FLOW_RESENT_FRAMES);
        }
        turnBytes += FrameHeaderFlyweight.LENGTH + frame.lengthBytes();
        flow.window.onTransmitted(frame, link, nowNs);
        return FlowSizes.weight(frame.lengthBytes());
    }

    /**
     * Sends ranges of a frame again that did not arrive; the whole frame if that cannot be done.
     * Nothing is sent if the frame has arrived, will be sent anyway, or was sent too recently for
     * the receiver to miss anything.
     *
     * @param sequence of the frame.
     * @param missing names the ranges.
     */
    void resend(final SendFlow flow, final int sequence, final MissingFlyweight missing) {
        final long nowNs = clock.nowNs();
        final TxFrame frame = flow.window.isInFlight(sequence) ? flow.window.frame(sequence) : null;
        if (frame == null
                || frame.isLost()
                || frame.isQueued()
                || frame.attempts() == 0
                || nowNs - frame.sentNs() < flow.rttEstimator.smoothedNs() / 2) {
            return;
        }
        int link = FlowOutput.BLOCKED;
        final int takenLink = frame.takenLink();
        for (int i = 0; i < missing.ranges(); i++) {
            frame.onQueued();
            flow.context.onQueued();
            final int taken =
                    output.sendRange(
                            outgoing(frame)
                                    .range(
                                            missing.number(),
                                            missing.offset(i),
                                            missing.lengthBytes(i)),
                            takenLink);
            if (taken < 0) {
                frame.onRefused();
                flow.context.onUnqueued();
                link = link < 0 ? taken : link;
                break;
            }
            link = taken;
        }
        if (link >= 0) {
            counters.increment(CounterType.FLOW_COMPLETED_FRAMES);
            flow.window.onTransmitted(frame, link, nowNs);
        } else if (link == FlowOutput.NO_ROUTE) {
            flow.window.markLost(frame);
            queue.makeReady(flow);
        }
        timers.arm(flow, nowNs);
    }

    private OutgoingFrame outgoing(final TxFrame frame) {
        return output.outgoing()
                .wrap(frame.headerAddress(), frame.headerLengthBytes(), this, frame.index())
                .payload(frame.payloadAddress(), frame.payloadLengthBytes());
    }

    private void onNotTaken(final SendFlow flow, final TxFrame frame, final int answer) {
        frame.onRefused();
        flow.context.onUnqueued();
        control.onNotTaken(answer);
        isWithoutRoute = answer == FlowOutput.NO_ROUTE;
        isHeldUp = true;
        if (!frame.isLost()) {
            flow.window.markLost(frame);
        }
    }

    /** A frame need not be sent again; it is free once no link holds it. */
    void finish(final TxFrame frame, final int status) {
        if (frame.finish(status)) {
            complete(frame);
        }
    }

    /**
     * Of a frame that need not be sent again, {@code okMessages} at its front have arrived, the
     * others are done with {@code status}.
     */
    void finish(final TxFrame frame, final int status, final int okMessages) {
        if (frame.finish(status, okMessages)) {
            complete(frame);
        }
    }

    private void complete(final TxFrame frame) {
        final SendFlow flow = frame.flow();
        final FlowContext context = flow.context;
        final int status = frame.status();
        final int ok = frame.okMessages();
        final boolean isRun = frame.isRun();
        final int first = frame.firstSlot();
        final int count = frame.messageCount();
        if (frame.isShared()) {
            flow.onSharedDone();
        }
        pool.release(frame);
        queue.onMemory();
        if (isRun) {
            completeRun(context, first, ok, PmStatus.OK);
            completeRun(context, first + ok, count - ok, status);
        } else {
            completeSlots(context, first, count, ok, status);
        }
    }

    private void completeRun(
            final FlowContext context, final int first, final int count, final int status) {
        if (count > 0 && context.isOpen()) {
            listener.onRunDone(context.id, first, count, status);
        }
    }

    private void completeSlots(
            final FlowContext context,
            final int first,
            final int count,
            final int ok,
            final int status) {
        int slot = first;
        for (int i = 0; i < count && context.isOpen(); i++) {
            final int following = context.slots.next(slot);
            listener.onSendDone(context.id, slot, i < ok ? PmStatus.OK : status);
            slot = following;
        }
    }
}
