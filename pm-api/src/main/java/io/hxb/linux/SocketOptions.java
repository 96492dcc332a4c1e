package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Reads and sets options of sockets. Stateless; any thread may call it. Source: getsockopt(2). */
public final class SocketOptions {
    /** Options of every socket. */
    public static final int SOL_SOCKET = 1;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private SocketOptions() {}

    /** Sets an option that is an int. */
    public static void set(final int fd, final int level, final int name, final int value)
            throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(INT);
            memory.set(INT, 0, value);
            set(fd, level, name, memory.address(), Integer.BYTES);
        }
    }

    /** Sets an option to the {@code lengthBytes} at {@code address}. */
    public static void set(
            final int fd,
            final int level,
            final int name,
            final long address,
            final int lengthBytes)
            throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        final int result;
        try {
            result = (int) Handles.SET.invokeExact(errno, fd, level, name, address, lengthBytes);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        Linux.check(result, "setsockopt(" + level + ", " + name + ")", errno);
    }

    /** Reads an option that is an int. */
    public static int get(final int fd, final int level, final int name) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(INT);
            get(fd, level, name, memory.address(), Integer.BYTES);
            return memory.get(INT, 0);
        }
    }

    /**
     * Reads an option into at most {@code lengthBytes} at {@code address}.
     *
     * @return bytes written there.
     */
    public static int get(
            final int fd,
            final int level,
            final int name,
            final long address,
            final int lengthBytes)
            throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment length = arena.allocate(INT);
            length.set(INT, 0, lengthBytes);
            final int result =
                    (int)
                            Handles.GET.invokeExact(
                                    errno, fd, level, name, address, length.address());
            Linux.check(result, "getsockopt(" + level + ", " + name + ")", errno);
            return length.get(INT, 0);
        } catch (final LinuxException e) {
            throw e;
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
    }

    private static final class Handles {
        static final MethodHandle SET =
                Linux.bind("setsockopt", FunctionDescriptor.of(INT, INT, INT, INT, LONG, INT));
        static final MethodHandle GET =
                Linux.bind("getsockopt", FunctionDescriptor.of(INT, INT, INT, INT, LONG, LONG));
    }
}
