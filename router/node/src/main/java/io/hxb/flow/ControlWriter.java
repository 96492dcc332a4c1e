package io.hxb.flow;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.EndedFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.TenantField;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.FrameOwner;
import io.hxb.link.LoopClock;
import io.hxb.linux.Memory;
import io.hxb.time.TokenBuckets;

/**
 * Writes and sends the control frames of the two ends of a flow: OPEN, ACCEPT, ACK, PROBE, CLOSE,
 * CLOSED, ENDED and UNREACHABLE. Owned by one loop. A frame that cannot be sent now is not kept: a
 * timer sends each of them again.
 */
final class ControlWriter implements FrameOwner {
    /**
     * Answers that a frame has no receiver: a burst to each node, then one per millisecond. A
     * forged source cannot make this node answer faster.
     */
    static final int ANSWER_BURST = 64;

    static final long ANSWER_INTERVAL_NS = 1_000_000;

    private static final int ANSWER_BUCKETS = 1_024;

    /** Nothing is asked back, only the window, or the flow itself. */
    static final int NO_RECALL = 0;

    static final int WINDOW = 1;
    static final int FLOW = 2;

    private final FlowOutput output;
    private final TxPool pool;
    private final CounterBlock counters;
    private final LoopClock clock;
    private final TokenBuckets pace =
            new TokenBuckets(ANSWER_BUCKETS, ANSWER_BURST, ANSWER_INTERVAL_NS);
    private final int ackBodyBytes;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final UnreachableFlyweight unreachable = new UnreachableFlyweight();
    private final EndedFlyweight ended = new EndedFlyweight();
    private int lastLink;

    ControlWriter(
            final FlowOutput output,
            final TxPool pool,
            final CounterBlock counters,
            final LoopClock clock,
            final int ackBodyBytes) {
        this.output = output;
        this.pool = pool;
        this.counters = counters;
        this.clock = clock;
        this.ackBodyBytes = ackBodyBytes;
    }

    @Override
    public void release(final long token) {
        pool.releaseControl((int) token);
    }

    /** True if there was no route for the frame written last. */
    boolean hadNoRoute() {
        return lastLink == FlowOutput.NO_ROUTE;
    }

    /** The route of the frame written last. */
    long lastRoute() {
        return header.route();
    }

    /**
     * Asks for the peer's incarnation and the first sequence; it carries epoch, nonce and tenant of
     * the flow.
     *
     * @param isAgain true if the request was sent before.
     */
    boolean sendOpen(final SendFlow flow, final boolean isAgain) {
        final int index = begin(flow, FrameType.OPEN);
        if (index < 0) {
            return false;
        }
        header.epoch(flow.epoch())
                .sequence(flow.nonce())
                .flags(isAgain ? FrameHeaderFlyweight.FLAG_AGAIN : 0);
        TenantField.intoOpen(header, flow.context.rights.tenant());
        return send(index, 0);
    }

    /** Notifies the peer that all was sent and delivered, and asks it to forget the flow. */
    boolean sendClose(final SendFlow flow) {
        final int index = begin(flow, FrameType.CLOSE);
        if (index < 0) {
            return false;
        }
        header.epoch(flow.epoch())
                .sequence(flow.window.nextSequence())
                .destinationIncarnation(flow.peerIncarnation());
        return send(index, 0);
    }

    /** Notifies the source of {@code close} that its flow is forgotten. */
    boolean sendClosed(final FlowContext context, final FrameHeaderFlyweight close) {
        final int index = answer(FrameType.CLOSED, context.incarnation, close);
        if (index < 0) {
            return false;
        }
        header.sequence(close.sequence()).acknowledgedEpoch(close.epoch());
        return send(index, 0);
    }

    /**
     * Asks for an acknowledgement.
     *
     * @param wantedFrames frames that wait to be sent; 0 gives all window back.
     */
    boolean sendProbe(final SendFlow flow, final int wantedFrames) {
        final int index = begin(flow, FrameType.PROBE);
        if (index < 0) {
            return false;
        }
        header.epoch(flow.epoch())
                .sequence(flow.window.nextSequence())
                .destinationIncarnation(flow.peerIncarnation())
                .flags(FrameHeaderFlyweight.FLAG_ACK_NOW)
                .windowFrames(Math.min(0xFFFF, wantedFrames));
        counters.increment(CounterType.FLOW_PROBES_FRAMES);
        return send(index, 0);
    }

