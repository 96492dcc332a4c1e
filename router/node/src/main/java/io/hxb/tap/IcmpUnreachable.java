package io.hxb.tap;

import io.hxb.linux.Memory;

/**
 * Messages of ICMP that a host or an address is unreachable, about packets that may be answered:
 * neither errors themselves, nor for or from more than one host, nor fragments after the first.
 * Stateless. Source: RFC 792, RFC 1122, 3.2.2, RFC 1812, 4.3.2, RFC 4443, 2.4 and 3.1.
 */
final class IcmpUnreachable {
    /** Bytes of the longest message with its header of IP: the least MTU of IPv6. */
    static final int MAX_BYTES = 1_280;

    private static final int MAX_IPV4_BYTES = 576;
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int ICMP_BYTES = 8;
    private static final int ICMP = 1;
    private static final int ICMP6 = 58;
    private static final int TTL = 64;

    /** Type 3, code 1. */
    private static final int HOST_UNREACHABLE = 0x0301;

    /** Type 1, code 3. */
    private static final int ADDRESS_UNREACHABLE = 0x0103;

    /** Unreachable, source quench, redirect, time exceeded, parameter problem. */
    private static final int ERRORS = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 11 | 1 << 12;

    private static final int FIRST_QUERY6 = 128;
    private static final int REDIRECT6 = 137;

    private static final int INTERNETWORK_CONTROL = 0xC0;
    private static final int DO_NOT_FRAGMENT = 0x4000;

    private IcmpUnreachable() {}

    /**
     * Writes the message about a packet of IPv4.
     *
     * @param packet of {@code bytes}, at least its header without options.
     * @param source address from which the message comes.
     * @return bytes of the message; 0 if there must be none.
     */
    static int ofIpv4(final long packet, final int bytes, final int source, final long message) {
        if (!mayAnswerIpv4(packet, bytes)) {
            return 0;
        }
        final int quoted = Math.min(bytes, MAX_IPV4_BYTES - IPV4_BYTES - ICMP_BYTES);
        final int length = IPV4_BYTES + ICMP_BYTES + quoted;
        Memory.putIntBigEndian(message, 0x4500_0000 | INTERNETWORK_CONTROL << 16 | length);
        Memory.putIntBigEndian(message + 4, DO_NOT_FRAGMENT);
        Memory.putIntBigEndian(message + 8, TTL << 24 | ICMP << 16);
        Memory.putIntBigEndian(message + 12, source);
        Memory.copy(packet + 12, message + 16, Integer.BYTES);
        Memory.putShortBigEndian(
                message + 10, InternetChecksum.of(InternetChecksum.sum(message, IPV4_BYTES)));
        final long icmp = message + IPV4_BYTES;
        begin(icmp, HOST_UNREACHABLE, packet, quoted);
        Memory.putShortBigEndian(
                icmp + 2, InternetChecksum.of(InternetChecksum.sum(icmp, ICMP_BYTES + quoted)));
        return length;
    }

    /**
     * Writes the message about a packet of IPv6.
     *
     * @param packet of {@code bytes}, at least its header.
     * @param high first half of the address from which the message comes.
     * @param low second half.
     * @return bytes of the message; 0 if there must be none.
     */
    static int ofIpv6(
            final long packet,
            final int bytes,
            final long high,
            final long low,
            final long message) {
        if (!mayAnswerIpv6(packet, bytes)) {
            return 0;
        }
        final int quoted = Math.min(bytes, MAX_BYTES - IPV6_BYTES - ICMP_BYTES);
        Memory.putIntBigEndian(message, 0x6000_0000);
        Memory.putIntBigEndian(message + 4, (ICMP_BYTES + quoted) << 16 | ICMP6 << 8 | TTL);
        Memory.putLong(message + 8, Long.reverseBytes(high));
        Memory.putLong(message + 16, Long.reverseBytes(low));
        Memory.copy(packet + 8, message + 24, 2 * Long.BYTES);
        final long icmp = message + IPV6_BYTES;
        begin(icmp, ADDRESS_UNREACHABLE, packet, quoted);
        final int pseudo =
                InternetChecksum.sum(message + 8, 4 * Long.BYTES) + ICMP_BYTES + quoted + ICMP6;
        Memory.putShortBigEndian(
                icmp + 2,
                InternetChecksum.of(pseudo + InternetChecksum.sum(icmp, ICMP_BYTES + quoted)));
        return IPV6_BYTES + ICMP_BYTES + quoted;
    }

    private static void begin(
            final long icmp, final int typeAndCode, final long packet, final int quoted) {
        Memory.putIntBigEndian(icmp, typeAndCode << 16);
        Memory.putInt(icmp + 4, 0);
        Memory.copy(packet, icmp + ICMP_BYTES, quoted);
    }

    private static boolean mayAnswerIpv4(final long packet, final int bytes) {
        final int headerBytes = (Memory.getUnsignedByte(packet) & 15) << 2;
        final boolean isLaterFragment =
                (Memory.getUnsignedShortBigEndian(packet + 6) & 0x1FFF) != 0;
        if (headerBytes < IPV4_BYTES
                || headerBytes >= bytes
                || isLaterFragment
                || !isHost(Memory.getUnsignedByte(packet + 12))
                || !isHost(Memory.getUnsignedByte(packet + 16))) {
            return false;
        }
        final int type = Memory.getUnsignedByte(packet + headerBytes);
        return Memory.getUnsignedByte(packet + 9) != ICMP
                || type >= Integer.SIZE
                || (ERRORS >>> type & 1) == 0;
    }

    /** By the first byte of an address: not this network, loopback, multicast, broadcast. */
    private static boolean isHost(final int first) {
        return first != 0 && first != 127 && first < 224;
    }

    private static boolean mayAnswerIpv6(final long packet, final int bytes) {
        final boolean isUnspecified =
                Memory.getLong(packet + 8) == 0 && Memory.getLong(packet + 16) == 0;
        if (isUnspecified
                || Memory.getUnsignedByte(packet + 8) == 0xFF
                || Memory.getUnsignedByte(packet + 24) == 0xFF) {
            return false;
        }
        int header = Memory.getUnsignedByte(packet + 6);
        int offset = IPV6_BYTES;
        while (Ipv6Extension.is(header)) {
            if (offset + Long.BYTES > bytes
                    || Ipv6Extension.isLaterFragment(header, packet + offset)) {
                return false;
            }
            final int headerBytes = Ipv6Extension.bytes(header, packet + offset);
            header = Memory.getUnsignedByte(packet + offset);
            offset += headerBytes;
        }
        if (header != ICMP6) {
            return true;
        }
        final int type = offset < bytes ? Memory.getUnsignedByte(packet + offset) : 0;
        return type >= FIRST_QUERY6 && type != REDIRECT6;
    }
}
