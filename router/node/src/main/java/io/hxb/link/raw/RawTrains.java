package io.hxb.link.raw;

import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.socket.Trains;
import io.hxb.linux.Memory;
import io.hxb.os.MessageVector;
import io.hxb.os.TrainVector;
import io.hxb.os.nic.NicInfo;
import io.hxb.tap.VirtioHeader;

/**
 * Trains of a packet socket with PACKET_VNET_HDR: frames to one neighbour become the payload of one
 * UDP datagram, which is cut later. A group is frames offered in a row that have the neighbour,
 * source, destination, route and hop limit in common; frames that go alone keep their Ethernet
 * header. Parts of long frames have headers already. Owned by the sender's loop.
 */
final class RawTrains extends Trains {
    private static final int ETHERNET_LENGTH = 14;
    private static final int NEIGHBOUR_MASK = 0xFF;

    // Null where frames do not travel by UDP, or not as segments.
    private final IpPath path;
    private final SegmentSender segments;
    private final int port;
    private long source;
    // Of the group asked for last, which may no longer be reached when its train is added.
    private long destination;
    // Of the frame offered last. The group has the neighbour in its lowest bits.
    private long group;
    private long from;
    private long to;
    private int order;
    private int hopLimit;
    private int number;

    RawTrains(
            final IpPath path,
            final SegmentSender segments,
            final String link,
            final int queueFrames) {
        super(link, queueFrames, true);
        this.path = path;
        this.segments = segments;
        port = path == null ? 0 : path.port();
    }

    /** Dresses long frames; null where they do not travel as segments. */
    SegmentSender segments() {
        return segments;
    }

    @Override
    protected boolean isJoining() {
        return path != null && isOn();
    }

    /** The NIC is this one now. */
    void onNic(final NicInfo nic) {
        source = Long.reverseBytes(IpHeaders.other(nic.mac()) << 16 | IpHeaders.ETHER_TYPE);
        if (segments != null) {
            segments.onNic(nic);
        }
    }

    /**
     * The group of a frame that is offered now and may be in a train. The fragments of a long frame
     * are a group of their own, because a relay sends each train on one link.
     *
     * @param isCut whether it is cut into fragments.
     */
    long group(final int neighbour, final long header, final boolean isCut) {
        final long source = Memory.getLong(header + FrameHeaderFlyweight.SOURCE_OFFSET);
        final long end = Memory.getLong(header + FrameHeaderFlyweight.DESTINATION_OFFSET);
        final int itsOrder = Memory.getInt(header + FrameHeaderFlyweight.ORDER_OFFSET);
        final int itsLimit = Memory.getUnsignedByte(header + FrameHeaderFlyweight.HOP_LIMIT_OFFSET);
        final int itsNumber =
                FragmentFlyweight.isFragment(header) ? FragmentFlyweight.number(header) : 0;
        if (end != to
                || isCut
                || itsNumber != number
                || source != from
                || itsOrder != order
                || itsLimit != hopLimit
                || neighbour != (group & NEIGHBOUR_MASK)) {
            from = source;
            to = end;
            order = itsOrder;
            hopLimit = itsLimit;
            // A frame that follows one that was cut is not one of its fragments.
            number = isCut ? ~itsNumber : itsNumber;
            group = (group | NEIGHBOUR_MASK) + 1 + neighbour;
        }
        return group;
    }

    @Override
    protected boolean isNeeded() {
        return true;
    }

    @Override
    protected boolean isJoinable(final long group) {
        destination = path == null ? 0 : path.destination((int) (group & NEIGHBOUR_MASK));
        return destination != 0;
    }

    @Override
    protected boolean isSparse(final MessageVector queue, final int index) {
        return FrameHeaderFlyweight.isSparse(queue.firstAddress(index) + ETHERNET_LENGTH);
    }

    @Override
    protected void add(
            final TrainVector vector,
            final MessageVector queue,
            final int index,
            final int frames,
            final int totalBytes,
            final int segmentBytes,
            final long group) {
        if (group == WHOLE) {
            final long prefix = vector.add(queue, index, 1, SegmentHeaders.LENGTH, ETHERNET_LENGTH);
            Memory.copy(segments.block(index), prefix, SegmentHeaders.LENGTH);
            return;
        }
        if (group == ALONE) {
            VirtioHeader.clear(vector.add(queue, index, 1, VirtioHeader.LENGTH, 0));
            return;
        }
        final long header = queue.firstAddress(index) + ETHERNET_LENGTH;
        IpHeaders.write(
                vector.add(queue, index, frames, IpHeaders.LENGTH, ETHERNET_LENGTH),
                destination,
                source,
                IpHeaders.address(Memory.getLong(header + FrameHeaderFlyweight.SOURCE_OFFSET)),
                IpHeaders.address(Memory.getLong(header + FrameHeaderFlyweight.DESTINATION_OFFSET)),
                IpHeaders.ports(port, Memory.getInt(header + FrameHeaderFlyweight.ORDER_OFFSET)),
                Memory.getUnsignedByte(header + FrameHeaderFlyweight.HOP_LIMIT_OFFSET),
                totalBytes,
                frames == 1 ? 0 : segmentBytes);
    }

    @Override
    protected void onWholeRefused(final int error) {
        segments.onRefused(error);
    }

    @Override
    protected String advice() {
        return "let the NIC compute checksums (ethtool -K NIC tx on), or set frame.encapsulation:"
                + " ethernet";
    }
}
