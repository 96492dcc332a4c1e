package io.hxb.os.bpf;

import java.util.ArrayList;
import java.util.List;

/**
 * Instructions of classic BPF, which filters what a socket receives and needs no privilege. Pure.
 *
 * <p>An instruction is a struct sock_filter: code 16 bits lowest, jump if true 8, jump if false 8,
 * operand 32. Source: linux/filter.h; Documentation/networking/filter.rst.
 */
public final class ClassicCode {
    /** Largest program that the kernel takes (BPF_MAXINSNS). */
    public static final int MAX_INSTRUCTIONS = 4_096;

    /** Added to the offset of a load: from the network header on (SKF_NET_OFF). */
    public static final int NETWORK_HEADER = -0x10_0000;

    /** Loaded as a word: to whom a frame is sent (SKF_AD_PKTTYPE); {@link #TO_ANOTHER}. */
    public static final int PACKET_TYPE = -0x1000 + 4;

    /** Loaded as a word: the tag control information (SKF_AD_VLAN_TAG). */
    public static final int VLAN_TAG = -0x1000 + 44;

    /** Loaded as a word: 0 if there is no tag (SKF_AD_VLAN_TAG_PRESENT). */
    public static final int VLAN_TAG_PRESENT = -0x1000 + 48;

    /** The packet type of frames to the address of another NIC (PACKET_OTHERHOST). */
    public static final int TO_ANOTHER = 3;

    private static final int LOAD_WORD = 0x20;
    private static final int LOAD_HALF = 0x28;
    private static final int LOAD_BYTE = 0x30;
    private static final int AND = 0x54;
    private static final int JUMP = 0x05;
    private static final int JUMP_EQUAL = 0x15;
    private static final int JUMP_GREATER = 0x25;
    private static final int RETURN = 0x06;
    private static final int WHOLE_FRAME = 0x4_0000;
    private static final int MAX_JUMP = 255;

    private ClassicCode() {}

    /** Loads the 4 bytes at {@code offset}, first byte highest. */
    public static long loadWord(final int offset) {
        return instruction(LOAD_WORD, 0, 0, offset);
    }

    /** Loads the 2 bytes at {@code offset}, first byte highest. */
    public static long loadHalf(final int offset) {
        return instruction(LOAD_HALF, 0, 0, offset);
    }

    /** Loads the byte at {@code offset}. */
    public static long loadByte(final int offset) {
        return instruction(LOAD_BYTE, 0, 0, offset);
    }

    /** Keeps those bits of what was loaded. */
    public static long and(final int mask) {
        return instruction(AND, 0, 0, mask);
    }

    /** Skips that many instructions if what was loaded is {@code value}, or is not. */
    public static long jumpIfEqual(final int value, final int onTrue, final int onFalse) {
        return instruction(JUMP_EQUAL, onTrue, onFalse, value);
    }

    /** Skips that many instructions if what was loaded is greater, unsigned, or is not. */
    public static long jumpIfGreater(final int value, final int onTrue, final int onFalse) {
        return instruction(JUMP_GREATER, onTrue, onFalse, value);
    }

    /** Skips {@code count} instructions. */
    public static long jump(final int count) {
        return instruction(JUMP, 0, 0, count);
    }

    /** Lets the frame through. */
    public static long accept() {
        return instruction(RETURN, 0, 0, WHOLE_FRAME);
    }

    /** Lets the first bytes of the frame through. */
    public static long acceptOnly(final int lengthBytes) {
        return instruction(RETURN, 0, 0, lengthBytes);
    }

    /** Drops the frame. */
    public static long reject() {
        return instruction(RETURN, 0, 0, 0);
    }

    /**
     * Runs the second code if what was loaded is greater than {@code value}, unsigned, otherwise
     * the first; neither may run beyond its end.
     */
    public static List<Long> choose(
            final int value, final List<Long> first, final List<Long> second) {
        final List<Long> code = new ArrayList<>(first.size() + second.size() + 2);
        if (first.size() <= MAX_JUMP) {
            code.add(jumpIfGreater(value, first.size(), 0));
        } else {
            code.add(jumpIfGreater(value, 0, 1));
            code.add(jump(first.size()));
        }
        code.addAll(first);
        code.addAll(second);
        return code;
    }

    private static long instruction(
            final int code, final int onTrue, final int onFalse, final int operand) {
        assert onTrue <= MAX_JUMP && onFalse <= MAX_JUMP : onTrue + ", " + onFalse;
        return code | (long) onTrue << 16 | (long) onFalse << 24 | (long) operand << 32;
    }
}
