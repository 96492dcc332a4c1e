package io.hxb.link.raw;

import io.hxb.link.LongFrameJoin;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.tap.InternetChecksum;
import io.hxb.tap.VirtioHeader;

/**
 * What comes before a long frame, or a part of one, that a raw link sends as a segment of TCP over
 * IPv4 that belongs to no connection. NICs and kernels cut it into segments of the MTU, and join
 * them, as if it were TCP. Stateless.
 *
 * <pre>
 * offset length meaning (big-endian but for the first)
 *      0     10 struct virtio_net_hdr, native order
 *     10     14 Ethernet header: destination, source, EtherType of IPv4
 *     24     20 IPv4 header, without options or fragments
 *     44      2 source port: that of the destination and the route, see {@link IpHeaders#ports}
 *     46      2 destination port: the number of the EtherType
 *     48      4 sequence: eighths of the frame's length, 15 bits, then the offset of what
 *               follows in the frame, 17 bits; the cutter adds to it
 *     52      4 acknowledgement: number of the frame, so that no two are joined
 *     56      2 20 bytes of header, ACK; PSH in what ends the frame
 *     58      2 window: the rest of the length divided by 8, 3 bits, and marks
 *     60      2 checksum
 *     62      2 0
 * </pre>
 *
 * <p>MAC addresses, IPv4 addresses and time to live are as {@link IpHeaders} describes.
 *
 * <p>Source: draft-davie-stt-08, 5; RFC 9293, 3.1.
 */
public final class SegmentHeaders {
    /** Bytes of all. */
    static final int LENGTH = 64;

    /** Bytes of the headers of IPv4 and TCP. */
    public static final int IP_AND_TCP_LENGTH = 40;

    /**
     * Bytes that may follow: with its Ethernet header, a kernel passes 65,535 bytes in one piece.
     * Source: Linux, GSO_LEGACY_MAX_SIZE.
     */
    static final int MAX_PAYLOAD_BYTES = 65_535 - 54;

    /** Bytes of a frame at most. */
    static final int MAX_FRAME_BYTES = (1 << 17) - 1;

    /** Offsets from the IPv4 header. Source: RFC 9293, 3.1. */
    public static final int SOURCE_PORT_OFFSET = 20,
            SEQUENCE_OFFSET = 24,
            DATA_OFFSET_OFFSET = 32,
            WINDOW_OFFSET = 34;

    /** Bits of the sequence that are an offset. */
    public static final int OFFSET_BITS = 17;

    /** What the byte at {@link #DATA_OFFSET_OFFSET} is. */
    public static final int DATA_OFFSET = 5 << 4;

    /** Mark: the sender requests an acknowledgement of the frame. */
    static final int ASKING = 1 << 3;

    /** Mark: the frame only shows whether it arrives. */
    static final int PROBE = 1 << 4;

    /** Mark: no frame, but the acknowledgement of one. */
    static final int ANSWER = 1 << 5;

    /** Mark: kernels leave the frame to the node, since the addresses do not show its route. */
    public static final int FOR_NODE = 1 << 6;

    /** Marks of what kernels leave to the node. */
    public static final int NODE_MARKS = ASKING | PROBE | ANSWER | FOR_NODE;

    private static final int LENGTH_MASK = 7;
    private static final int ETHERNET_OFFSET = 10;
    private static final int IP_OFFSET = 24;
    private static final int TCP_OFFSET = 44;
    private static final int ACK = 0x10;
    private static final int PSH = 0x08;

    private SegmentHeaders() {}

    /**
     * Writes where a frame comes from and goes to; {@link #writeRange} has to follow.
     *
     * @param prefix address of {@value #LENGTH} bytes.
     * @param destination two bytes 0, then the destination MAC address, as in memory.
     * @param source the source MAC address and the EtherType, as in memory.
     * @param from IPv4 address of the sender.
     * @param to IPv4 address of the receiver.
     * @param ports see {@link IpHeaders#ports}.
     * @param timeToLive links it may cross, 1 to 255.
     */
    static void writeAddresses(
            final long prefix,
            final long destination,
            final long source,
            final int from,
            final int to,
            final int ports,
            final int timeToLive) {
        Memory.putLong(prefix + ETHERNET_OFFSET - 2, destination);
        Memory.putLong(prefix + ETHERNET_OFFSET + 6, source);
        final int lifeAndProtocol = timeToLive << Byte.SIZE | IpHeaders.PROTOCOL_TCP;
        IpHeaders.writeIp(prefix + IP_OFFSET, from, to, lifeAndProtocol, IP_AND_TCP_LENGTH);
        Memory.putIntBigEndian(prefix + TCP_OFFSET, ports);
    }

