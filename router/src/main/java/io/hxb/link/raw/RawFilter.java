package io.hxb.link.raw;

import io.hxb.os.bpf.ClassicCode;

/**
 * Classic BPF programs of the sockets of a link: one for frames of one EtherType that this station
 * should receive, and one for nothing. Neither lets frames pass that this station has sent, or that
 * arrive although they have another station's MAC address. Pure.
 */
final class RawFilter {
    // SKF_AD_OFF + SKF_AD_PKTTYPE of linux/filter.h.
    private static final int PACKET_TYPE = 0xFFFF_F000 + 4;
    private static final int PACKET_MULTICAST = 2;
    private static final int ETHER_TYPE_OFFSET = 12;

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

    /** Lets nothing through. */
    static long[] nothing() {
        return new long[] {ClassicCode.reject()};
    }
}
