package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.flow.route.RouteTable;
import io.hxb.link.FrameOwner;
import io.hxb.link.TurnClock;

/**
 * Gives flows their turns and hands their frames to the output, for the first time or again. Owned
 * by one loop.
 *
 * <p>A turn is of a bounded number of frames; a flow that cannot go on (no window, its links
 * blocked) leaves the line, so it holds up nobody else.
 */
final class Transmitter implements FrameOwner {
    private static final int FRAMES_A_TURN = 32;
    private static final int FRAMES_A_ROUND = 256;
    private static final int ROUNDS = 4;

    private static final int NEW_ROUTE_RETRIES = 2;

    private final FlowTable table;
    private final FlowConfig config;
    private final FlowOutput output;
    private final RouteTable routes;
    private final TxPool pool;
    private final ControlWriter control;
    private final FlowTimers timers;
    private final SendQueue queue;
    private final FrameBuilder builder;
    private final FlowCounters counters;
    private final TurnClock clock;

    /** How the last turn ended: done, more to do, or held up by the output or the pool. */
    private boolean hasMore;

    private boolean isHeldUp;
    private boolean isWithoutRoute;

    Transmitter(
            final FlowTable table,
            final FlowOutput output,
            final TxPool pool,
            final ControlWriter control,
            final FlowTimers timers,
            final SendQueue queue,
            final FlowCounters counters,
            final TurnClock clock) {
        this.table = table;
        config = table.config();
        this.output = output;
        routes = output.routes();
        this.pool = pool;
        this.control = control;
        this.timers = timers;
        this.queue = queue;
        this.counters = counters;
        this.clock = clock;
        builder = new FrameBuilder(table, pool, counters);
    }

    /** See {@link FlowLoop#stage}. */
    long stage(
            final SendFlow flow,
            final long address,
            final int lengthBytes,
            final int mostMessages,
            final boolean isNewRun) {
        final long staged = builder.stage(flow, address, lengthBytes, mostMessages, isNewRun);
        if (staged > 0) {
            flow.isHeldBack = false;
            queue.makeReady(flow);
        }
        return staged;
    }

    @Override
    public void release(final long token) {
        final TxFrame frame = pool.frame((int) token);
        frame.queued--;
        frame.flow.context.queuedFrames--;
        if (frame.queued > 0) {
            return;
        }
        if (frame.isFinished) {
            complete(frame);
        } else if (clock.nowNs() - frame.sentNs > 0) {
            frame.sentNs = clock.nowNs();
        }
    }

    /** Sends what may go; returns frames sent. */
    int sendReady() {
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
        int frames = 0;
        for (int turns = queue.readyCount(); turns > 0 && frames < FRAMES_A_ROUND; turns--) {
            final SendFlow flow = queue.poll();
            if (!flow.context.isOpen) {
                continue;
            }
            hasMore = false;
            isHeldUp = false;
            isWithoutRoute = false;
            frames += turn(flow);
            if (isWithoutRoute) {
                flow.cutOff.onNoRoute(clock.nowNs());
            } else if (isHeldUp) {
                queue.block(flow);
            } else if (hasMore) {
                queue.makeReady(flow);
            }
            timers.arm(flow, clock.nowNs());
        }
        return frames;
    }

    private int turn(final SendFlow flow) {
        if (!flow.isOutstanding && (flow.hasPending() || flow.inFlight > 0)) {
            flow.isOutstanding = true;
            flow.outstandingSinceNs = clock.nowNs();
        }
        if (flow.state != SendFlow.OPEN) {
            open(flow);
            return 0;
        }
        int frames = flow.lost > 0 ? sendLost(flow) : 0;
        while (!isHeldUp && flow.hasPending()) {
            if (!flow.hasWindow()) {
                stall(flow);
                break;
            }
            if (frames >= FRAMES_A_TURN) {
                hasMore = true;
                break;
            }
            if (!flow.isHeldBack && builder.isWorthWaiting(flow)) {
                flow.isHeldBack = true;
                hasMore = true;
                break;
            }
            final TxFrame frame = builder.next(flow);
            if (frame == null) {
                counters.onNoMemory();
                isHeldUp = true;
                break;
            }
            if (flow.inFlight == 1) {
                flow.progressNs = clock.nowNs();
            }
            frames += transmit(flow, frame);
        }
        return frames;
    }

