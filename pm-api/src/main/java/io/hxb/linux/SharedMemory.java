package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Memory that processes share by passing its descriptor: one mapping of a memfd. Any thread may
 * call it; whoever made it closes it, when nobody touches the memory any more. Source:
 * memfd_create(2), mmap(2), fcntl(2) on sealing.
 */
public final class SharedMemory implements AutoCloseable {
    /** Nobody adds seals. Source: F_SEAL_SEAL. */
    public static final int SEAL_SEALS = 1;

    /** Nobody makes it smaller, which would end processes that read the end. F_SEAL_SHRINK. */
    public static final int SEAL_SHRINK = 2;

    /** Nobody makes it larger. Source: F_SEAL_GROW. */
    public static final int SEAL_GROW = 4;

    /** Nobody maps it writable any more; mappings that are there stay. F_SEAL_FUTURE_WRITE. */
    public static final int SEAL_FUTURE_WRITE = 0x10;

    private static final int MFD_CLOEXEC_AND_SEALING = 1 | 2;
    private static final int MFD_HUGETLB = 4;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_GET_SEALS = 1034;
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int MAP_SHARED = 1;
    private static final int PUNCH_HOLE_KEEP_SIZE = 1 | 2;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final long address;
    private final long lengthBytes;
    private final int descriptor;
    private boolean isClosed;

    private SharedMemory(final long address, final long lengthBytes, final int descriptor) {
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.descriptor = descriptor;
    }

    /**
     * Makes zeroed memory and maps it read-write.
     *
     * @param name shown in /proc, no meaning otherwise.
     * @param lengthBytes 1 or more; pages are taken when they are first touched.
     */
    public static SharedMemory create(final String name, final long lengthBytes)
            throws LinuxException {
        return create(name, lengthBytes, MFD_CLOEXEC_AND_SEALING);
    }

    /**
     * Makes zeroed memory of huge pages and maps it read-write.
     *
     * @param lengthBytes a multiple of the huge page size, 2 MB.
     * @throws LinuxException if there are not enough huge pages.
     */
    public static SharedMemory createHuge(final String name, final long lengthBytes)
            throws LinuxException {
        return create(name, lengthBytes, MFD_CLOEXEC_AND_SEALING | MFD_HUGETLB);
    }

    private static SharedMemory create(final String name, final long lengthBytes, final int flags)
            throws LinuxException {
        if (lengthBytes < 1) {
            throw new IllegalArgumentException("lengthBytes must be 1 or more: " + lengthBytes);
        }
        final int fd = memfd(name, flags);
        try {
            if (Handles.ftruncate(fd, lengthBytes) < 0) {
                throw new LinuxException(
                        "ftruncate(" + name + ", " + lengthBytes + ")", lastErrno());
            }
            return map(fd, lengthBytes, PROT_READ | PROT_WRITE);
        } catch (final LinuxException e) {
            Descriptors.close(fd);
            throw e;
        }
    }

    private static int memfd(final String name, final int flags) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long text = arena.allocateFrom(name).address();
            final int fd = Handles.memfdCreate(text, flags);
            if (fd < 0) {
                throw new LinuxException("memfd_create(" + name + ")", lastErrno());
            }
            return fd;
        }
    }

    /**
     * Maps memory of another process read-only. The descriptor then belongs to the mapping.
     *
     * @param fd a memfd of {@code lengthBytes} or more, by one who does not shrink it.
     */
    public static SharedMemory mapReadOnly(final int fd, final long lengthBytes)
            throws LinuxException {
        return map(fd, lengthBytes, PROT_READ);
    }

    /** Maps memory of another process read-write; otherwise as {@link #mapReadOnly}. */
    public static SharedMemory mapReadWrite(final int fd, final long lengthBytes)
            throws LinuxException {
        return map(fd, lengthBytes, PROT_READ | PROT_WRITE);
    }

    private static SharedMemory map(final int fd, final long lengthBytes, final int protection)
            throws LinuxException {
        final long mapped = Handles.mmap(lengthBytes, protection, fd);
        if (mapped == -1) {
            throw new LinuxException("mmap(" + lengthBytes + " bytes)", lastErrno());
        }
        return new SharedMemory(mapped, lengthBytes, fd);
    }

    /** Adds seals, which also bind this process. */
    public void seal(final int seals) throws LinuxException {
        if (Handles.fcntl(descriptor, F_ADD_SEALS, seals) < 0) {
            throw new LinuxException("fcntl(F_ADD_SEALS)", lastErrno());
        }
    }

    /** The seals it has. */
    public int seals() throws LinuxException {
        final int seals = Handles.fcntl(descriptor, F_GET_SEALS, 0);
        if (seals < 0) {
            throw new LinuxException("fcntl(F_GET_SEALS)", lastErrno());
        }
        return seals;
    }

    /** Gives the pages back; all bytes read as 0 then. Only without SEAL_FUTURE_WRITE. */
    public void discard() throws LinuxException {
        if (Handles.fallocate(descriptor, PUNCH_HOLE_KEEP_SIZE, lengthBytes) < 0) {
            throw new LinuxException("fallocate(PUNCH_HOLE)", lastErrno());
        }
    }

    /** Address of the first byte, 4,096-byte aligned. */
    public long address() {
        return address;
    }

    /** Length in bytes. */
    public long lengthBytes() {
        return lengthBytes;
    }

    /** The memfd, to be passed to other processes. */
    public int descriptor() {
        return descriptor;
    }

    /** Unmaps the memory, which nobody may touch any more, and closes the descriptor. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            Handles.munmap(address, lengthBytes);
            Descriptors.close(descriptor);
        }
    }

    private static int lastErrno() {
        return Linux.errno(Linux.errnoSegment());
    }

    private static final class Handles {
        private static final MethodHandle MEMFD_CREATE =
                Linux.bind("memfd_create", FunctionDescriptor.of(INT, LONG, INT));
        private static final MethodHandle FTRUNCATE =
                Linux.bind("ftruncate", FunctionDescriptor.of(INT, INT, LONG));
        private static final MethodHandle MMAP =
                Linux.bind("mmap", FunctionDescriptor.of(LONG, LONG, LONG, INT, INT, INT, LONG));
        private static final MethodHandle MUNMAP =
                Linux.bind("munmap", FunctionDescriptor.of(INT, LONG, LONG));
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

        static int ftruncate(final int fd, final long lengthBytes) {
            try {
                return (int) FTRUNCATE.invokeExact(errno(), fd, lengthBytes);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static long mmap(final long lengthBytes, final int protection, final int fd) {
            try {
                return (long)
                        MMAP.invokeExact(errno(), 0L, lengthBytes, protection, MAP_SHARED, fd, 0L);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static void munmap(final long address, final long lengthBytes) {
            try {
                final int ignored = (int) MUNMAP.invokeExact(errno(), address, lengthBytes);
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
