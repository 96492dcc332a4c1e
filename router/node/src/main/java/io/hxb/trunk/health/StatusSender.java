package io.hxb.trunk.health;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.LinkStatusFlyweight;
import io.hxb.frame.SealFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.session.FrameSeals;
import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;

/**
 * Sends status frames over one loop's senders. Owned by that loop, which calls it under the lock of
 * {@link TrunkHealth}.
 */
final class StatusSender {
    private final NodeIdentity self;
    private final FrameSeals seals;
    private final Port[][] trunks;
    private final NodeTraffic traffic;
    private final CounterBlock counters;
    private final LinkSender[] senders;
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final int maxBytes;
    private final OutgoingFrame outgoing = new OutgoingFrame();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final LinkStatusFlyweight status = new LinkStatusFlyweight();

    /**
     * Prepares to send.
     *
     * @param seals used by nobody else.
     * @param trunks the node's ports, {@code [dimensions][links of that trunk]}.
     * @param senders the loop's senders, by link index, {@code [links]}.
     * @param share the loop's share of the pool.
     * @param frameBytes header and body of the longest frame that the flows send.
     */
    StatusSender(
            final NodeIdentity self,
            final FrameSeals seals,
            final Port[][] trunks,
            final NodeTraffic traffic,
            final CounterBlock counters,
            final LinkSender[] senders,
            final BufferPool.Share share,
            final int frameBytes) {
        this.self = self;
        this.seals = seals;
        this.trunks = trunks;
        this.traffic = traffic;
        this.counters = counters;
        this.senders = senders.clone();
        pool = share.pool();
        this.share = share;
        maxBytes = Math.min(frameBytes, pool.frameBytes());
    }

    /**
     * Sends a status frame to a neighbour on some links.
     *
     * @param links a bit for the number of each.
     * @return frames queued.
     */
    int send(final NeighbourHealth neighbour, final long links) {
        final Port[] trunk = trunks[neighbour.dimension()];
        flush(trunk);
        int sent = 0;
        for (int number = 0; number < trunk.length; number++) {
            if ((links >>> number & 1) != 0) {
                final int bufferId = share.acquire();
                if (bufferId == BufferPool.NONE) {
                    break;
                }
                write(bufferId, neighbour, number);
                if (offer(bufferId, neighbour, trunk[number])) {
                    neighbour.onStatusSent(number);
                    counters.increment(
                            CounterType.LINK_STATUS_SENT_FRAMES, trunk[number].link().index());
                    sent++;
                }
            }
        }
        return sent;
    }

    // Sends what is queued, so that frames counted as sent have left.
    private void flush(final Port[] trunk) {
        for (final Port port : trunk) {
            final LinkSender sender = senders[port.link().index()];
            if (sender.queuedFrames() > 0 && !sender.isBlocked()) {
                sender.flush();
            }
        }
    }

    private void write(final int bufferId, final NeighbourHealth neighbour, final int number) {
        final Port[] trunk = trunks[neighbour.dimension()];
        header.wrap(pool.headerAddress(bufferId)).clear();
        status.wrap(header.bodyAddress()).clear(trunk.length);
        neighbour.write(status, number);
        for (int i = 0; i < trunk.length; i++) {
            // What waits on this link arrives before the status frame; on others it may be late.
            final int waiting = i == number ? 0 : traffic.waitingFrames(trunk[i].link().index());
            status.sentFrames(i, handedOver(neighbour, i) - waiting);
        }
        // What this loop has queued on the link is sent before the status frame, which also counts.
        final int queued = senders[trunk[number].link().index()].queuedFrames();
        status.sentFrames(number, status.sentFrames(number) + queued + 1)
                .neighbour(
                        Shape.withCoordinate(
                                self.here(), neighbour.dimension(), neighbour.neighbour()));
        header.type(FrameType.LINK_STATUS)
                .hopLimit(1)
                .order(DimensionOrder.DEFAULT)
                .clusterId(self.clusterId())
                .sourceIncarnation(self.incarnation())
                .destinationIncarnation(neighbour.incarnation())
                .source(self.here())
                .destination(FrameHeaderFlyweight.ANY_DESTINATION)
                .bodyLength(status.length());
        if (neighbour.isProof(number)) {
            pad(trunk[number]);
        }
    }

    // Nodes of earlier builds accept it as well: what follows the counts is ignored.
    private void pad(final Port port) {
        final int sealBytes = seals.isOn() ? SealFlyweight.LENGTH : 0;
        final int frameBytes = Math.min(port.link().mtuBytes(), maxBytes) - sealBytes;
        final int paddedBytes = frameBytes - FrameHeaderFlyweight.LENGTH;
        final int bodyBytes = status.length();
        if (paddedBytes > bodyBytes) {
            Memory.fill(header.bodyAddress() + bodyBytes, paddedBytes - bodyBytes, 0);
            header.bodyLength(paddedBytes);
        }
    }

    // The neighbour must not count frames as missing that are still in the node.
    private int handedOver(final NeighbourHealth neighbour, final int number) {
        final LinkHealth link = neighbour.link(number);
        return traffic.sentFrames(neighbour.dimension(), number, neighbour.neighbour())
                - traffic.queuedFrames(link.linkIndex())
                + link.statusSent();
    }

    private boolean offer(final int bufferId, final NeighbourHealth neighbour, final Port port) {
        final int length = FrameHeaderFlyweight.LENGTH + header.bodyLength();
        final boolean isTaken =
                isSealed(neighbour, length)
                        && senders[port.link().index()].offer(
                                neighbour.neighbour(),
                                outgoing.wrap(
                                        header.address(),
                                        FrameHeaderFlyweight.frameLength(header.address()),
                                        share,
                                        bufferId));
        if (!isTaken) {
            share.release(bufferId);
        }
        return isTaken;
    }

    // A neighbour without a session is notified later: it has to receive a hello first.
    private boolean isSealed(final NeighbourHealth neighbour, final int lengthBytes) {
        if (!seals.isOn()) {
            return true;
        }
        final int node =
                self.shape()
                        .node(
                                Shape.withCoordinate(
                                        self.here(), neighbour.dimension(), neighbour.neighbour()));
        return seals.sealTo(node, header.address(), lengthBytes, 0, 0) == FrameSeals.SEALED;
    }
}