    private void open(final SendFlow flow) {
        if (flow.state == SendFlow.CLOSED) {
            if (!flow.hasPending()) {
                return;
            }
            flow.resetSequences();
            flow.state = SendFlow.OPENING;
            flow.startTimes(clock.nowNs());
        }
        if (flow.retryNs - clock.nowNs() <= 0) {
            final boolean isRouteSilent =
                    flow.retries > 0 && routes.onLost(flow.peerCoordinates, flow.openRoute);
            if (isRouteSilent) {
                // The next ones go by another route, which is not to blame for this one.
                flow.retries = Math.min(flow.retries, NEW_ROUTE_RETRIES);
            }
            final boolean isSent = control.sendOpen(flow);
            isWithoutRoute = control.hadNoRoute();
            if (isWithoutRoute) {
                return;
            }
            flow.openRoute = control.lastRoute();
            flow.openSentNs = clock.nowNs();
            flow.retryNs =
                    clock.nowNs()
                            + (isSent
                                    ? flow.roundTrip.retryNs(flow.retries++)
                                    : config.minRetransmitNs());
        }
    }

    private void stall(final SendFlow flow) {
        if (!flow.isStalled) {
            flow.isStalled = true;
            counters.onStall();
        }
    }

    private int sendLost(final SendFlow flow) {
        final boolean mayRepeat = flow.resendNs - clock.nowNs() <= 0;
        int frames = 0;
        int repeated = 0;
        for (int sequence = flow.firstSequence;
                sequence != flow.nextSequence && flow.lost > 0 && !isHeldUp;
                sequence++) {
            final TxFrame frame = flow.frame(sequence);
            if (frame == null || !frame.isLost || frame.queued > 0) {
                continue;
            }
            if (frame.attempts > 0 && !frame.isStranded) {
                if (!mayRepeat || repeated == SendFlow.MAX_RESEND_FRAMES) {
                    continue;
                }
                repeated++;
            }
            frames += transmit(flow, frame);
        }
        if (repeated > 0) {
            flow.resendNs = clock.nowNs() + flow.roundTrip.resendPauseNs();
        }
        return frames;
    }

    /** Sends a frame, or keeps it as lost when the output is blocked; returns frames sent. */
    private int transmit(final SendFlow flow, final TxFrame frame) {
        builder.writeFlags(flow, frame);
        frame.queued++;
        flow.context.queuedFrames++;
        final int link =
                output.send(
                        frame.headerAddress,
                        frame.headerLengthBytes,
                        frame.payloadAddress,
                        frame.payloadLengthBytes,
                        this,
                        frame.index);
        if (link < 0) {
            frame.queued--;
            flow.context.queuedFrames--;
            counters.onNotTaken(link);
            isWithoutRoute = link == FlowOutput.NO_ROUTE;
            isHeldUp = true;
            if (!frame.isLost) {
                flow.markLost(frame);
            }
            return 0;
        }
        if (frame.attempts == 0) {
            counters.onFrameSent();
        } else {
            counters.onFrameResent();
        }
        flow.onTransmitted(frame, link, clock.nowNs());
        return 1;
    }

    /** A frame needs no more sending; it is free once no link holds it. */
    void finish(final TxFrame frame, final int status) {
        frame.status = status;
        frame.isFinished = true;
        if (frame.queued == 0) {
            complete(frame);
        }
    }

    private void complete(final TxFrame frame) {
        final SendFlow flow = frame.flow;
        final FlowContext context = flow.context;
        final int status = frame.status;
        final boolean isRun = frame.isRun;
        int slot = frame.firstSlot;
        int count = frame.messageCount;
        if (frame.sharedIndex != TxFrame.NOT_SHARED) {
            flow.sharedInFlight--;
        }
        pool.release(frame);
        queue.onMemory();
        if (isRun) {
            if (context.isOpen) {
                table.listener().onRunDone(context.id, slot, count, status);
            }
            return;
        }
        while (count-- > 0 && context.isOpen) {
            final int following = context.slotNext[slot];
            table.listener().onSendDone(context.id, slot, status);
            slot = following;
        }
    }
}