    /** Answers {@code open} with what the source may send: {@code windowFrames} from first on. */
    boolean sendAccept(
            final FlowContext context,
            final FrameHeaderFlyweight open,
            final int first,
            final int windowFrames) {
        final int index = answer(FrameType.ACCEPT, context.incarnation, open);
        if (index < 0) {
            return false;
        }
        header.flags(FrameHeaderFlyweight.FLAG_ACK)
                .epoch(open.sequence())
                .acknowledgement(first)
                .windowFrames(windowFrames)
                .acknowledgedEpoch(open.epoch());
        TenantField.intoAccept(header, context.rights.tenant());
        return send(index, 0);
    }

    /**
     * Acknowledges.
     *
     * @param recall {@link #NO_RECALL}, {@link #WINDOW} or {@link #FLOW}: what the source is asked
     *     to give back if it does not use it.
     */
    boolean sendAck(final ReceiveFlow flow, final int recall) {
        final int index = begin(flow, FrameType.ACK);
        if (index < 0) {
            return false;
        }
        final int next = flow.array.next();
        writeBitmap(flow, next, ackBodyBytes);
        header.destinationIncarnation(flow.peerIncarnation());
        acknowledge(header, flow, next);
        if (flow.pendingAck.hasAgain()) {
            header.flags(header.flags() | FrameHeaderFlyweight.FLAG_AGAIN)
                    .sequence(flow.arrivalSummary.againSequence());
        }
        if (recall == WINDOW) {
            header.windowFrames(0);
        } else if (recall == FLOW) {
            header.flags(header.flags() | FrameHeaderFlyweight.FLAG_CLOSE);
        }
        counters.increment(CounterType.FLOW_SENT_ACKS_FRAMES);
        return send(index, ackBodyBytes);
    }

    /**
     * Notifies the source of the frame at {@code failed} that it cannot be delivered, unless it has
     * just been notified so several times.
     */
    boolean sendUnreachable(
            final FrameHeaderFlyweight failed, final int ownIncarnation, final int reason) {
        if (!pace.takeFor(failed.source(), clock.nowNs())) {
            return false;
        }
        final int index = pool.acquireControl();
        if (index < 0) {
            counters.increment(CounterType.FLOW_NO_MEMORY_EVENTS);
            return false;
        }
        header.wrap(pool.controlHeaderAddress(index));
        unreachable.wrap(header.address()).answer(failed.address(), reason, ownIncarnation);
        return send(index, 0);
    }

    /** Reports to the source of {@code late} what a context that is closed had of the flow. */
    boolean sendEnded(
            final FrameHeaderFlyweight late, final Tombstone stone, final boolean isOpenAgain) {
        return pace.takeFor(late.source(), clock.nowNs())
                && sendEnded(stone, late.sequence(), late.type(), isOpenAgain);
    }

    /**
     * Notifies the source of {@code late} that nothing of its flow had arrived, whose first
     * sequence was {@code firstSequence}.
     */
    boolean sendEnded(
            final FrameHeaderFlyweight late, final int firstSequence, final boolean isOpenAgain) {
        if (!pace.takeFor(late.source(), clock.nowNs())) {
            return false;
        }
        final int index = answer(FrameType.ENDED, late.destinationIncarnation(), late);
        if (index < 0) {
            return false;
        }
        header.sequence(late.sequence()).acknowledgedEpoch(late.epoch());
        ended.wrap(header.address())
                .kind(late.type(), isOpenAgain, false)
                .ends(firstSequence, firstSequence);
        return send(index, 0);
    }

    /**
     * Reports to the source of a flow, without a request, what a context that is closed had of it.
     */
    boolean sendEnded(final Tombstone stone, final boolean isOpenAgain) {
        return sendEnded(stone, stone.seenTo, 0, isOpenAgain);
    }

