package io.hxb.trunk.discovery;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.HelloFlyweight;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.routing.DimensionOrder;
import io.hxb.session.FrameSeals;
import io.hxb.session.Sessions;
import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;

/**
 * Writes hello and misconfiguration frames and sends them, and SESSION frames, over the senders of
 * whichever loop drives the discovery. Guarded by the lock of {@link Discovery}.
 */
final class DiscoverySender {
    private final NodeIdentity self;
    private final Sessions sessions;
    private final FrameSeals seals;
    private final OutgoingFrame outgoing = new OutgoingFrame();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final HelloFlyweight hello = new HelloFlyweight();
    private final MisconfigurationFlyweight misconfiguration = new MisconfigurationFlyweight();

    /**
     * Prepares to send.
     *
     * @param seals used by nobody else.
     */
    DiscoverySender(final NodeIdentity self, final Sessions sessions, final FrameSeals seals) {
        this.self = self;
        this.sessions = sessions;
        this.seals = seals;
    }

    /**
     * Introduces this node.
     *
     * @param receiver the neighbour it is for, whose session seals it; all ones for everybody.
     * @param coordinate of that neighbour in the port's dimension if its address is known there,
     *     else {@link Link#BROADCAST}.
     * @param id buffer of the pool; goes back to the share once the frame is sent, or at once.
     * @return frames queued, 0 or 1.
     */
    int sendHello(
            final Port port,
            final long receiver,
            final int coordinate,
            final LinkSender sender,
            final BufferPool.Share share,
            final int id) {
        linkLocal(share.pool().headerAddress(id), FrameType.HELLO);
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
                .receiver(receiver)
                .keyIds(sessions.ring().id(0), sessions.ring().id(1))
                .name(self.hostName());
        header.bodyLength(hello.length());
        return seal(receiver) ? offer(sender, coordinate, id, share) : giveBack(id, share);
    }

    /**
     * Complains of a neighbour.
     *
     * @param kind what is wrong, see {@link MisconfigurationFlyweight}.
     * @param subject coordinate vector that the neighbour claims; 0 if that is not known.
     * @param id as for {@link #sendHello}.
     * @return frames queued, 0 or 1.
     */
    int sendMisconfiguration(
            final Port port,
            final int kind,
            final long subject,
            final LinkSender sender,
            final BufferPool.Share share,
            final int id) {
        linkLocal(share.pool().headerAddress(id), FrameType.MISCONFIGURATION);
        misconfiguration
                .wrap(header.bodyAddress())
                .clear()
                .kind(kind)
                .coordinates(self.here())
                .otherCoordinates(subject)
                .dimension(port.dimension())
                .linkNumber(port.number());
        header.bodyLength(MisconfigurationFlyweight.LENGTH);
        seal(FrameHeaderFlyweight.ANY_DESTINATION);
        return offer(sender, Link.BROADCAST, id, share);
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

    private boolean seal(final long receiver) {
        if (!seals.isOn()) {
            return true;
        }
        final int length = FrameHeaderFlyweight.LENGTH + header.bodyLength();
        if (receiver == FrameHeaderFlyweight.ANY_DESTINATION) {
            seals.sealByKey(header.address(), length);
            return true;
        }
        final int node = self.shape().node(receiver);
        return seals.sealTo(node, header.address(), length, 0, 0) == FrameSeals.SEALED;
    }

    /**
     * Sends the SESSION frame that is due to a neighbour.
     *
     * @param node its id.
     * @param coordinate as for {@link #sendHello}.
     * @param id as for {@link #sendHello}.
     */
    void sendSession(
            final int node,
            final int coordinate,
            final LinkSender sender,
            final BufferPool.Share share,
            final int id,
            final long nowNs) {
        header.wrap(share.pool().headerAddress(id));
        sessions.write(node, header.address(), nowNs);
        offer(sender, coordinate, id, share);
    }

    private int offer(
            final LinkSender sender,
            final int coordinate,
            final int id,
            final BufferPool.Share share) {
        final int length = FrameHeaderFlyweight.frameLength(header.address());
        return sender.offer(coordinate, outgoing.wrap(header.address(), length, share, id))
                ? 1
                : giveBack(id, share);
    }

    private static int giveBack(final int id, final BufferPool.Share share) {
        share.release(id);
        return 0;
    }
}
