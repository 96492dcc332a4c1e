package io.hxb.link.raw;

import io.hxb.linux.Memory;
import io.hxb.tap.VirtioHeader;

/**
 * What comes before HXB frames that a raw link sends as UDP over IPv4, or receives so. Stateless.
 *
 * <pre>
 * offset length meaning (big-endian but for the first)
 *      0     10 struct virtio_net_hdr, native order
 *     10     14 Ethernet header: destination, source, EtherType of IPv4
 *     24     20 IPv4 header, without options or fragments
 *     44      8 UDP header; both ports are the number of the EtherType
 * </pre>
 *
 * <p>The MAC addresses are not those of the NICs, but these with the bit of locally administered
 * addresses inverted. So the kernel's protocols take the frames for somebody else's and neither
 * answer nor forward them. The IPv4 addresses are made of coordinates.
 *
 * <p>Source: RFC 791, RFC 768, IEEE 802-2014, 8.4.
 */
final class IpHeaders {
    /** Bytes of all. */
    static final int LENGTH = 52;

    /** Bytes of the headers of IPv4 and UDP. */
    static final int IP_AND_UDP_LENGTH = 28;

    /** EtherType of IPv4. */
    static final int ETHER_TYPE = 0x0800;

    /** The IPv4 address of probes: a multicast address of the organisation (RFC 2365, 6.2). */
    static final int PROBE_ADDRESS = 239 << 24 | 192 << 16 | 'H' << 8 | 'X';

    private static final int ETHERNET_OFFSET = 10;
    private static final int IP_OFFSET = 24;
    private static final int UDP_OFFSET = 44;
    private static final int PROTOCOL_UDP = 17;
    private static final int VERSION_AND_LENGTH = 0x4500;
    private static final int DO_NOT_FRAGMENT = 0x4000;
    private static final int TIME_TO_LIVE = 64;
    private static final int PRIVATE_NETWORK = 10 << 24;
    private static final long LOCAL_BIT = 0x02L << 40;

    private IpHeaders() {}

    /** The MAC address by which the NIC with {@code mac} sends and receives IP, or back. */
    static long other(final long mac) {
        return mac ^ LOCAL_BIT;
    }

    /** The IPv4 address of a node: 10, then dimensions 2, 1 and 0. */
    static int address(final long coordinates) {
        final long folded = coordinates ^ coordinates >>> 24 ^ coordinates >>> 48;
        return PRIVATE_NETWORK | ((int) folded & 0xFF_FFFF);
    }

    /**
     * Writes all headers.
     *
     * @param prefix address of {@value #LENGTH} bytes.
     * @param destination two bytes 0, then the destination MAC address, as in memory.
     * @param source the source MAC address and the EtherType, as in memory.
     * @param from IPv4 address of the sender.
     * @param to IPv4 address of the receiver.
     * @param port UDP port of both.
     * @param payloadBytes bytes that follow, at most 65,507.
     * @param segmentBytes bytes of each datagram it is to be cut into; 0 for one datagram.
     */
    static void write(
            final long prefix,
            final long destination,
            final long source,
            final int from,
            final int to,
            final int port,
            final int payloadBytes,
            final int segmentBytes) {
        Memory.putLong(prefix + ETHERNET_OFFSET - 2, destination);
        Memory.putLong(prefix + ETHERNET_OFFSET + 6, source);
        VirtioHeader.writeUdp(prefix, LENGTH - ETHERNET_OFFSET, segmentBytes);
        final int udpBytes = LENGTH - UDP_OFFSET + payloadBytes;
        writeIp(prefix + IP_OFFSET, from, to, udpBytes + UDP_OFFSET - IP_OFFSET);
        final long udp = prefix + UDP_OFFSET;
        Memory.putShortBigEndian(udp, port);
        Memory.putShortBigEndian(udp + 2, port);
        Memory.putShortBigEndian(udp + 4, udpBytes);
        Memory.putShortBigEndian(
                udp + 6, folded(halves(from) + halves(to) + PROTOCOL_UDP + udpBytes));
    }

    private static void writeIp(
            final long ip, final int from, final int to, final int lengthBytes) {
        Memory.putShortBigEndian(ip, VERSION_AND_LENGTH);
        Memory.putShortBigEndian(ip + 2, lengthBytes);
        Memory.putIntBigEndian(ip + 4, DO_NOT_FRAGMENT);
        Memory.putShortBigEndian(ip + 8, TIME_TO_LIVE << 8 | PROTOCOL_UDP);
        final int sum =
                VERSION_AND_LENGTH
                        + lengthBytes
                        + DO_NOT_FRAGMENT
                        + (TIME_TO_LIVE << 8 | PROTOCOL_UDP)
                        + halves(from)
                        + halves(to);
        Memory.putShortBigEndian(ip + 10, ~folded(sum) & 0xFFFF);
        Memory.putIntBigEndian(ip + 12, from);
        Memory.putIntBigEndian(ip + 16, to);
    }

    private static int halves(final int word) {
        return (word >>> 16) + (word & 0xFFFF);
    }

    // Source: RFC 1071, 1.
    private static int folded(final int sum) {
        final int once = (sum & 0xFFFF) + (sum >>> 16);
        return (once & 0xFFFF) + (once >>> 16);
    }

    /** The source MAC address. */
    static long source(final long prefix) {
        return ReceiveRing.sourceAddress(prefix + ETHERNET_OFFSET);
    }
}
