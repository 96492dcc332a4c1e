package io.hxb.link.raw;

import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.LongFrameCounts;
import io.hxb.link.OutgoingFrame;
import io.hxb.linux.Errno;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;
import io.hxb.routing.DimensionOrder;
import io.hxb.routing.Route;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Encapsulates the long frames of one sender as segments, where these arrive. Owned by the sender's
 * loop.
 *
 * <p>A frame is one message of the socket, or two where it is longer than a kernel passes in one
 * piece; the first one has as many whole segments as it can.
 */
final class SegmentSender {
    private static final int MAC_BITS = 48;

    /** Unacknowledged probes before the fallback is logged: half a second. */
    private static final int PROBES_IN_VAIN = 8;

    private final SegmentPath path;
    private final PathProof proof = new PathProof();
    private final LongFrameCounts counts = new LongFrameCounts();
    private final MemorySegment blocks;
    private final MemorySegment probe;
    private final long coordinates;
    private final int dimension;
    private final int port;
    private long source;
    private int segmentBytes;
    private int wholeBytes;
    private int number;
    // Of the frame that was found to be possible last.
    private int marks;
    private boolean hasProbe;
    private boolean isRefused;

    /**
     * Makes one.
     *
     * @param queueFrames messages that the sender holds, for each of which there are headers.
     */
    SegmentSender(final SegmentPath path, final RawLinkConfig config, final int queueFrames) {
        this.path = path;
        coordinates = config.coordinates();
        dimension = config.dimension();
        port = config.frame().etherType();
        blocks = Arena.ofAuto().allocate((long) queueFrames * SegmentHeaders.LENGTH, Long.BYTES);
        probe =
                Arena.ofAuto()
                        .allocate(
                                SegmentHeaders.LENGTH + SegmentHeaders.MAX_PAYLOAD_BYTES,
                                Long.BYTES);
        // Distinguishes its frames from those of other senders of its node.
        number = ThreadLocalRandom.current().nextInt();
    }

    /** The NIC is this one now. */
    void onNic(final NicInfo nic) {
        source = Long.reverseBytes(IpHeaders.other(nic.mac()) << 16 | IpHeaders.ETHER_TYPE);
        // Lost ranges are requested and sent again as fragments, whose offsets have this unit.
        segmentBytes =
                Math.min(
                                nic.mtuBytes() - SegmentHeaders.IP_AND_TCP_LENGTH,
                                SegmentHeaders.MAX_PAYLOAD_BYTES)
                        & -FragmentFlyweight.UNIT_BYTES;
        wholeBytes =
                segmentBytes <= 0
                        ? 0
                        : SegmentHeaders.MAX_PAYLOAD_BYTES / segmentBytes * segmentBytes;
    }

    /**
     * True if a long frame can go as segments now; a probe is sent where it is due.
     *
     * @param descriptor the sender's socket.
     * @param address the neighbour's link address.
     * @return true if the frame is to be sent, by {@link #begin} and {@link #dress}.
     */
    boolean isPossible(
            final int descriptor,
            final int neighbour,
            final long address,
            final int frameBytes,
            final long nowNs) {
        if (isRefused || wholeBytes == 0 || frameBytes > path.maxFrameBytes()) {
            return false;
        }
        // After a restart it counts as another path.
        final long way = (long) path.restarts(neighbour) << MAC_BITS ^ address;
        final int verdict = proof.onFrame(neighbour, way, path.answers(neighbour), nowNs);
        switch (verdict) {
            case PathProof.SEND -> marks = 0;
            case PathProof.ASK -> marks = SegmentHeaders.ASKING;
            case PathProof.PROBE -> sendProbe(descriptor, neighbour, address, nowNs);
            case PathProof.GIVE_UP -> {
                counts.onFallback();
                path.onLost(neighbour);
            }
            default -> {}
        }
        return verdict == PathProof.SEND || verdict == PathProof.ASK;
    }

