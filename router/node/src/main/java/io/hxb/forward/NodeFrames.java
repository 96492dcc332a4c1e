package io.hxb.forward;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.BusyFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.TraceFlyweight;
import io.hxb.gossip.Gossip;
import io.hxb.link.LoopClock;
import io.hxb.linkstate.LinkStateReceiver;
import io.hxb.topology.Shape;

/**
 * Takes the frames to this node that belong to no flow: traces, and what nodes tell one another of
 * the cluster, its cables and busy paths. Owned by one loop.
 */
final class NodeFrames {
    private final Shape shape;
    private final Gossip gossip;
    private final LinkStateReceiver linkStates;
    private final Tracer tracer;
    private final FrameSource frameSource;
    private final LoopClock clock;
    private final CounterBlock counters;
    private final FrameHeaderFlyweight received = new FrameHeaderFlyweight();
    private final BusyFlyweight busy = new BusyFlyweight();

    NodeFrames(
            final ForwardParts parts,
            final Tracer tracer,
            final FrameSource frameSource,
            final LoopClock clock) {
        shape = parts.cluster().shape();
        gossip = parts.gossip();
        linkStates = parts.linkStates();
        this.tracer = tracer;
        this.frameSource = frameSource;
        this.clock = clock;
        counters = frameSource.counters();
    }

    /**
     * A frame has arrived that passed every check.
     *
     * @param arrivedOn index of its link.
     */
    void take(final long headerAddress, final int arrivedOn) {
        received.wrap(headerAddress);
        if (TraceFlyweight.isTrace(headerAddress)) {
            tracer.onArrived(headerAddress, arrivedOn);
            return;
        }
        switch (received.type()) {
            case FrameType.SUMMARY -> takeSummary();
            case FrameType.LINK_STATE -> takeLinkState();
            case FrameType.BUSY -> {
                busy.wrap(headerAddress);
                counters.increment(CounterType.FLOW_BUSY_PATHS_EVENTS);
                frameSource.routes().onBusy(busy.destination(), busy.route(), received.source());
            }
            default -> tracer.onReport(headerAddress);
        }
    }

    private void takeSummary() {
        counters.increment(CounterType.GOSSIP_RECEIVED_FRAMES);
        if (gossip != null) {
            gossip.onFrame(
                    shape.node(received.source()),
                    received.bodyAddress(),
                    received.bodyLength(),
                    clock.nowNs());
        }
    }

    private void takeLinkState() {
        counters.increment(CounterType.MAP_RECEIVED_FRAMES);
        if (linkStates != null) {
            linkStates.onFrame(
                    shape.node(received.source()),
                    received.bodyAddress(),
                    received.bodyLength(),
                    clock.nowNs());
        }
    }
}
