package io.hxb.forward;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowOutput;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.SealFlyweight;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.linux.Memory;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.time.TokenBuckets;
import io.hxb.topology.Shape;

/** Notifies the sources of frames that this node cannot relay them. Owned by one loop. */
final class UnreachableReplies {
    private static final int MAX_WAY = 32;

    /** Time between two answers to one source; those that are equal modulo 4,096 share it. */
    private static final long INTERVAL_NS = 1_000_000;

    private static final int MAX_SOURCES = 4_096;

    private final Shape shape;
    private final long here;
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final RouteCodec codec;
    private final FrameSource output;
    private final CounterBlock counters;
    private final TokenBuckets pace;
    private final FrameHeaderFlyweight offending = new FrameHeaderFlyweight();
    private final UnreachableFlyweight unreachable = new UnreachableFlyweight();
    private final long[] way = new long[MAX_WAY];

    /** Makes the answers of one loop, in buffers of its {@code share}. */
    UnreachableReplies(
            final ForwardParts parts,
            final BufferPool.Share share,
            final RouteCodec codec,
            final FrameSource output,
            final CounterBlock counters) {
        shape = parts.cluster().shape();
        here = parts.here();
        pool = parts.pool();
        this.share = share;
        this.codec = codec;
        this.output = output;
        this.counters = counters;
        pace = new TokenBuckets(Math.min(shape.nodeCount(), MAX_SOURCES), 1, INTERVAL_NS);
    }

    /**
     * Answers a frame, unless it is itself such an answer or traced, its source has just been
     * notified, or the answer with its seal would be longer: back by its own route, otherwise by
     * any.
     *
     * @param why a reason of {@link UnreachableFlyweight}.
     * @param headerAddress the frame that cannot be relayed.
     */
    void answer(final int why, final long headerAddress, final long nowNs) {
        final int type = Memory.getUnsignedByte(headerAddress + FrameHeaderFlyweight.TYPE_OFFSET);
        final long source = offending.wrap(headerAddress).source();
        final int node = shape.node(source);
        final boolean isAnswered =
                type > 0
                        && type < FrameType.COUNT
                        && type != FrameType.UNREACHABLE
                        && type != FrameType.TRACE
                        && type != FrameType.TRACED;
        final boolean isTooShort =
                output.seals().isOn()
                        && FrameHeaderFlyweight.frameLength(headerAddress)
                                < FrameHeaderFlyweight.LENGTH + SealFlyweight.LENGTH;
        if (!isAnswered || isTooShort || node < 0 || !pace.take(node % pace.count(), nowNs)) {
            return;
        }
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return;
        }
        final long answer = pool.headerAddress(id);
        unreachable
                .wrap(answer)
                .answerOfRelay(headerAddress, why, shape.node(offending.destination()));
        final int frameBytes = FrameHeaderFlyweight.LENGTH;
        final long back =
                codec.reverse(offending.route(), source, here, offending.destination(), way);
        int link = FlowOutput.NO_ROUTE;
        if (back != Route.NONE) {
            link = output.sendBy(back, output.outgoing().wrap(answer, frameBytes, share, id));
        }
        if (link == FlowOutput.NO_ROUTE) {
            link = output.send(output.outgoing().wrap(answer, frameBytes, share, id));
        }
        if (link < 0) {
            share.release(id);
        } else {
            counters.increment(CounterType.FORWARD_UNREACHABLE_SENT_FRAMES);
        }
    }
}
