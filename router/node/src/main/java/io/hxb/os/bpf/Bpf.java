package io.hxb.os.bpf;

import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.SystemCall;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * The commands of bpf(2) that are needed here. Stateless; any thread may call it. Source:
 * linux/bpf.h, union bpf_attr.
 */
final class Bpf {
    /** BPF_MAP_TYPE_HASH. */
    static final int MAP_TYPE_HASH = 1;

    /** BPF_MAP_TYPE_ARRAY. */
    static final int MAP_TYPE_ARRAY = 2;

    /** The map can be mapped into memory. Source: BPF_F_MMAPABLE. */
    static final int MAPPABLE = 1 << 10;

    private static final int MAP_CREATE = 0;
    private static final int MAP_UPDATE = 2;
    private static final int MAP_DELETE = 3;
    private static final int PROGRAM_LOAD = 5;
    private static final int OBJECT_PIN = 6;
    private static final int OBJECT_GET = 7;
    private static final int PROGRAM_TEST_RUN = 10;
    private static final int INFO_BY_DESCRIPTOR = 15;
    private static final int PROGRAM_QUERY = 16;
    private static final int LINK_CREATE = 28;
    private static final int LINK_UPDATE = 29;
    private static final int LINK_INFO_BYTES = 64;
    private static final int LINK_INFO_IFINDEX = 16;
    private static final int PROGRAM_TYPE_SCHED_CLS = 3;
    private static final int ATTRIBUTES_BYTES = 144;

    /** Bytes of struct __sk_buff. */
    private static final int CONTEXT_BYTES = 192;

    private static final int LOG_BYTES = 64 * 1024;

    private Bpf() {}

    /** Makes a map. Returns its descriptor. */
    static int createMap(
            final int type,
            final int keyBytes,
            final int valueBytes,
            final int entries,
            final int flags)
            throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long attributes = attributes(arena);
            Memory.putInt(attributes, type);
            Memory.putInt(attributes + 4, keyBytes);
            Memory.putInt(attributes + 8, valueBytes);
            Memory.putInt(attributes + 12, entries);
            Memory.putInt(attributes + 16, flags);
            return call("bpf(BPF_MAP_CREATE)", MAP_CREATE, attributes);
        }
    }

    /** Writes one element of a map with keys and values of 8 bytes. */
    static void put(final int map, final long key, final long value) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long attributes = element(arena, map, key);
            Memory.putLong(attributes + 16, inMemory(arena, value));
            call("bpf(BPF_MAP_UPDATE_ELEM)", MAP_UPDATE, attributes);
        }
    }

    /** Removes one element of a map with keys and values of 8 bytes. */
    static void remove(final int map, final long key) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            call("bpf(BPF_MAP_DELETE_ELEM)", MAP_DELETE, element(arena, map, key));
        }
    }

    private static long element(final Arena arena, final int map, final long key) {
        final long attributes = attributes(arena);
        Memory.putInt(attributes, map);
        Memory.putLong(attributes + 8, inMemory(arena, key));
        return attributes;
    }

    private static long inMemory(final Arena arena, final long value) {
        return arena.allocateFrom(ValueLayout.JAVA_LONG, value).address();
    }

    /**
     * Loads a program for TCX hooks.
     *
     * @return its descriptor.
     * @throws LinuxException with the output of the kernel's verifier.
     */
    static int load(final long[] program, final int hook) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long attributes = attributes(arena);
            Memory.putInt(attributes, PROGRAM_TYPE_SCHED_CLS);
            Memory.putInt(attributes + 4, program.length);
            Memory.putLong(
                    attributes + 8, arena.allocateFrom(ValueLayout.JAVA_LONG, program).address());
            Memory.putLong(attributes + 16, arena.allocateFrom("Apache-2.0").address());
            Memory.putInt(attributes + 68, hook);
            try {
                return call("bpf(BPF_PROG_LOAD)", PROGRAM_LOAD, attributes);
            } catch (final LinuxException e) {
                final MemorySegment log = arena.allocate(LOG_BYTES);
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

    /** Puts another program in the place of the one that a link has hooked. */
    static void update(final int link, final int program) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long attributes = attributes(arena);
            Memory.putInt(attributes, link);
            Memory.putInt(attributes + 4, program);
            call("bpf(BPF_LINK_UPDATE)", LINK_UPDATE, attributes);
        }
    }

    /** Number of the NIC that a link of a TCX hook belongs to; 0 if that NIC has gone. */
    static int ifindex(final int link) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long attributes = attributes(arena);
            final long info = arena.allocate(LINK_INFO_BYTES, 8).address();
            Memory.putInt(attributes, link);
            Memory.putInt(attributes + 4, LINK_INFO_BYTES);
            Memory.putLong(attributes + 8, info);
            call("bpf(BPF_OBJ_GET_INFO_BY_FD)", INFO_BY_DESCRIPTOR, attributes);
            return Memory.getInt(info + LINK_INFO_IFINDEX);
        }
    }

    /** Programs at a TCX hook of a NIC of this thread's network namespace, of all processes. */
    static int count(final int ifindex, final int hook) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long attributes = attributes(arena);
            Memory.putInt(attributes, ifindex);
            Memory.putInt(attributes + 4, hook);
            call("bpf(BPF_PROG_QUERY)", PROGRAM_QUERY, attributes);
            return Memory.getInt(attributes + 24);
        }
    }

    /** Gives a link a name in a BPF file system, by which it outlives this process. */
    static void pin(final int link, final Path file) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long attributes = attributes(arena);
            Memory.putLong(attributes, arena.allocateFrom(file.toString()).address());
            Memory.putInt(attributes + 8, link);
            call("bpf(BPF_OBJ_PIN, " + file + ")", OBJECT_PIN, attributes);
        }
    }

    /** Opens what has a name in a BPF file system. Returns its descriptor. */
    static int open(final Path file) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long attributes = attributes(arena);
            Memory.putLong(attributes, arena.allocateFrom(file.toString()).address());
            return call("bpf(BPF_OBJ_GET, " + file + ")", OBJECT_GET, attributes);
        }
    }

    /**
     * Runs a program on a frame that is on no NIC.
     *
     * @param frame the frame, and afterwards what the program has made of it.
     * @param segmentBytes gso_size of the context, as if it were to be cut.
     * @return what the program returned.
     */
    static int run(final int program, final byte[] frame, final int segmentBytes)
            throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long attributes = attributes(arena);
            final MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_BYTE, frame);
            final MemorySegment out = arena.allocate(frame.length);
            final MemorySegment context = arena.allocate(CONTEXT_BYTES, 8);
            context.set(ValueLayout.JAVA_INT, BpfCode.SKB_SEGMENT_SIZE, segmentBytes);
            Memory.putInt(attributes, program);
            Memory.putInt(attributes + 8, frame.length);
            Memory.putInt(attributes + 12, frame.length);
            Memory.putLong(attributes + 16, in.address());
            Memory.putLong(attributes + 24, out.address());
            Memory.putInt(attributes + 40, CONTEXT_BYTES);
            Memory.putLong(attributes + 48, context.address());
            call("bpf(BPF_PROG_TEST_RUN)", PROGRAM_TEST_RUN, attributes);
            MemorySegment.copy(out, ValueLayout.JAVA_BYTE, 0, frame, 0, frame.length);
            return Memory.getInt(attributes + 4);
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
                                    errno, SystemCall.BPF, command, attributes, ATTRIBUTES_BYTES);
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
