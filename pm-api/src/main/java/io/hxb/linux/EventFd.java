package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Event descriptors: how one process wakes another. Stateless; any thread may call it. Source:
 * eventfd(2).
 */
public final class EventFd {
    /** EFD_CLOEXEC | EFD_NONBLOCK. */
    private static final int FLAGS = 02000000 | 04000;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    // One to write; a place for counts that nobody looks at.
    private static final MemorySegment WORDS = Arena.global().allocate(16, 8);

    static {
        Memory.putLong(WORDS.address(), 1);
    }

    private EventFd() {}

    /**
     * Makes a descriptor that does not block.
     *
     * @throws LinuxException if there are no descriptors left.
     */
    public static int create() throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        final int fd;
        try {
            fd = (int) Create.EVENTFD.invokeExact(errno, 0, FLAGS);
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
        if (fd < 0) {
            throw new LinuxException("eventfd", Linux.errno(errno));
        }
        return fd;
    }

    /** Makes the descriptor readable. A full counter is readable anyway, so failure is ignored. */
    public static void signal(final int fd) {
        try {
            final long ignored =
                    (long)
                            ReadWrite.WRITE.invokeExact(
                                    Linux.errnoSegment(), fd, WORDS.address(), 8L);
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
    }

    /** Makes the descriptor unreadable until the next signal. */
    public static void drain(final int fd) {
        try {
            final long ignored =
                    (long)
                            ReadWrite.READ.invokeExact(
                                    Linux.errnoSegment(), fd, WORDS.address() + 8, 8L);
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
    }

    private static final class Create {
        static final MethodHandle EVENTFD =
                Linux.bind("eventfd", FunctionDescriptor.of(INT, INT, INT));
    }

    private static final class ReadWrite {
        static final MethodHandle READ =
                Linux.bind("read", FunctionDescriptor.of(LONG, INT, LONG, LONG));
        static final MethodHandle WRITE =
                Linux.bind("write", FunctionDescriptor.of(LONG, INT, LONG, LONG));
    }
}
