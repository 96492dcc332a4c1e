package io.hxb.linux.bpf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes a BPF program instruction by instruction; jumps go forward to labels. Used by one thread.
 * Source: RFC 9669.
 */
final class BpfCode {
    /** Register of the result of calls and of the program. */
    static final int R0 = 0;

    /** First argument of calls; the context when the program starts. */
    static final int R1 = 1;

    static final int R2 = 2;
    static final int R3 = 3;
    static final int R4 = 4;
    static final int R5 = 5;

    /** Kept over calls, as are the next ones. */
    static final int R6 = 6;

    static final int R7 = 7;
    static final int R8 = 8;
    static final int R9 = 9;

    /** The stack's end. */
    static final int R10 = 10;

    /** Sizes in loads and stores: BPF_B, BPF_W, BPF_DW. */
    static final int BYTE = 0x10;

    static final int WORD = 0x00;
    static final int DOUBLE = 0x18;

    // Operations, as the standard has them: class, source and code in one byte.
    private static final int MOVE = 0xBF;
    private static final int MOVE_IMMEDIATE = 0xB7;
    private static final int ADD_IMMEDIATE = 0x07;
    private static final int MODULO = 0x9F;
    private static final int XOR_IMMEDIATE = 0xA7;
    private static final int LOAD = 0x61;
    private static final int STORE = 0x63;
    private static final int STORE_IMMEDIATE = 0x62;
    private static final int ATOMIC_ADD = 0xDB;
    private static final int LOAD_MAP = 0x18;
    private static final int PSEUDO_MAP_FD = 1;
    private static final int JUMP = 0x05;
    private static final int JUMP_EQUAL_IMMEDIATE = 0x15;
    private static final int JUMP_NOT_EQUAL_IMMEDIATE = 0x55;
    private static final int JUMP_LESS = 0xAD;
    private static final int JUMP_LESS_IMMEDIATE = 0xA5;
    private static final int JUMP_NOT_LESS = 0x3D;
    private static final int CALL = 0x85;
    private static final int EXIT = 0x95;

    private final List<Long> instructions = new ArrayList<>();
    private final Map<Integer, String> jumps = new HashMap<>();
    private final Map<String, Integer> labels = new HashMap<>();

    BpfCode move(final int target, final int source) {
        return add(MOVE, target, source, 0, 0);
    }

    BpfCode set(final int target, final int value) {
        return add(MOVE_IMMEDIATE, target, 0, 0, value);
    }

    BpfCode plus(final int target, final int value) {
        return add(ADD_IMMEDIATE, target, 0, 0, value);
    }

    BpfCode modulo(final int target, final int source) {
        return add(MODULO, target, source, 0, 0);
    }

    BpfCode xor(final int target, final int value) {
        return add(XOR_IMMEDIATE, target, 0, 0, value);
    }

    BpfCode load(final int size, final int target, final int base, final int offset) {
        return add(LOAD | size, target, base, offset, 0);
    }

    BpfCode store(final int size, final int base, final int offset, final int source) {
        return add(STORE | size, base, source, offset, 0);
    }

    BpfCode storeValue(final int size, final int base, final int offset, final int value) {
        return add(STORE_IMMEDIATE | size, base, 0, offset, value);
    }

    /** Adds {@code source} to the 64 bits in memory, as one step. */
    BpfCode addAtomically(final int base, final int offset, final int source) {
        return add(ATOMIC_ADD, base, source, offset, 0);
    }

    BpfCode map(final int target, final int fd) {
        return add(LOAD_MAP, target, PSEUDO_MAP_FD, 0, fd).add(0, 0, 0, 0, 0);
    }

    BpfCode call(final int helper) {
        return add(CALL, 0, 0, 0, helper);
    }

    BpfCode jump(final String label) {
        return jump(JUMP, 0, 0, 0, label);
    }

    BpfCode jumpIfZero(final int register, final String label) {
        return jump(JUMP_EQUAL_IMMEDIATE, register, 0, 0, label);
    }

    BpfCode jumpIfNotZero(final int register, final String label) {
        return jump(JUMP_NOT_EQUAL_IMMEDIATE, register, 0, 0, label);
    }

    BpfCode jumpIfLess(final int register, final int than, final String label) {
        return jump(JUMP_LESS, register, than, 0, label);
    }

    BpfCode jumpIfLessValue(final int register, final int value, final String label) {
        return jump(JUMP_LESS_IMMEDIATE, register, 0, value, label);
    }

    BpfCode jumpIfNotLess(final int register, final int than, final String label) {
        return jump(JUMP_NOT_LESS, register, than, 0, label);
    }

    BpfCode exit() {
        return add(EXIT, 0, 0, 0, 0);
    }

    BpfCode label(final String name) {
        labels.put(name, instructions.size());
        return this;
    }

    /** The program, one instruction a long: code 8 bits lowest, registers 4 + 4, offset 16, 32. */
    long[] build() {
        final long[] program = instructions.stream().mapToLong(Long::longValue).toArray();
        jumps.forEach(
                (index, label) -> {
                    final long offset = (long) labels.get(label) - index - 1;
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
