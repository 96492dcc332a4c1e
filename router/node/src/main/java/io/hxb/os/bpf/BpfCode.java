package io.hxb.os.bpf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes a BPF program instruction by instruction; jumps go to labels, which may come later.
 * Registers hold 64 bits, comparisons are unsigned. Used by one thread. Source: RFC 9669.
 */
public final class BpfCode {
    /** Register of the result of calls and of the program. */
    public static final int R0 = 0;

    /** First argument of calls; the context when the program starts. */
    public static final int R1 = 1;

    /** Further arguments of calls. */
    public static final int R2 = 2, R3 = 3, R4 = 4, R5 = 5;

    /** Kept over calls. */
    public static final int R6 = 6, R7 = 7, R8 = 8, R9 = 9;

    /** The stack's end. */
    public static final int R10 = 10;

    /** Sizes in loads and stores, in bits of the instruction: BPF_B, BPF_H, BPF_W, BPF_DW. */
    public static final int BYTE = 0x10, HALF = 0x08, WORD = 0x00, DOUBLE = 0x18;

    /** Helpers to {@link #call}. Source: linux/bpf.h, ___BPF_FUNC_MAPPER; bpf-helpers(7). */
    public static final int MAP_LOOKUP_ELEM = 1,
            KTIME_GET_NS = 5,
            GET_PRANDOM_U32 = 7,
            SKB_STORE_BYTES = 9,
            SKB_VLAN_PUSH = 18,
            SKB_VLAN_POP = 19,
            REDIRECT = 23,
            SKB_LOAD_BYTES = 26;

    /** Results of a program. Source: linux/bpf.h, enum tcx_action_base. */
    public static final int TCX_NEXT = -1, TCX_DROP = 2, TCX_REDIRECT = 7;

    /** Offsets in the context of programs that see frames. Source: struct __sk_buff. */
    public static final int SKB_LENGTH = 0,
            SKB_PACKET_TYPE = 4,
            SKB_PROTOCOL = 16,
            SKB_VLAN_PRESENT = 20,
            SKB_VLAN_TCI = 24,
            SKB_DATA = 76,
            SKB_DATA_END = 80,
            SKB_WIRE_LENGTH = 160,
            SKB_SEGMENTS = 164,
            SKB_SEGMENT_SIZE = 176;

    // Operations, as the standard has them: class, source and code in one byte.
    private static final int MOVE = 0xBF;
    private static final int MOVE_IMMEDIATE = 0xB7;
    private static final int ADD = 0x0F;
    private static final int ADD_IMMEDIATE = 0x07;
    private static final int SUBTRACT = 0x1F;
    private static final int MULTIPLY = 0x2F;
    private static final int MULTIPLY_IMMEDIATE = 0x27;
    private static final int MODULO = 0x9F;
    private static final int AND_IMMEDIATE = 0x57;
    private static final int OR = 0x4F;
    private static final int XOR = 0xAF;
    private static final int XOR_IMMEDIATE = 0xA7;
    private static final int SHIFT_LEFT = 0x6F;
    private static final int SHIFT_LEFT_IMMEDIATE = 0x67;
    private static final int SHIFT_RIGHT = 0x7F;
    private static final int SHIFT_RIGHT_IMMEDIATE = 0x77;
    private static final int LOAD = 0x61;
    private static final int STORE = 0x63;
    private static final int STORE_IMMEDIATE = 0x62;
    private static final int ATOMIC = 0xC3;
    private static final int LOAD_DOUBLE = 0x18;
    private static final int PSEUDO_MAP_FD = 1;
    private static final int JUMP = 0x05;
    private static final int JUMP_EQUAL = 0x1D;
    private static final int JUMP_EQUAL_IMMEDIATE = 0x15;
    private static final int JUMP_NOT_EQUAL_IMMEDIATE = 0x55;
    private static final int JUMP_NOT_EQUAL_IMMEDIATE_32 = 0x56;
    private static final int JUMP_GREATER = 0x2D;
    private static final int JUMP_GREATER_IMMEDIATE = 0x25;
    private static final int JUMP_LESS = 0xAD;
    private static final int JUMP_LESS_IMMEDIATE = 0xA5;
    private static final int JUMP_NOT_LESS = 0x3D;
    private static final int CALL = 0x85;
    private static final int EXIT = 0x95;

