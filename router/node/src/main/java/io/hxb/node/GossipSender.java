package io.hxb.node;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowOutput;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.SealFlyweight;
import io.hxb.gossip.Gossip;
import io.hxb.gossip.OwnSummary;
import io.hxb.link.BufferPool;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.Port;
import io.hxb.trunk.TrunkSender;

import java.util.List;

/**
 * Sends the SUMMARY frames that are due, of at most {@value #MAX_BODY_BYTES} bytes. Owned by the
 * node's first loop; allocates nothing after it was made.
 */
final class GossipSender {
    /** Longest body: with a header and a seal in one frame of Ethernet. */
    static final int MAX_BODY_BYTES = 1_336;

    private final Gossip gossip;
    private final OwnSummary own;
    private final Shape shape;
    private final TrunkSender[] trunks;
    private final BufferPool.Share share;
    private final FlowOutput output;
    private final CounterBlock counters;
    private final int maxBodyBytes;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();

    /**
     * Makes the sender of a node.
     *
     * @param trunks of the node's first loop, {@code [dimensions]}.
     * @param share of that loop.
     * @param output of that loop.
     */
    GossipSender(
            final NodeParts parts,
            final TrunkSender[] trunks,
            final BufferPool.Share share,
            final FlowOutput output) {
        gossip = parts.gossip();
        shape = parts.config().shape();
        this.trunks = trunks.clone();
        this.share = share;
        this.output = output;
        counters = parts.counters().ofLoop(0);
        own = own(parts);
        maxBodyBytes =
                Math.min(
                        MAX_BODY_BYTES,
                        parts.links().minMtuBytes()
                                - FrameHeaderFlyweight.LENGTH
                                - SealFlyweight.LENGTH);
    }

    private static OwnSummary own(final NodeParts parts) {
        final ClusterConfig config = parts.config();
        final List<Port> ports = parts.links().ports();
        final List<LinkConfig> links = config.links(parts.nodeId());
        final int[] extents =
                ports.stream().mapToInt(port -> config.shape().extent(port.dimension())).toArray();
        return new OwnSummary(
                parts.counters(),
                links.stream()
                        .map(
                                link ->
                                        new CounterLabels.LinkLabel(
                                                link.dimension(), link.number(), ""))
                        .toList(),
                extents,
                (link, coordinate) -> ports.get(link).state(coordinate) == LinkState.FAILED,
                parts.self().hostName(),
                parts.epochClock().time());
    }

    /** Looks at this node, and sends what is due; called a few times a second. */
    void doWork(final long nowNs) {
        gossip.tell(own.look(nowNs), nowNs);
        for (int i = 0; i < gossip.neighbours(); i++) {
            final int neighbour = gossip.nextDue(nowNs);
            if (neighbour < 0 || !sendTo(neighbour, nowNs)) {
                return;
            }
        }
    }

    /** Tells all neighbours that this node stops; flushed for each, as there may be many. */
    void stop(final long nowNs) {
        gossip.stop(own.look(nowNs), nowNs);
        for (int i = 0; i < gossip.neighbours() && sendTo(i, nowNs); i++) {
            output.flush();
        }
    }

    // False if there is no buffer.
    private boolean sendTo(final int neighbour, final long nowNs) {
        final long place = shape.coordinates(gossip.neighbour(neighbour));
        final int dimension = gossip.dimension(neighbour);
        if (!trunks[dimension].isReached(Shape.coordinate(place, dimension))) {
            gossip.onNotSent(neighbour, nowNs);
            return true;
        }
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return false;
        }
        header.wrap(share.pool().headerAddress(id)).clear();
        final int bytes = gossip.fill(neighbour, header.bodyAddress(), maxBodyBytes, nowNs);
        if (bytes == 0) {
            share.release(id);
            return true;
        }
        header.type(FrameType.SUMMARY).destination(place).bodyLength(bytes);
        final int length = FrameHeaderFlyweight.LENGTH + bytes;
        if (output.send(output.outgoing().wrap(header.address(), length, share, id)) < 0) {
            share.release(id);
            gossip.onNotSent(neighbour, nowNs);
            return true;
        }
        gossip.onSent(neighbour, nowNs);
        counters.increment(CounterType.GOSSIP_SENT_FRAMES);
        counters.add(CounterType.GOSSIP_SENT_BYTES, length);
        return true;
    }
}
