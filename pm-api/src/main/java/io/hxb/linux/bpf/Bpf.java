package io.hxb.linux.bpf;

import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The commands of bpf(2) that are needed here. Stateless; any thread may call it. Source:
 * linux/bpf.h, union bpf_attr.
 */
final class Bpf {
    /** BPF_TCX_INGRESS. */
    static final int TCX_INGRESS = 46;

    /** BPF_TCX_EGRESS. */
    static final int TCX_EGRESS = 47;

    private static final long SYS_BPF = 321;
    private static final int MAP_CREATE = 0;
    private static final int MAP_LOOKUP = 1;
    private static final int MAP_UPDATE = 2;
    private static final int PROGRAM_LOAD = 5;
    private static final int LINK_CREATE = 28;
    private static final int MAP_TYPE_ARRAY = 2;
    private static final int PROGRAM_TYPE_SCHED_CLS = 3;
    private static final int ATTRIBUTES_BYTES = 144;
    private static final int LOG_BYTES = 16 * 1024;

    private Bpf() {}

    /** Makes an array of one value. Returns its descriptor. */
    static int createValue(final int valueBytes) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long attributes = attributes(arena);
            Memory.putInt(attributes, MAP_TYPE_ARRAY);
            Memory.putInt(attributes + 4, Integer.BYTES);
            Memory.putInt(attributes + 8, valueBytes);
            Memory.putInt(attributes + 12, 1);
            return call("bpf(BPF_MAP_CREATE)", MAP_CREATE, attributes);
        }
    }

    /** Writes the value from {@code address}. */
    static void write(final int map, final long address) throws LinuxException {
        element("bpf(BPF_MAP_UPDATE_ELEM)", MAP_UPDATE, map, address);
    }

    /** Reads the value to {@code address}. */
    static void read(final int map, final long address) throws LinuxException {
        element("bpf(BPF_MAP_LOOKUP_ELEM)", MAP_LOOKUP, map, address);
    }

    private static void element(
            final String name, final int command, final int map, final long address)
            throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long attributes = attributes(arena);
            Memory.putInt(attributes, map);
            Memory.putLong(attributes + 8, arena.allocate(8, 8).address());
            Memory.putLong(attributes + 16, address);
            call(name, command, attributes);
        }
    }

    /**
     * Loads a program for TCX hooks.
     *
     * @return its descriptor.
     * @throws LinuxException with what the kernel's verifier says.
     */
    static int load(final long[] program, final int hook) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long attributes = attributes(arena);
            final MemorySegment log = arena.allocate(LOG_BYTES);
            Memory.putInt(attributes, PROGRAM_TYPE_SCHED_CLS);
            Memory.putInt(attributes + 4, program.length);
            Memory.putLong(
                    attributes + 8, arena.allocateFrom(ValueLayout.JAVA_LONG, program).address());
            Memory.putLong(attributes + 16, arena.allocateFrom("Apache-2.0").address());
            Memory.putInt(attributes + 68, hook);
            try {
                return call("bpf(BPF_PROG_LOAD)", PROGRAM_LOAD, attributes);
            } catch (final LinuxException e) {
                Memory.putInt(attributes + 24, 1);
                Memory.putInt(attributes + 28, LOG_BYTES);
                Memory.putLong(attributes + 32, log.address());
                return call("bpf(BPF_PROG_LOAD)", PROGRAM_LOAD, attributes, log);
            }
        }
    }

    /**
     * Hooks a program to a NIC of this thread's network namespace, until the descriptor is closed.
     *
     * @return the descriptor.
     */
    static int attach(final int program, final int ifindex, final int hook) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long attributes = attributes(arena);
            Memory.putInt(attributes, program);
            Memory.putInt(attributes + 4, ifindex);
            Memory.putInt(attributes + 8, hook);
            return call("bpf(BPF_LINK_CREATE) for TCX", LINK_CREATE, attributes);
        }
    }

    private static long attributes(final Arena arena) {
        return arena.allocate(ATTRIBUTES_BYTES, 8).address();
    }

    private static int call(final String name, final int command, final long attributes)
            throws LinuxException {
        return call(name, command, attributes, null);
    }

    private static int call(
            final String name, final int command, final long attributes, final MemorySegment log)
            throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        final long result;
        try {
            result =
                    (long)
                            Calls.SYSCALL.invokeExact(
                                    errno, SYS_BPF, command, attributes, ATTRIBUTES_BYTES);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        if (result < 0) {
            final String text = log == null ? "" : ": " + log.getString(0).strip();
            throw new LinuxException(name + text, Linux.errno(errno));
        }
        return (int) result;
    }

    private static final class Calls {
        static final MethodHandle SYSCALL =
                Linux.bindVariadic(
                        "syscall",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_INT),
                        1);
    }
}