    /** {@code sequence} and {@code type} are those of the frame that is answered. */
    private boolean sendEnded(
            final Tombstone stone, final int sequence, final int type, final boolean isOpenAgain) {
        final int index = begin(FrameType.ENDED, stone.peerCoordinates);
        if (index < 0) {
            return false;
        }
        header.sourceIncarnation(stone.incarnation)
                .destinationIncarnation(stone.sourceIncarnation)
                .sourceContext(stone.contextId)
                .destinationContext(stone.peerContext)
                .sequence(sequence)
                .acknowledgedEpoch(stone.epoch);
        ended.wrap(header.address()).kind(type, isOpenAgain, stone.hasLost);
        stone.write(ended);
        return send(index, stone.runs() * EndedFlyweight.RUN_BYTES);
    }

    /**
     * Writes acknowledgement and window of {@code flow} into the header of any frame to its source.
     */
    static void acknowledge(
            final FrameHeaderFlyweight into, final ReceiveFlow flow, final int next) {
        final int windowFrames = Math.max(0, Math.min(0xFFFF, flow.window.unusedFrames(next)));
        into.flags(into.flags() | FrameHeaderFlyweight.FLAG_ACK)
                .acknowledgement(next)
                .windowFrames(windowFrames)
                .acknowledgedEpoch(flow.epoch());
    }

    /**
     * A frame delivered while the bits are read would seem to be missing: its bit is set
     * afterwards.
     */
    private void writeBitmap(final ReceiveFlow flow, final int next, final int bodyBytes) {
        final long body = header.bodyAddress();
        long any = 0;
        for (int offset = 0; offset < bodyBytes; offset += Long.BYTES) {
            final long bits =
                    flow.pendingAck.isOutOfOrder() ? flow.array.held(next + offset * 8) : 0;
            any |= bits;
            Memory.putLong(body + offset, bits);
        }
        flow.pendingAck.onBitmap(any != 0);
        final int meanwhile = flow.array.next() - next;
        for (int bit = 0; bit < meanwhile && bit < bodyBytes * 8; bit++) {
            final long at = body + (bit >> 3);
            Memory.putByte(at, Memory.getUnsignedByte(at) | 1 << (bit & 7));
        }
    }

    /** Claims a frame; negative if there is none. */
    private int begin(final int type, final long destination) {
        final int index = pool.acquireControl();
        if (index < 0) {
            counters.increment(CounterType.FLOW_NO_MEMORY_EVENTS);
        } else {
            header.wrap(pool.controlHeaderAddress(index))
                    .clear()
                    .type(type)
                    .destination(destination);
        }
        return index;
    }

    private int begin(final Flow flow, final int type) {
        final int index = begin(type, flow.peerCoordinates);
        if (index >= 0) {
            header.sourceIncarnation(flow.context.incarnation)
                    .sourceContext(flow.context.id)
                    .destinationContext(flow.peerContext);
        }
        return index;
    }

    /** Begins a reply of the context that {@code request} is for, or was. */
    private int answer(final int type, final int incarnation, final FrameHeaderFlyweight request) {
        final int index = begin(type, request.source());
        if (index >= 0) {
            header.sourceIncarnation(incarnation)
                    .destinationIncarnation(request.sourceIncarnation())
                    .sourceContext(request.destinationContext())
                    .destinationContext(request.sourceContext());
        }
        return index;
    }

    private boolean send(final int index, final int bodyBytes) {
        header.bodyLength(bodyBytes);
        final int link =
                output.send(
                        output.outgoing()
                                .wrap(
                                        header.address(),
                                        FrameHeaderFlyweight.LENGTH + bodyBytes,
                                        this,
                                        index));
        lastLink = link;
        if (link < 0) {
            pool.releaseControl(index);
            onNotTaken(link);
        }
        return link != FlowOutput.BLOCKED;
    }

    /** Counts a frame that the output has refused with {@code answer}. */
    void onNotTaken(final int answer) {
        if (answer == FlowOutput.BLOCKED) {
            counters.increment(CounterType.FLOW_BLOCKED_EVENTS);
        } else if (answer == FlowOutput.NO_ROUTE) {
            counters.increment(CounterType.FLOW_NO_ROUTE_FRAMES);
        }
    }
}
