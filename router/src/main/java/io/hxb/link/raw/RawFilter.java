package io.hxb.link.raw;

import io.hxb.frame.FrameHeaderFlyweight;

/**
 * Two classic BPF programs that deal received frames out to the two sockets of a link: frames to be
 * relayed to the ring, everything else of our EtherType to the pool. Every frame passes exactly one
 * of them, but for frames to another station's MAC address and our own, which pass neither. Pure.
 *
 * <p>Source: linux/filter.h; Documentation/networking/filter.rst.
 */
final class RawFilter {
    private static final int LOAD_WORD = 0x20;
    private static final int LOAD_HALF = 0x28;
    private static final int LOAD_BYTE = 0x30;
    private static final int LOAD_LENGTH = 0x80;
    private static final int JUMP_EQUAL = 0x15;
    private static final int JUMP_GREATER = 0x25;
    private static final int JUMP_GREATER_OR_EQUAL = 0x35;
    private static final int RETURN = 0x06;
    private static final int PACKET_TYPE = 0xFFFF_F000 + 4;
    private static final int PACKET_MULTICAST = 2;
    private static final int WHOLE_FRAME = 0x4_0000;

    private static final int ETHER_TYPE_OFFSET = 12;
    private static final int HEADER_OFFSET = 14;
    private static final int VERSION_OFFSET = HEADER_OFFSET + FrameHeaderFlyweight.VERSION_OFFSET;
    private static final int DESTINATION_OFFSET =
            HEADER_OFFSET + FrameHeaderFlyweight.DESTINATION_OFFSET;

    // Indexes of the instructions that end the program.
    private static final int POOL = 15;
    private static final int RING = 16;
    private static final int DROP = 17;

    private RawFilter() {}

    /** Lets frames for this node through, and malformed ones, so that they are counted. */
    static long[] forPool(final int etherType, final long coordinates) {
        return program(etherType, coordinates, WHOLE_FRAME, 0);
    }

    /** Lets frames through whose destination is another node. */
    static long[] forRing(final int etherType, final long coordinates) {
        return program(etherType, coordinates, 0, WHOLE_FRAME);
    }

    /** Lets nothing through. */
    static long[] nothing() {
        return new long[] {instruction(RETURN, 0, 0, 0)};
    }

    private static long[] program(
            final int etherType, final long coordinates, final int pool, final int ring) {
        // The program loads words in network byte order, the first byte highest.
        final int first = Integer.reverseBytes((int) coordinates);
        final int second = Integer.reverseBytes((int) (coordinates >>> 32));
        return new long[] {
            instruction(LOAD_HALF, 0, 0, ETHER_TYPE_OFFSET),
            jump(1, JUMP_EQUAL, etherType, 2, DROP),
            instruction(LOAD_BYTE, 0, 0, PACKET_TYPE),
            jump(3, JUMP_GREATER, PACKET_MULTICAST, DROP, 4),
            instruction(LOAD_LENGTH, 0, 0, 0),
            jump(5, JUMP_GREATER_OR_EQUAL, HEADER_OFFSET + FrameHeaderFlyweight.LENGTH, 6, POOL),
            instruction(LOAD_BYTE, 0, 0, VERSION_OFFSET),
            jump(7, JUMP_EQUAL, FrameHeaderFlyweight.VERSION, 8, POOL),
            instruction(LOAD_WORD, 0, 0, DESTINATION_OFFSET),
            jump(9, JUMP_EQUAL, first, 10, 12),
            instruction(LOAD_WORD, 0, 0, DESTINATION_OFFSET + 4),
            jump(11, JUMP_EQUAL, second, POOL, RING),
            jump(12, JUMP_EQUAL, -1, 13, RING),
            instruction(LOAD_WORD, 0, 0, DESTINATION_OFFSET + 4),
            jump(14, JUMP_EQUAL, -1, POOL, RING),
            instruction(RETURN, 0, 0, pool),
            instruction(RETURN, 0, 0, ring),
            instruction(RETURN, 0, 0, 0),
        };
    }

    private static long jump(
            final int at, final int code, final int operand, final int onTrue, final int onFalse) {
        return instruction(code, onTrue - at - 1, onFalse - at - 1, operand);
    }

    private static long instruction(
            final int code, final int onTrue, final int onFalse, final int operand) {
        return code | (long) onTrue << 16 | (long) onFalse << 24 | (long) operand << 32;
    }
}
