package io.hxb.link.raw;

/**
 * Classic BPF programs of the sockets of a link: frames of one EtherType that this station should
 * hear, and nothing. What has been sent here, or was meant for another station's MAC address and
 * came all the same, passes none. Pure.
 *
 * <p>Source: linux/filter.h; Documentation/networking/filter.rst.
 */
final class RawFilter {
    private static final int LOAD_HALF = 0x28;
    private static final int LOAD_BYTE = 0x30;
    private static final int JUMP_EQUAL = 0x15;
    private static final int JUMP_GREATER = 0x25;
    private static final int RETURN = 0x06;
    private static final int PACKET_TYPE = 0xFFFF_F000 + 4;
    private static final int PACKET_MULTICAST = 2;
    private static final int WHOLE_FRAME = 0x4_0000;
    private static final int ETHER_TYPE_OFFSET = 12;

    private RawFilter() {}

    /** Lets the frames of an EtherType through. */
    static long[] of(final int etherType) {
        return new long[] {
            instruction(LOAD_BYTE, 0, 0, PACKET_TYPE),
            instruction(JUMP_GREATER, 3, 0, PACKET_MULTICAST),
            instruction(LOAD_HALF, 0, 0, ETHER_TYPE_OFFSET),
            instruction(JUMP_EQUAL, 0, 1, etherType),
            instruction(RETURN, 0, 0, WHOLE_FRAME),
            instruction(RETURN, 0, 0, 0),
        };
    }

    /** Lets nothing through. */
    static long[] nothing() {
        return new long[] {instruction(RETURN, 0, 0, 0)};
    }

    private static long instruction(
            final int code, final int onTrue, final int onFalse, final int operand) {
        return code | (long) onTrue << 16 | (long) onFalse << 24 | (long) operand << 32;
    }
}
