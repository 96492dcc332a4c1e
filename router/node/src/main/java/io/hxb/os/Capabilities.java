package io.hxb.os;

import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * What the calling thread may do beyond an ordinary user. Each thread has a set of its own, which
 * the threads that it starts inherit. Stateless. Source: capabilities(7), capset(2), prctl(2).
 */
public final class Capabilities {
    /** Read files and enter folders of others, where the program itself may be. */
    public static final long DAC_READ_SEARCH = 1L << 2;

    /** Configure networks, attach programs to NICs, make socket buffers larger than the limits. */
    public static final long NET_ADMIN = 1L << 12;

    /** Open packet sockets. */
    public static final long NET_RAW = 1L << 13;

    /** Enter network namespaces. */
    public static final long SYS_ADMIN = 1L << 21;

    /** Load programs into the kernel. */
    public static final long BPF = 1L << 39;

    private static final Logger LOGGER = LoggerFactory.getLogger(Capabilities.class);
    private static final int VERSION_3 = 0x2008_0522;
    private static final int PR_SET_NO_NEW_PRIVS = 38;
    private static final int PR_CAP_AMBIENT = 47;
    private static final long PR_CAP_AMBIENT_CLEAR_ALL = 4;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private Capabilities() {}

    /** Those of the calling thread that are in force. */
    public static long effective() throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long header = header(arena);
            final long data = arena.allocate(24, 8).address();
            call(Calls.CAPGET, "capget", header, data);
            return (Memory.getInt(data) & 0xFFFF_FFFFL) | ((long) Memory.getInt(data + 12) << 32);
        }
    }

    /**
     * Gives up permanently, in the calling thread, all but {@code kept}; it gains none that it
     * lacks. No program that it starts gets more.
     */
    public static void keepOnly(final long kept) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long header = header(arena);
            final long data = arena.allocate(24, 8).address();
            call(Calls.CAPGET, "capget", header, data);
            // Two of {effective, permitted, inheritable}: the lower 32 bits of each, the upper.
            for (int half = 0; half < 2; half++) {
                final long at = data + 12L * half;
                final int mask = (int) (kept >>> (32 * half));
                Memory.putInt(at, Memory.getInt(at) & mask);
                Memory.putInt(at + 4, Memory.getInt(at + 4) & mask);
                Memory.putInt(at + 8, 0);
            }
            control("prctl(PR_SET_NO_NEW_PRIVS)", PR_SET_NO_NEW_PRIVS, 1);
            control("prctl(PR_CAP_AMBIENT)", PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
            call(Calls.CAPSET, "capset", header(arena), data);
        }
    }

    /** Gives up the same, but if the kernel refuses, logs it and goes on with the rights it has. */
    public static void keepOnlyIfPossible(final long kept) {
        try {
            keepOnly(kept);
        } catch (final LinuxException e) {
            LOGGER.warn(
                    "{} keeps privileges that it does not need: {}",
                    Thread.currentThread().getName(),
                    e.getMessage());
        }
    }

    /**
     * For a thread that needs no rights: a task that first gives up all but {@link
     * #DAC_READ_SEARCH}, as classes may be loaded late.
     */
    public static Runnable givingUp(final Runnable task) {
        return () -> {
            keepOnlyIfPossible(DAC_READ_SEARCH);
            task.run();
        };
    }

    private static long header(final Arena arena) {
        final long header = arena.allocate(8, 8).address();
        Memory.putInt(header, VERSION_3);
        return header;
    }

    private static void call(
            final MethodHandle handle, final String name, final long header, final long data)
            throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        final int result;
        try {
            result = (int) handle.invokeExact(errno, header, data);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        Linux.check(result, name, errno);
    }

    private static void control(final String name, final int option, final long argument)
            throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        final int result;
        try {
            result = (int) Calls.PRCTL.invokeExact(errno, option, argument, 0L, 0L, 0L);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        Linux.check(result, name, errno);
    }

    private static final class Calls {
        private static final FunctionDescriptor SETS = FunctionDescriptor.of(INT, LONG, LONG);
        static final MethodHandle CAPGET = Linux.bind("capget", SETS);
        static final MethodHandle CAPSET = Linux.bind("capset", SETS);
        static final MethodHandle PRCTL =
                Linux.bindVariadic(
                        "prctl", FunctionDescriptor.of(INT, INT, LONG, LONG, LONG, LONG), 1);
    }
}
