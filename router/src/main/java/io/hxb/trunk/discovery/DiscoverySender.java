package io.hxb.trunk.discovery;

import io.hxb.frame.ComplaintFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.HelloFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;

/**
 * Writes hello and complaint frames and sends them to all on a link, over the senders of whichever
 * loop drives the discovery. Guarded by the lock of {@link Discovery}.
 */
final class DiscoverySender {
    private final NodeIdentity self;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final HelloFlyweight hello = new HelloFlyweight();
    private final ComplaintFlyweight complaint = new ComplaintFlyweight();

    DiscoverySender(final NodeIdentity self) {
        this.self = self;
    }

    /**
     * Says who this node is.
     *
     * @param id buffer of the pool; goes back to the share once the frame is sent, or at once.
     * @return frames queued, 0 or 1.
     */
    int sendHello(
            final Port port,
            final LinkSender sender,
            final BufferPool pool,
            final BufferPool.Share share,
            final int id) {
        linkLocal(pool.headerAddress(id), FrameType.HELLO);
        hello.wrap(header.bodyAddress())
                .clear()
                .fingerprint(self.fingerprint())
                .node(self.shape().node(self.here()))
                .dimension(port.dimension())
                .linkNumber(port.number())
                .shape(packedExtents(self.shape()))
                .dimensions(self.shape().dimensions())
                .incarnation(self.incarnation())
                .mtuBytes(port.link().mtuBytes())
                .name(self.hostName());
        return broadcast(sender, id, hello.length(), share);
    }

    /**
     * Complains of a neighbour.
     *
     * @param kind what is wrong, see {@link ComplaintFlyweight}.
     * @param subject coordinate vector that the neighbour says it has; 0 if that is not known.
     * @param id as for {@link #sendHello}.
     * @return frames queued, 0 or 1.
     */
    int sendComplaint(
            final Port port,
            final int kind,
            final long subject,
            final LinkSender sender,
            final BufferPool pool,
            final BufferPool.Share share,
            final int id) {
        linkLocal(pool.headerAddress(id), FrameType.COMPLAINT);
        complaint
                .wrap(header.bodyAddress())
                .clear()
                .kind(kind)
                .coordinates(self.here())
                .otherCoordinates(subject)
                .dimension(port.dimension())
                .linkNumber(port.number());
        return broadcast(sender, id, ComplaintFlyweight.LENGTH, share);
    }

    private static long packedExtents(final Shape shape) {
        long packed = 0;
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            packed = Shape.withCoordinate(packed, dimension, shape.extent(dimension) - 1);
        }
        return packed;
    }

    private void linkLocal(final long headerAddress, final int type) {
        header.wrap(headerAddress)
                .clear()
                .type(type)
                .hopLimit(1)
                .order(DimensionOrder.DEFAULT)
                .clusterId(self.clusterId())
                .sourceIncarnation(self.incarnation())
                .source(self.here())
                .destination(FrameHeaderFlyweight.ANY_DESTINATION);
    }

    private int broadcast(
            final LinkSender sender,
            final int id,
            final int bodyBytes,
            final BufferPool.Share share) {
        header.bodyLength(bodyBytes);
        final boolean isTaken =
                sender.offer(
                        Link.BROADCAST,
                        header.address(),
                        FrameHeaderFlyweight.LENGTH + bodyBytes,
                        0,
                        0,
                        share,
                        id);
        if (!isTaken) {
            share.release(id);
        }
        return isTaken ? 1 : 0;
    }
}
