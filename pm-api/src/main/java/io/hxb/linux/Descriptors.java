package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Operations on any descriptor. Stateless; any thread may call it. */
public final class Descriptors {
    /** Readable. */
    public static final int POLLIN = 1;

    /** Writable. */
    public static final int POLLOUT = 4;

    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private Descriptors() {}

    /**
     * Waits until a descriptor is ready.
     *
     * @param events {@link #POLLIN}, {@link #POLLOUT} or both.
     * @param timeoutMs 0 to return at once, -1 to wait without limit.
     * @return the events that occurred, errors included; 0 when the time is up.
     */
    public static int poll(final int fd, final int events, final int timeoutMs) {
        final MemorySegment errno = Linux.errnoSegment();
        try (Arena arena = Arena.ofConfined()) {
            final long address = arena.allocate(8, 4).address();
            Memory.putInt(address, fd);
            Memory.putInt(address + 4, events);
            final int result = (int) Handles.POLL.invokeExact(errno, address, 1L, timeoutMs);
            return result <= 0 ? 0 : Memory.getUnsignedShort(address + 6);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
    }

    /** A second descriptor of the same file, which the caller closes. */
    public static int duplicate(final int fd) throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        final int copy;
        try {
            copy = (int) Handles.FCNTL.invokeExact(errno, fd, F_DUPFD_CLOEXEC, 0);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        Linux.check(copy, "fcntl(F_DUPFD_CLOEXEC)", errno);
        return copy;
    }

    /**
     * Writes to a file at an offset, all or nothing unless a call fails in between.
     *
     * @param address first of {@code lengthBytes} bytes.
     * @param what describes the file, for the message.
     */
    public static void write(
            final int fd,
            final long address,
            final long lengthBytes,
            final long offset,
            final String what)
            throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        long done = 0;
        while (done < lengthBytes) {
            final long result;
            try {
                result =
                        (long)
                                Writing.PWRITE.invokeExact(
                                        errno,
                                        fd,
                                        address + done,
                                        lengthBytes - done,
                                        offset + done);
            } catch (final Throwable t) {
                throw Linux.unexpected(t);
            }
            if (result < 0 && Linux.errno(errno) != Errno.EINTR) {
                throw new LinuxException("write(" + what + ")", Linux.errno(errno));
            }
            done += Math.max(0, result);
        }
    }

    /** Closes a descriptor; what the kernel answers does not matter. */
    public static void close(final int fd) {
        try {
            final int ignored = (int) Handles.CLOSE.invokeExact(Linux.errnoSegment(), fd);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
    }

    private static final class Writing {
        static final MethodHandle PWRITE =
                Linux.bind("pwrite", FunctionDescriptor.of(LONG, INT, LONG, LONG, LONG));
    }

    private static final class Handles {
        static final MethodHandle POLL =
                Linux.bind("poll", FunctionDescriptor.of(INT, LONG, LONG, INT));
        static final MethodHandle FCNTL =
                Linux.bindVariadic("fcntl", FunctionDescriptor.of(INT, INT, INT, INT), 2);
        static final MethodHandle CLOSE = Linux.bind("close", FunctionDescriptor.of(INT, INT));
    }
}