    /** Bytes of a frame in its first message. */
    int firstBytes(final int frameBytes) {
        return frameBytes <= SegmentHeaders.MAX_PAYLOAD_BYTES ? frameBytes : wholeBytes;
    }

    /** A frame follows; its calls of {@link #dress} share one number. */
    void begin() {
        number++;
        counts.onFrame();
    }

    /**
     * Writes the headers of one message.
     *
     * @param index of the message in the sender's queue.
     * @param address the neighbour's link address.
     */
    void dress(
            final int index,
            final long address,
            final OutgoingFrame frame,
            final int offset,
            final int lengthBytes) {
        final long header = frame.headerAddress();
        final long route = FrameHeaderFlyweight.routeAt(header);
        final int order = Memory.getInt(header + FrameHeaderFlyweight.ORDER_OFFSET);
        final boolean isForNode = Route.isDetour(route) || !SegmentHeaders.hasPorts(order);
        final long block = block(index);
        SegmentHeaders.writeAddresses(
                block,
                Long.reverseBytes(IpHeaders.other(address)),
                source,
                IpHeaders.address(Memory.getLong(header + FrameHeaderFlyweight.SOURCE_OFFSET)),
                IpHeaders.address(Memory.getLong(header + FrameHeaderFlyweight.DESTINATION_OFFSET)),
                IpHeaders.ports(port, order),
                Memory.getUnsignedByte(header + FrameHeaderFlyweight.HOP_LIMIT_OFFSET));
        SegmentHeaders.writeRange(
                block,
                number,
                frame.lengthBytes(),
                isForNode ? marks | SegmentHeaders.FOR_NODE : marks,
                offset,
                lengthBytes,
                segmentBytes);
        counts.onPiece();
    }

    /** Headers of the message at an index of the queue. */
    long block(final int index) {
        return blocks.address() + (long) index * SegmentHeaders.LENGTH;
    }

    // As long as the first message of the longest frames, and to the address that they go to.
    private void sendProbe(
            final int descriptor, final int neighbour, final long address, final long nowNs) {
        final int lengthBytes =
                path.maxFrameBytes() >= wholeBytes
                        ? wholeBytes
                        : path.maxFrameBytes() / segmentBytes * segmentBytes;
        final long prefix = probe.address();
        if (!hasProbe) {
            hasProbe = true;
            SegmentPath.writePattern(
                    prefix + SegmentHeaders.LENGTH, SegmentHeaders.MAX_PAYLOAD_BYTES);
        }
        number++;
        SegmentHeaders.writeAddresses(
                prefix,
                Long.reverseBytes(IpHeaders.other(address)),
                source,
                IpHeaders.address(coordinates),
                IpHeaders.address(Shape.withCoordinate(coordinates, dimension, neighbour)),
                IpHeaders.ports(port, DimensionOrder.DEFAULT),
                1);
        SegmentHeaders.writeRange(
                prefix, number, lengthBytes, SegmentHeaders.PROBE, 0, lengthBytes, segmentBytes);
        final int result = Sockets.send(descriptor, prefix, SegmentHeaders.LENGTH + lengthBytes);
        if (result > 0) {
            counts.onProbe();
            if (proof.probes(neighbour) == PROBES_IN_VAIN) {
                counts.onFallback();
                path.onProbesInVain(neighbour);
            }
        } else if (!onRefused(-result)) {
            // The queue is full: the next frame tries again.
            proof.restart(neighbour, nowNs);
        }
    }

    /**
     * The kernel has not taken a message.
     *
     * @return true if the kernel does not support such messages: then no more are sent.
     */
    boolean onRefused(final int error) {
        final boolean isOfSegments =
                error == Errno.EINVAL
                        || error == Errno.EIO
                        || error == Errno.EMSGSIZE
                        || error == Errno.EOPNOTSUPP;
        if (isOfSegments && !isRefused) {
            isRefused = true;
            counts.onFallback();
            path.onRefused(error);
        }
        return isOfSegments;
    }

    LongFrameCounts counts() {
        return counts;
    }
}
