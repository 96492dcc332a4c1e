package io.hxb.forward;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.route.OtherPaths;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.forward.kernel.RelayedRoute;
import io.hxb.frame.BusyFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.time.TokenBuckets;
import io.hxb.topology.Shape;
import io.hxb.trunk.TrunkSender;

/**
 * Tells the sources of frames that took a longer way that a link of it is full of frames whose
 * shortest way it is: they leave the path alone for a while. Owned by one loop.
 */
final class BusyReplies {
    /** Time between two to one source. */
    private static final long INTERVAL_NS = 2_000_000L;

    private final Shape shape;
    private final BufferPool.Share share;
    private final FrameSource output;
    private final CounterBlock counters;
    private final TokenBuckets pace;
    private final BusyFlyweight busy = new BusyFlyweight();
    private final RelayedRoute relayed = new RelayedRoute();

    BusyReplies(
            final ForwardParts parts,
            final BufferPool.Share share,
            final FrameSource output,
            final CounterBlock counters) {
        shape = parts.cluster().shape();
        this.share = share;
        this.output = output;
        this.counters = counters;
        pace = new TokenBuckets(shape.nodeCount(), 1, INTERVAL_NS);
    }

    /** Tells the sources of what the kernel has relayed over such links. */
    void reportKernel(final KernelRelay kernel, final long nowNs) {
        while (kernel.takeBusy(relayed)) {
            reply(relayed.source(), relayed.destination(), relayed.route(), nowNs);
        }
    }

    /**
     * A frame was relayed: its source is told if it took a longer way over a busy link.
     *
     * @param trunk that sent it, to {@code neighbour}.
     */
    void onRelayed(
            final TrunkSender trunk,
            final int neighbour,
            final long source,
            final long destination,
            final long route,
            final long nowNs) {
        if (OtherPaths.isOther(route) && trunk.isBusy(neighbour, nowNs)) {
            reply(source, destination, route, nowNs);
        }
    }

    /**
     * Tells a source, unless it has just been told.
     *
     * @param source coordinates of the source of a frame, any number.
     * @param destination of that frame.
     * @param route as it carries it.
     */
    private void reply(
            final long source, final long destination, final long route, final long nowNs) {
        final int node = shape.node(source);
        if (node < 0 || !pace.take(node, nowNs)) {
            return;
        }
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return;
        }
        final long header = share.pool().headerAddress(id);
        busy.wrap(header).write(source, destination, route);
        final int length = FrameHeaderFlyweight.LENGTH + BusyFlyweight.BODY_BYTES;
        if (output.send(output.outgoing().wrap(header, length, share, id)) < 0) {
            share.release(id);
        } else {
            counters.increment(CounterType.FORWARD_BUSY_SENT_FRAMES);
        }
    }
}
