package io.hxb.node.ip;

import io.hxb.linux.Memory;
import io.hxb.tap.InternetChecksum;

/**
 * What the headers of a packet say, as far as they are there: which connection it belongs to, and
 * whether its sender takes marks for drops. Stateless.
 */
final class PacketHeaders {
    static final int ETHERNET_BYTES = 14;
    static final int IPV4 = 0x0800;
    static final int IPV6 = 0x86DD;
    static final int TCP = 6;
    static final int UDP = 17;
    private static final int TYPE_OFFSET = 12;
    private static final int IPV4_BYTES = 20;
    static final int IPV6_BYTES = 40;
    private static final int PORTS_BYTES = 4;
    private static final int TCP_BYTES = 20;
    private static final int TCP_OFFSET_OFFSET = 12;
    private static final int TCP_FLAGS_OFFSET = 13;

    /** FIN, SYN, RST and URG. */
    private static final int TCP_EVENTS = 1 | 2 | 4 | 32;

    private static final int ECN_MASK = 3;
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    private PacketHeaders() {}

    /** EtherType of a frame of at least {@link #ETHERNET_BYTES}. */
    static int type(final long frame) {
        return Memory.getUnsignedShortBigEndian(frame + TYPE_OFFSET);
    }

    /** A number that packets of a connection have in common, and others mostly not. */
    static int hash(final long frame, final int lengthBytes) {
        final long packet = frame + ETHERNET_BYTES;
        final int bytes = lengthBytes - ETHERNET_BYTES;
        long hash = 0;
        if (type(frame) == IPV4 && bytes >= IPV4_BYTES) {
            final int headerBytes = (Memory.getUnsignedByte(packet) & 15) << 2;
            hash = mix(Memory.getLong(packet + 12), Memory.getUnsignedByte(packet + 9));
            if (!isFragment(packet) && hasPorts(Memory.getUnsignedByte(packet + 9))) {
                hash = mix(hash, ports(packet, headerBytes, bytes));
            }
        } else if (type(frame) == IPV6 && bytes >= IPV6_BYTES) {
            final int protocol = Memory.getUnsignedByte(packet + 6);
            hash = mix(Memory.getLong(packet + 8) ^ Memory.getLong(packet + 16), protocol);
            hash = mix(hash, Memory.getLong(packet + 24) ^ Memory.getLong(packet + 32));
            if (hasPorts(protocol)) {
                hash = mix(hash, ports(packet, IPV6_BYTES, bytes));
            }
        }
        return (int) (hash >>> Integer.SIZE);
    }

    private static boolean isFragment(final long ipv4) {
        return (Memory.getUnsignedShortBigEndian(ipv4 + 6) & 0x3FFF) != 0;
    }

    private static boolean hasPorts(final int protocol) {
        return protocol == TCP || protocol == UDP;
    }

    private static int ports(final long packet, final int offset, final int bytes) {
        return offset + PORTS_BYTES <= bytes ? Memory.getInt(packet + offset) : 0;
    }

    private static long mix(final long hash, final long value) {
        final long mixed = (hash ^ value) * GOLDEN;
        return mixed ^ mixed >>> Integer.SIZE ^ mixed << Integer.SIZE;
    }

    /**
     * True for a packet of TCP that acknowledges data and neither carries any nor begins or ends a
     * connection. Source: RFC 9293, 3.1.
     */
    static boolean isAcknowledgement(final long frame, final int lengthBytes) {
        final long packet = frame + ETHERNET_BYTES;
        final int bytes = lengthBytes - ETHERNET_BYTES;
        if (type(frame) == IPV4 && bytes >= IPV4_BYTES) {
            final int headerBytes = (Memory.getUnsignedByte(packet) & 15) << 2;
            return !isFragment(packet)
                    && Memory.getUnsignedByte(packet + 9) == TCP
                    && isAcknowledgement(
                            packet,
                            headerBytes,
                            Math.min(bytes, Memory.getUnsignedShortBigEndian(packet + 2)));
        }
        return type(frame) == IPV6
                && bytes >= IPV6_BYTES
                && Memory.getUnsignedByte(packet + 6) == TCP
                && isAcknowledgement(
                        packet,
                        IPV6_BYTES,
                        Math.min(bytes, IPV6_BYTES + Memory.getUnsignedShortBigEndian(packet + 4)));
    }

    private static boolean isAcknowledgement(final long packet, final int offset, final int bytes) {
        if (bytes < offset + TCP_BYTES) {
            return false;
        }
        final long header = packet + offset;
        final int headerBytes = (Memory.getUnsignedByte(header + TCP_OFFSET_OFFSET) >> 4) << 2;
        final int flags = Memory.getUnsignedByte(header + TCP_FLAGS_OFFSET);
        return bytes == offset + headerBytes && (flags & TCP_EVENTS) == 0;
    }

    /**
     * Marks a packet as having met congestion.
     *
     * @return false if its sender would not see that: it has to be dropped instead. Source: RFC
     *     3168, 5; RFC 1624 for the checksum.
     */
    static boolean mark(final long frame, final int lengthBytes) {
        final long packet = frame + ETHERNET_BYTES;
        final int bytes = lengthBytes - ETHERNET_BYTES;
        if (type(frame) == IPV4 && bytes >= IPV4_BYTES) {
            return markIpv4(packet);
        }
        if (type(frame) == IPV6 && bytes >= IPV6_BYTES) {
            final int second = Memory.getUnsignedByte(packet + 1);
            Memory.putByte(
                    packet + 1, (second >> 4 & ECN_MASK) == 0 ? second : second | ECN_MASK << 4);
            return (second >> 4 & ECN_MASK) != 0;
        }
        return false;
    }

    private static boolean markIpv4(final long packet) {
        final int word = Memory.getUnsignedShortBigEndian(packet);
        if ((word & ECN_MASK) == 0) {
            return false;
        }
        final int marked = word | ECN_MASK;
        Memory.putShortBigEndian(packet, marked);
        final int checksum = Memory.getUnsignedShortBigEndian(packet + 10);
        final int sum = (~checksum & 0xFFFF) + (~word & 0xFFFF) + marked;
        Memory.putShortBigEndian(packet + 10, InternetChecksum.of(sum));
        return true;
    }
}
