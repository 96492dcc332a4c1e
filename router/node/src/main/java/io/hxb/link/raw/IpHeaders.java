package io.hxb.link.raw;

import io.hxb.link.LongFrameJoin;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.tap.InternetChecksum;
import io.hxb.tap.VirtioHeader;

/**
 * What comes before HXB frames that a raw link sends as UDP over IPv4, or receives so. Stateless.
 *
 * <pre>
 * offset length meaning (big-endian but for the first)
 *      0     10 struct virtio_net_hdr, native order
 *     10     14 Ethernet header: destination, source, EtherType of IPv4
 *     24     20 IPv4 header, without options or fragments
 *     44      8 UDP header; the destination port is the number of the EtherType, the source port
 *               that and the route, see {@link #ports}
 * </pre>
 *
 * <p>The MAC addresses are not those of the NICs, but these with the bit of locally administered
 * addresses inverted. So the kernel's protocols take the frames for somebody else's and neither
 * answer nor forward them.
 *
 * <p>All frames after one header have the same source, destination, route and hop limit. The IPv4
 * addresses are made of the coordinates of source and destination; the time to live is the hop
 * limit, which counts instead of that in the frames, so that relays change nothing but headers. The
 * ports tell frames of different routes apart for kernels that join datagrams.
 *
 * <p>Source: RFC 791, RFC 768, IEEE 802-2014, 8.4.
 */
public final class IpHeaders {
    /** Bytes of all. */
    static final int LENGTH = 52;

    /** Bytes of the headers of IPv4 and UDP. */
    public static final int IP_AND_UDP_LENGTH = 28;

    /** Bit of the first byte of a MAC address that is inverted. */
    public static final int LOCAL_BIT = 0x02;

    /** Offsets from the IPv4 header, and what is there. Source: RFC 791, 3.1; RFC 768. */
    public static final int TOTAL_LENGTH_OFFSET = 2,
            FRAGMENT_OFFSET = 6,
            TIME_TO_LIVE_OFFSET = 8,
            PROTOCOL_OFFSET = 9,
            CHECKSUM_OFFSET = 10,
            DESTINATION_PORT_OFFSET = 22,
            VERSION_AND_LENGTH = 0x45,
            MORE_FRAGMENTS_AND_OFFSET = 0x3FFF,
            PROTOCOL_UDP = 17,
            PROTOCOL_TCP = 6;

    /** EtherType of IPv4. */
    public static final int ETHER_TYPE = 0x0800;

    /** The IPv4 address of probes: a multicast address of the organisation (RFC 2365, 6.2). */
    static final int PROBE_ADDRESS = 239 << 24 | 192 << 16 | 'H' << 8 | 'X';

    private static final int ETHERNET_OFFSET = 10;
    private static final int IP_OFFSET = 24;
    private static final int UDP_OFFSET = 44;
    private static final int DO_NOT_FRAGMENT = 0x4000;
    private static final int PRIVATE_NETWORK = 10 << 24;

    private IpHeaders() {}

    /** The MAC address by which the NIC with {@code mac} sends and receives IP, or back. */
    static long other(final long mac) {
        return mac ^ (long) LOCAL_BIT << 40;
    }

    /** The IPv4 address of a node: 10, then dimensions 2, 1 and 0. */
    public static int address(final long coordinates) {
        return PRIVATE_NETWORK | LongFrameJoin.origin(coordinates);
    }

    /**
     * Both UDP ports, the source port in the upper half: the destination port for frames of the
     * default order, and mostly another one for each other route.
     *
     * @param port destination port.
     * @param order the order of the route.
     */
    static int ports(final int port, final int order) {
        final int difference = order ^ DimensionOrder.DEFAULT;
        final int route = (difference ^ (difference << 16)) & 0xFFFF_0000;
        return route ^ (port << 16 | port);
    }

    /**
     * Writes all headers.
     *
     * @param prefix address of {@value #LENGTH} bytes.
     * @param destination two bytes 0, then the destination MAC address, as in memory.
     * @param source the source MAC address and the EtherType, as in memory.
     * @param from IPv4 address of the sender.
     * @param to IPv4 address of the receiver.
     * @param ports UDP ports, see {@link #ports}.
     * @param timeToLive links it may cross, 1 to 255.
     * @param payloadBytes bytes that follow, at most 65,507.
     * @param segmentBytes bytes of each datagram it is to be cut into; 0 for one datagram.
     */
    static void write(
            final long prefix,
            final long destination,
            final long source,
            final int from,
            final int to,
            final int ports,
            final int timeToLive,
            final int payloadBytes,
            final int segmentBytes) {
        Memory.putLong(prefix + ETHERNET_OFFSET - 2, destination);
        Memory.putLong(prefix + ETHERNET_OFFSET + 6, source);
        VirtioHeader.writeUdp(prefix, LENGTH - ETHERNET_OFFSET, segmentBytes);
        final int udpBytes = LENGTH - UDP_OFFSET + payloadBytes;
        writeIp(
                prefix + IP_OFFSET,
                from,
                to,
                timeToLive << Byte.SIZE | PROTOCOL_UDP,
                udpBytes + UDP_OFFSET - IP_OFFSET);
        final long udp = prefix + UDP_OFFSET;
        Memory.putIntBigEndian(udp, ports);
        Memory.putShortBigEndian(udp + 4, udpBytes);
        Memory.putShortBigEndian(
                udp + 6,
                InternetChecksum.folded(halves(from) + halves(to) + PROTOCOL_UDP + udpBytes));
    }

    /**
     * Writes an IPv4 header.
     *
     * @param lifeAndProtocol time to live in the upper byte, protocol in the lower.
     * @param lengthBytes bytes of the packet, the header included.
     */
    static void writeIp(
            final long ip,
            final int from,
            final int to,
            final int lifeAndProtocol,
            final int lengthBytes) {
        Memory.putShortBigEndian(ip, VERSION_AND_LENGTH << 8);
        Memory.putShortBigEndian(ip + TOTAL_LENGTH_OFFSET, lengthBytes);
        Memory.putIntBigEndian(ip + 4, DO_NOT_FRAGMENT);
        Memory.putShortBigEndian(ip + TIME_TO_LIVE_OFFSET, lifeAndProtocol);
        final int sum =
                (VERSION_AND_LENGTH << 8)
                        + lengthBytes
                        + DO_NOT_FRAGMENT
                        + lifeAndProtocol
                        + halves(from)
                        + halves(to);
        Memory.putShortBigEndian(ip + CHECKSUM_OFFSET, InternetChecksum.of(sum));
        Memory.putIntBigEndian(ip + 12, from);
        Memory.putIntBigEndian(ip + 16, to);
    }

    /** Both halves of an address, added. */
    static int halves(final int word) {
        return (word >>> 16) + (word & 0xFFFF);
    }

    /** The source MAC address. */
    static long source(final long prefix) {
        return ReceiveRing.sourceAddress(prefix + ETHERNET_OFFSET);
    }

    /** The time to live, 0 to 255. */
    static int timeToLive(final long prefix) {
        return Memory.getUnsignedByte(prefix + IP_OFFSET + TIME_TO_LIVE_OFFSET);
    }
}
