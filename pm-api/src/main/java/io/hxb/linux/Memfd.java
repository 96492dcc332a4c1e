package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * System calls for files in memory and their seals. Stateless; any thread may call it. Source:
 * memfd_create(2), fallocate(2), fcntl(2) on sealing.
 */
final class Memfd {
    private static final int MFD_CLOEXEC_AND_SEALING = 1 | 2;
    private static final int MFD_HUGETLB = 4;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_GET_SEALS = 1034;

    private Memfd() {}

    /** Makes an empty file of ordinary pages, or of huge ones; the caller closes the descriptor. */
    static int create(final String name, final boolean isHuge) throws LinuxException {
        final int flags = MFD_CLOEXEC_AND_SEALING | (isHuge ? MFD_HUGETLB : 0);
        final int fd;
        try (Arena arena = Arena.ofConfined()) {
            fd = Handles.memfdCreate(arena.allocateFrom(name).address(), flags);
        }
        Linux.check(fd, "memfd_create(" + name + ")", Linux.errnoSegment());
        return fd;
    }

    /** Adds seals. */
    static void seal(final int fd, final int seals) throws LinuxException {
        final int result = Handles.fcntl(fd, F_ADD_SEALS, seals);
        Linux.check(result, "fcntl(F_ADD_SEALS)", Linux.errnoSegment());
    }

    /** Adds seals unless that is refused. */
    static void trySeal(final int fd, final int seals) {
        Handles.fcntl(fd, F_ADD_SEALS, seals);
    }

    /** The seals that a descriptor has; negative if it is not a file in memory. */
    static int seals(final int fd) {
        return Handles.fcntl(fd, F_GET_SEALS, 0);
    }

    /** Allocates or frees pages, depending on {@code mode}; negative for a failure. */
    static int allocate(final int fd, final int mode, final long lengthBytes) {
        return Handles.fallocate(fd, mode, lengthBytes);
    }

    private static final class Handles {
        private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
        private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
        private static final MethodHandle MEMFD_CREATE =
                Linux.bind("memfd_create", FunctionDescriptor.of(INT, LONG, INT));
        private static final MethodHandle FCNTL =
                Linux.bindVariadic("fcntl", FunctionDescriptor.of(INT, INT, INT, INT), 2);

        private static final MethodHandle FALLOCATE =
                Linux.bind("fallocate", FunctionDescriptor.of(INT, INT, INT, LONG, LONG));

        static int memfdCreate(final long name, final int flags) {
            try {
                return (int) MEMFD_CREATE.invokeExact(errno(), name, flags);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static int fcntl(final int fd, final int command, final int argument) {
            try {
                return (int) FCNTL.invokeExact(errno(), fd, command, argument);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static int fallocate(final int fd, final int mode, final long lengthBytes) {
            try {
                return (int) FALLOCATE.invokeExact(errno(), fd, mode, 0L, lengthBytes);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        private static MemorySegment errno() {
            return Linux.errnoSegment();
        }
    }
}
