package io.hxb.link.raw;

import io.hxb.os.bpf.ClassicCode;

/**
 * Classic BPF programs of the sockets of a link: frames of one EtherType that this station should
 * hear, and nothing. What has been sent here, or was meant for another station's MAC address and
 * came all the same, passes none. Pure.
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