    private final List<Long> instructions = new ArrayList<>();
    private final Map<Integer, String> jumps = new HashMap<>();
    private final Map<String, Integer> labels = new HashMap<>();

    /** {@code target = source}. */
    public BpfCode move(final int target, final int source) {
        return add(MOVE, target, source, 0, 0);
    }

    /** target = value, the sign extended to 64 bits. */
    public BpfCode set(final int target, final int value) {
        return add(MOVE_IMMEDIATE, target, 0, 0, value);
    }

    /** Sets all 64 bits. */
    public BpfCode setLong(final int target, final long value) {
        return add(LOAD_DOUBLE, target, 0, 0, (int) value).add(0, 0, 0, 0, (int) (value >>> 32));
    }

    /** {@code target += value}. */
    public BpfCode plus(final int target, final int value) {
        return add(ADD_IMMEDIATE, target, 0, 0, value);
    }

    /** {@code target += source}. */
    public BpfCode plusRegister(final int target, final int source) {
        return add(ADD, target, source, 0, 0);
    }

    /** {@code target -= source}. */
    public BpfCode minusRegister(final int target, final int source) {
        return add(SUBTRACT, target, source, 0, 0);
    }

    /** {@code target *= value}. */
    public BpfCode times(final int target, final int value) {
        return add(MULTIPLY_IMMEDIATE, target, 0, 0, value);
    }

    /** {@code target *= source}, the lower 64 bits. */
    public BpfCode timesRegister(final int target, final int source) {
        return add(MULTIPLY, target, source, 0, 0);
    }

    /** target %= source; target if source is 0. */
    public BpfCode modulo(final int target, final int source) {
        return add(MODULO, target, source, 0, 0);
    }

    /** {@code target &= value}. */
    public BpfCode and(final int target, final int value) {
        return add(AND_IMMEDIATE, target, 0, 0, value);
    }

    /** {@code target |= source}. */
    public BpfCode orRegister(final int target, final int source) {
        return add(OR, target, source, 0, 0);
    }

    /** {@code target ^= value}. */
    public BpfCode xor(final int target, final int value) {
        return add(XOR_IMMEDIATE, target, 0, 0, value);
    }

    /** {@code target ^= source}. */
    public BpfCode xorRegister(final int target, final int source) {
        return add(XOR, target, source, 0, 0);
    }

    /** {@code target <<= bits}. */
    public BpfCode shiftLeft(final int target, final int bits) {
        return add(SHIFT_LEFT_IMMEDIATE, target, 0, 0, bits);
    }

    /** {@code target <<= the lowest 6 bits of register bits}. */
    public BpfCode shiftLeftRegister(final int target, final int bits) {
        return add(SHIFT_LEFT, target, bits, 0, 0);
    }

    /** {@code target >>>= bits}. */
    public BpfCode shiftRight(final int target, final int bits) {
        return add(SHIFT_RIGHT_IMMEDIATE, target, 0, 0, bits);
    }

    /** {@code target >>>= the lowest 6 bits of register bits}. */
    public BpfCode shiftRightRegister(final int target, final int bits) {
        return add(SHIFT_RIGHT, target, bits, 0, 0);
    }

    /** target = what lies in memory at base + offset, the upper bits 0. */
    public BpfCode load(final int size, final int target, final int base, final int offset) {
        return add(LOAD | size, target, base, offset, 0);
    }

    /** Memory at base + offset = source. */
    public BpfCode store(final int size, final int base, final int offset, final int source) {
        return add(STORE | size, base, source, offset, 0);
    }

    /** Memory at base + offset = value. */
    public BpfCode storeValue(final int size, final int base, final int offset, final int value) {
        return add(STORE_IMMEDIATE | size, base, 0, offset, value);
    }

    /** Adds {@code source} to the WORD or DOUBLE in memory, as one step. */
    public BpfCode addAtomically(
            final int size, final int base, final int offset, final int source) {
        return add(ATOMIC | size, base, source, offset, 0);
    }

    /** Sets a register to a map, as calls take it. */
    public BpfCode map(final int target, final BpfArray map) {
        return map(target, map.descriptor());
    }

