package io.hxb.tool.capture;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.link.raw.IpHeaders;
import io.hxb.link.raw.SegmentHeaders;
import io.hxb.linux.Memory;

/**
 * The first HXB frame of what a NIC received or sent: an Ethernet frame, or one that is a datagram,
 * a train of them, or a segment. Owned by one thread.
 */
final class FrameView {
    private static final int TYPE_OFFSET = 12;
    private static final int ETHERNET_LENGTH = 14;
    private static final int TAG_LENGTH = 4;
    private static final int TAG = 0x8100;
    private static final int IP_SOURCE_OFFSET = 12;
    private static final int IP_DESTINATION_OFFSET = 16;
    private static final int DIMENSIONS_BY_IP = 3;

    private final boolean isUdpLink;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private boolean hasHeader;
    private long source;
    private long destination;

    /**
     * Makes one for the frames of a link.
     *
     * @param isUdpLink whether the addresses of packets say nothing of nodes.
     */
    FrameView(final boolean isUdpLink) {
        this.isUdpLink = isUdpLink;
    }

    /**
     * Looks at a frame.
     *
     * @param address of its Ethernet header.
     * @param lengthBytes that are there.
     * @return false if nothing can be said of it.
     */
    boolean wrap(final long address, final int lengthBytes) {
        hasHeader = false;
        if (lengthBytes < ETHERNET_LENGTH + TAG_LENGTH) {
            return false;
        }
        final int type = Memory.getUnsignedShortBigEndian(address + TYPE_OFFSET);
        if (type == IpHeaders.ETHER_TYPE) {
            return wrapIp(address + ETHERNET_LENGTH, lengthBytes - ETHERNET_LENGTH);
        }
        final int skipped = ETHERNET_LENGTH + (type == TAG ? TAG_LENGTH : 0);
        return wrapHeader(address + skipped, lengthBytes - skipped);
    }

    private boolean wrapIp(final long ip, final int lengthBytes) {
        if (lengthBytes < SegmentHeaders.IP_AND_TCP_LENGTH) {
            return false;
        }
        if (Memory.getUnsignedByte(ip + IpHeaders.PROTOCOL_OFFSET) != IpHeaders.PROTOCOL_TCP) {
            final int skipped = IpHeaders.IP_AND_UDP_LENGTH;
            return wrapHeader(ip + skipped, lengthBytes - skipped);
        }
        final int skipped = SegmentHeaders.IP_AND_TCP_LENGTH;
        final int word = Memory.getIntBigEndian(ip + SegmentHeaders.SEQUENCE_OFFSET);
        final boolean isFirst = (word & (1 << SegmentHeaders.OFFSET_BITS) - 1) == 0;
        if (isFirst && wrapHeader(ip + skipped, lengthBytes - skipped)) {
            return true;
        }
        if (isUdpLink) {
            return false;
        }
        source = coordinates(Memory.getIntBigEndian(ip + IP_SOURCE_OFFSET));
        destination = coordinates(Memory.getIntBigEndian(ip + IP_DESTINATION_OFFSET));
        return true;
    }

    // 10, then dimensions 2, 1 and 0.
    private static long coordinates(final int address) {
        return address & (1 << (DIMENSIONS_BY_IP * Byte.SIZE)) - 1;
    }

    private boolean wrapHeader(final long address, final int lengthBytes) {
        if (lengthBytes < FrameHeaderFlyweight.LENGTH
                || header.wrap(address).version() != FrameHeaderFlyweight.VERSION) {
            return false;
        }
        hasHeader = true;
        source = header.source();
        destination = header.destination();
        return true;
    }

    /** Coordinates of the node that it comes from. */
    long source() {
        return source;
    }

    /** Coordinates of the node that it is for. */
    long destination() {
        return destination;
    }

    /** A {@link FrameType}; that of data for a later segment of a long frame. */
    int type() {
        return hasHeader ? header.type() : FrameType.DATA;
    }

    /** True if the context is an end of its flow; never for a later segment of a long frame. */
    boolean isOfContext(final int context) {
        return hasHeader
                && !io.hxb.frame.FrameValidator.isLinkLocal(header.type())
                && (header.sourceContext() == context || header.destinationContext() == context);
    }
}
