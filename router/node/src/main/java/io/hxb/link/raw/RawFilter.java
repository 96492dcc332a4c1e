package io.hxb.link.raw;

import io.hxb.os.bpf.ClassicCode;

/**
 * Classic BPF programs of the sockets of a link: one for frames of one EtherType that this station
 * should receive, ones for such of UDP and of TCP, and one for nothing. None lets frames pass that
 * this station has sent, or that arrive although they have another station's MAC address. Pure.
 */
final class RawFilter {
    // SKF_AD_OFF + SKF_AD_PKTTYPE of linux/filter.h.
    private static final int PACKET_TYPE = 0xFFFF_F000 + 4;
    private static final int PACKET_MULTICAST = 2;
    private static final int ETHER_TYPE_OFFSET = 12;
    private static final int IP_OFFSET = 14;
    private static final int FRAGMENT_OFFSET = 20;
    // More fragments, and the place of this one. Source: RFC 791, 3.1.
    private static final int FRAGMENT_MASK = 0x3FFF;
    private static final int PROTOCOL_OFFSET = 23;
    private static final int PROTOCOL_UDP = 17;
    private static final int PROTOCOL_TCP = 6;
    private static final int PORT_OFFSET = 36;
    private static final int TCP_DATA_OFFSET = 46;

    private RawFilter() {}

    /** Lets the frames of an EtherType through. */
    static long[] of(final int etherType) {
        return new long[] {
            ClassicCode.loadByte(PACKET_TYPE),
            ClassicCode.jumpIfGreater(PACKET_MULTICAST, 3, 0),
            ClassicCode.loadHalf(ETHER_TYPE_OFFSET),
            ClassicCode.jumpIfEqual(etherType, 0, 1),
            ClassicCode.accept(),
            ClassicCode.reject(),
        };
    }

    /**
     * Lets datagrams of UDP over IPv4 to a port through that are sent to a MAC address, or to all,
     * without IP options, and no fragments of datagrams. They are for somebody else as the kernel
     * sees it.
     */
    static long[] ofIp(final long mac, final int port) {
        return new long[] {
            ClassicCode.loadWord(0),
            ClassicCode.jumpIfEqual(-1, 0, 2),
            ClassicCode.loadHalf(Integer.BYTES),
            ClassicCode.jumpIfEqual(0xFFFF, 3, 13),
            ClassicCode.jumpIfEqual((int) (mac >>> 16), 0, 12),
            ClassicCode.loadHalf(Integer.BYTES),
            ClassicCode.jumpIfEqual((int) (mac & 0xFFFF), 0, 10),
            ClassicCode.loadHalf(IP_OFFSET),
            ClassicCode.and(0xFF00),
            ClassicCode.jumpIfEqual(0x4500, 0, 7),
            ClassicCode.loadByte(PROTOCOL_OFFSET),
            ClassicCode.jumpIfEqual(PROTOCOL_UDP, 0, 5),
            ClassicCode.loadHalf(FRAGMENT_OFFSET),
            ClassicCode.and(FRAGMENT_MASK),
            ClassicCode.jumpIfEqual(0, 0, 2),
            ClassicCode.loadHalf(PORT_OFFSET),
            ClassicCode.jumpIfEqual(port, 1, 0),
            ClassicCode.reject(),
            ClassicCode.accept(),
        };
    }

    /**
     * Lets segments of TCP over IPv4 to a port through that are sent to a MAC address, without
     * options of IP or TCP, and no fragments of packets.
     */
    static long[] ofSegments(final long mac, final int port) {
        return new long[] {
            ClassicCode.loadWord(0),
            ClassicCode.jumpIfEqual((int) (mac >>> 16), 0, 15),
            ClassicCode.loadHalf(Integer.BYTES),
            ClassicCode.jumpIfEqual((int) (mac & 0xFFFF), 0, 13),
            ClassicCode.loadHalf(IP_OFFSET),
            ClassicCode.and(0xFF00),
            ClassicCode.jumpIfEqual(0x4500, 0, 10),
            ClassicCode.loadByte(PROTOCOL_OFFSET),
            ClassicCode.jumpIfEqual(PROTOCOL_TCP, 0, 8),
            ClassicCode.loadHalf(FRAGMENT_OFFSET),
            ClassicCode.and(FRAGMENT_MASK),
            ClassicCode.jumpIfEqual(0, 0, 5),
            ClassicCode.loadByte(TCP_DATA_OFFSET),
            ClassicCode.jumpIfEqual(SegmentHeaders.DATA_OFFSET, 0, 3),
            ClassicCode.loadHalf(PORT_OFFSET),
            ClassicCode.jumpIfEqual(port, 0, 1),
            ClassicCode.accept(),
            ClassicCode.reject(),
        };
    }

    /** Lets nothing through. */
    static long[] nothing() {
        return new long[] {ClassicCode.reject()};
    }
}
