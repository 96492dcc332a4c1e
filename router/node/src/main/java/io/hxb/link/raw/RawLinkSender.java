package io.hxb.link.raw;

import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.link.LongFrameCounts;
import io.hxb.link.NeighbourAddresses;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.socket.SocketSender;
import io.hxb.link.socket.Trains;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.PacketSocket;
import io.hxb.os.nic.NicInfo;
import io.hxb.routing.Route;
import io.hxb.topology.Shape;

/**
 * Sends frames on a raw link from one loop, which owns it, through a socket that receives nothing.
 * The Ethernet header is written into the headroom before the HXB header; its EtherType selects the
 * socket by which the next hop receives: the ring's if the next hop relays the frame, or if it is
 * sparse. Data frames may go by IP instead, but for sparse ones and those that the next hop relays
 * on a detour.
 */
final class RawLinkSender extends SocketSender {
    private static final int ETHERNET_LENGTH = 14;

    private final RawLink link;
    private final RawTrains trains;
    private final int descriptor;
    private final NeighbourAddresses destinations;
    private final long coordinates;
    private final int dimension;
    private final int etherType;
    private final int ringEtherType;
    private final boolean isJoining;
    private NicInfo boundNic;
    private long sourceAndType;
    private long sourceAndRingType;

    RawLinkSender(
            final RawLink link,
            final int descriptor,
            final int queueFrames,
            final NeighbourAddresses destinations,
            final RawTrains trains) {
        super(
                descriptor,
                queueFrames,
                ETHERNET_LENGTH,
                0,
                link.config().socket().sendBufferBytes(),
                trains);
        this.trains = trains;
        isJoining = trains != null && trains.isJoining();
        this.link = link;
        this.descriptor = descriptor;
        this.destinations = destinations;
        final RawLinkConfig config = link.config();
        coordinates = config.coordinates();
        dimension = config.dimension();
        etherType = config.frame().etherType();
        ringEtherType = config.frame().relayEtherType();
        bind(link.nic());
    }

    @Override
    public boolean offer(final int neighbour, final OutgoingFrame frame) {
        final long destination = destinations.get(neighbour + 1);
        if (destination == 0) {
            return false;
        }
        followNic();
        if (isLong(neighbour, frame)
                && offerLong(neighbour, Long.reverseBytes(destination), frame)) {
            return true;
        }
        if (!hasRoomFor(frame)) {
            return false;
        }
        final long headerAddress = frame.headerAddress();
        final boolean isForRing = isForRing(neighbour, headerAddress);
        writeEthernet(headerAddress, destination, isForRing);
        enqueue(
                frame,
                frame.owner(),
                isJoining && mayBeByIp(isForRing, headerAddress)
                        ? trains.group(neighbour, headerAddress, frame.lengthBytes() > mtuBytes())
                        : Trains.ALONE);
        return true;
    }

    @Override
    public boolean sendAhead(final int neighbour, final OutgoingFrame frame) {
        final long destination = destinations.get(neighbour + 1);
        if (destination == 0 || frame.lengthBytes() > link.mtuBytes()) {
            return false;
        }
        followNic();
        final long headerAddress = frame.headerAddress();
        writeEthernet(headerAddress, destination, isForRing(neighbour, headerAddress));
        return sendNow(frame);
    }

    // Two bytes that are not sent, then destination, source and EtherType.
    private void writeEthernet(
            final long headerAddress, final long destination, final boolean isForRing) {
        Memory.putLong(headerAddress - 16, destination);
        Memory.putLong(headerAddress - 8, isForRing ? sourceAndRingType : sourceAndType);
    }

    // What is missing of a frame that was cut goes as fragments, as the frame did.
    private boolean isLong(final int neighbour, final OutgoingFrame frame) {
        return neighbour >= 0
                && frame.lengthBytes() > link.mtuBytes()
                && frame.rangeLengthBytes() == 0
                && !FragmentFlyweight.isFragment(frame.headerAddress());
    }

    private boolean offerLong(final int neighbour, final long address, final OutgoingFrame frame) {
        final SegmentSender segments = trains == null ? null : trains.segments();
        final int frameBytes = frame.lengthBytes();
        if (segments == null
                || !hasRoom(2)
                || !segments.isPossible(
                        descriptor, neighbour, address, frameBytes, System.nanoTime())) {
            return false;
        }
        segments.begin();
        final int firstBytes = segments.firstBytes(frameBytes);
        segments.dress(nextIndex(), address, frame, 0, firstBytes);
        enqueuePart(frame, 0, firstBytes);
        if (firstBytes < frameBytes) {
            segments.dress(nextIndex(), address, frame, firstBytes, frameBytes - firstBytes);
            enqueuePart(frame, firstBytes, frameBytes);
        }
        return true;
    }

    @Override
    public LongFrameCounts longFrames() {
        return trains == null || trains.segments() == null
                ? LongFrameCounts.NONE
                : trains.segments().counts();
    }

    @Override
    protected int mtuBytes() {
        return link.mtuBytes();
    }

    // A relay's program leaves detours to the node, which takes them out of the ring.
    private static boolean mayBeByIp(final boolean isForRing, final long headerAddress) {
        final int type = Memory.getUnsignedByte(headerAddress + FrameHeaderFlyweight.TYPE_OFFSET);
        if (type != FrameType.DATA && type != FrameType.FRAGMENT) {
            return false;
        }
        return !isForRing
                || (!FrameHeaderFlyweight.isSparse(headerAddress)
                        && !Route.isDetour(FrameHeaderFlyweight.routeAt(headerAddress)));
    }

    private boolean isForRing(final int neighbour, final long headerAddress) {
        final long end = Memory.getLong(headerAddress + FrameHeaderFlyweight.DESTINATION_OFFSET);
        if (end == FrameHeaderFlyweight.ANY_DESTINATION) {
            return false;
        }
        return FrameHeaderFlyweight.isSparse(headerAddress)
                || end != Shape.withCoordinate(coordinates, dimension, neighbour);
    }

    @Override
    public int etherType(final int neighbour, final long headerAddress) {
        return isForRing(neighbour, headerAddress) ? ringEtherType : etherType;
    }

    @Override
    protected void beforeFlush() {
        followNic();
    }

    @SuppressWarnings("ReferenceEquality") // another object means: bind again
    private void followNic() {
        final NicInfo current = link.nic();
        if (current != boundNic) {
            bind(current);
        }
    }

    // A NIC that has disappeared again refuses the frames; the link notices, and the next bind
    // works.
    private void bind(final NicInfo nic) {
        boundNic = nic;
        sourceAndType = Long.reverseBytes(nic.mac() << 16 | etherType);
        if (trains != null) {
            trains.onNic(nic);
        }
        sourceAndRingType = Long.reverseBytes(nic.mac() << 16 | ringEtherType);
        try {
            PacketSocket.bind(descriptor, 0, nic.ifindex(), nic.name());
        } catch (final LinuxException e) {
            link.onBindFailure(e);
        }
    }
}