    /**
     * Writes which bytes of which frame follow.
     *
     * @param prefix as {@link #writeAddresses} left it, or a copy.
     * @param number of the frame.
     * @param frameBytes bytes of the frame, up to {@value #MAX_FRAME_BYTES}.
     * @param marks any of those above.
     * @param offset of the first byte that follows.
     * @param lengthBytes bytes that follow, up to {@link #MAX_PAYLOAD_BYTES}.
     * @param segmentBytes bytes of each segment that they are to be cut into.
     */
    static void writeRange(
            final long prefix,
            final int number,
            final int frameBytes,
            final int marks,
            final int offset,
            final int lengthBytes,
            final int segmentBytes) {
        // Kernels drop a packet that is marked for segmentation and fits into one segment.
        VirtioHeader.writeTcp(
                prefix, LENGTH - ETHERNET_OFFSET, lengthBytes > segmentBytes ? segmentBytes : 0);
        final long ip = prefix + IP_OFFSET;
        final int from = Memory.getIntBigEndian(ip + 12);
        final int to = Memory.getIntBigEndian(ip + 16);
        final int lifeAndProtocol =
                Memory.getUnsignedShortBigEndian(ip + IpHeaders.TIME_TO_LIVE_OFFSET);
        IpHeaders.writeIp(ip, from, to, lifeAndProtocol, IP_AND_TCP_LENGTH + lengthBytes);
        final long tcp = prefix + TCP_OFFSET;
        final boolean isEnd = offset + lengthBytes == frameBytes;
        Memory.putIntBigEndian(tcp + 4, frameBytes >>> 3 << OFFSET_BITS | offset);
        Memory.putIntBigEndian(tcp + 8, number);
        Memory.putShortBigEndian(tcp + 12, DATA_OFFSET << Byte.SIZE | ACK | (isEnd ? PSH : 0));
        Memory.putShortBigEndian(tcp + 14, marks | (frameBytes & LENGTH_MASK));
        final int tcpBytes = LENGTH - TCP_OFFSET + lengthBytes;
        Memory.putShortBigEndian(
                tcp + 16,
                InternetChecksum.folded(
                        IpHeaders.halves(from)
                                + IpHeaders.halves(to)
                                + IpHeaders.PROTOCOL_TCP
                                + tcpBytes));
        Memory.putShort(tcp + 18, 0);
    }

    /** True if ports can show the order of a route, as far as three dimensions need it. */
    static boolean hasPorts(final int order) {
        return (order ^ DimensionOrder.DEFAULT) >>> 16 == 0;
    }

    /** The source MAC address. */
    static long source(final long prefix) {
        return IpHeaders.source(prefix);
    }

    /** The time to live, 0 to 255. */
    static int timeToLive(final long prefix) {
        return IpHeaders.timeToLive(prefix);
    }

    /** Bytes that follow, according to the headers. */
    static int lengthBytes(final long prefix) {
        return Memory.getUnsignedShortBigEndian(prefix + IP_OFFSET + IpHeaders.TOTAL_LENGTH_OFFSET)
                - IP_AND_TCP_LENGTH;
    }

    /** The node that the frame claims to come from: see {@link LongFrameJoin#origin}. */
    static int origin(final long prefix) {
        return Memory.getIntBigEndian(prefix + IP_OFFSET + 12) & 0xFF_FFFF;
    }

    /** Number of the frame. */
    static int number(final long prefix) {
        return Memory.getIntBigEndian(prefix + TCP_OFFSET + 8);
    }

    /** Bytes of the frame. */
    static int frameBytes(final long prefix) {
        return Memory.getIntBigEndian(prefix + TCP_OFFSET + 4) >>> OFFSET_BITS << 3
                | (marks(prefix) & LENGTH_MASK);
    }

    /** Offset in the frame of the first byte that follows. */
    static int offset(final long prefix) {
        return Memory.getIntBigEndian(prefix + TCP_OFFSET + 4) & MAX_FRAME_BYTES;
    }

    /** The marks, with other bits. */
    static int marks(final long prefix) {
        return Memory.getUnsignedShortBigEndian(prefix + TCP_OFFSET + 14);
    }
}