    /** Sets a register to a map, as calls take it. */
    public BpfCode map(final int target, final BpfHash map) {
        return map(target, map.descriptor());
    }

    private BpfCode map(final int target, final int descriptor) {
        return add(LOAD_DOUBLE, target, PSEUDO_MAP_FD, 0, descriptor).add(0, 0, 0, 0, 0);
    }

    /** R0 = what a helper returns; R1 to R5 are lost. */
    public BpfCode call(final int helper) {
        return add(CALL, 0, 0, 0, helper);
    }

    /** Jumps. */
    public BpfCode jump(final String label) {
        return jump(JUMP, 0, 0, 0, label);
    }

    /** Jumps if the register is 0. */
    public BpfCode jumpIfZero(final int register, final String label) {
        return jump(JUMP_EQUAL_IMMEDIATE, register, 0, 0, label);
    }

    /** Jumps if the register is not 0. */
    public BpfCode jumpIfNotZero(final int register, final String label) {
        return jump(JUMP_NOT_EQUAL_IMMEDIATE, register, 0, 0, label);
    }

    /** Jumps if the registers are equal. */
    public BpfCode jumpIfEqual(final int register, final int to, final String label) {
        return jump(JUMP_EQUAL, register, to, 0, label);
    }

    /** Jumps if the register is {@code value}, the sign extended to 64 bits. */
    public BpfCode jumpIfValue(final int register, final int value, final String label) {
        return jump(JUMP_EQUAL_IMMEDIATE, register, 0, value, label);
    }

    /** Jumps if the lower 32 bits are not {@code value}. */
    public BpfCode jumpIfNotWord(final int register, final int value, final String label) {
        return jump(JUMP_NOT_EQUAL_IMMEDIATE_32, register, 0, value, label);
    }

    /** Jumps if the register is greater than the other. */
    public BpfCode jumpIfGreater(final int register, final int than, final String label) {
        return jump(JUMP_GREATER, register, than, 0, label);
    }

    /** Jumps if the register is greater than the value. */
    public BpfCode jumpIfGreaterValue(final int register, final int value, final String label) {
        return jump(JUMP_GREATER_IMMEDIATE, register, 0, value, label);
    }

    /** Jumps if the register is less than the other. */
    public BpfCode jumpIfLess(final int register, final int than, final String label) {
        return jump(JUMP_LESS, register, than, 0, label);
    }

    /** Jumps if the register is less than the value. */
    public BpfCode jumpIfLessValue(final int register, final int value, final String label) {
        return jump(JUMP_LESS_IMMEDIATE, register, 0, value, label);
    }

    /** Jumps if the register is not less than the other. */
    public BpfCode jumpIfNotLess(final int register, final int than, final String label) {
        return jump(JUMP_NOT_LESS, register, than, 0, label);
    }

    /** Ends the program with R0 as its result. */
    public BpfCode exit() {
        return add(EXIT, 0, 0, 0, 0);
    }

    /** Where jumps to {@code name} go; given once. */
    public BpfCode label(final String name) {
        if (labels.put(name, instructions.size()) != null) {
            throw new IllegalArgumentException("label given twice: " + name);
        }
        return this;
    }

    /** The program, one instruction a long: code 8 bits lowest, registers 4 + 4, offset 16, 32. */
    long[] build() {
        final long[] program = instructions.stream().mapToLong(Long::longValue).toArray();
        jumps.forEach(
                (index, label) -> {
                    final Integer target = labels.get(label);
                    if (target == null) {
                        throw new IllegalStateException("no such label: " + label);
                    }
                    final long offset = (long) target - index - 1;
                    program[index] |= (offset & 0xFFFF) << 16;
                });
        return program;
    }

    private BpfCode jump(
            final int code,
            final int register,
            final int source,
            final int value,
            final String label) {
        jumps.put(instructions.size(), label);
        return add(code, register, source, 0, value);
    }

    private BpfCode add(
            final int code,
            final int target,
            final int source,
            final int offset,
            final int immediate) {
        instructions.add(
                code
                        | (long) target << 8
                        | (long) source << 12
                        | (long) (offset & 0xFFFF) << 16
                        | (long) immediate << 32);
        return this;
    }
}
