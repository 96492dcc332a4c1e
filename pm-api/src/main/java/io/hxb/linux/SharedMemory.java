package io.hxb.linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Memory that processes share by passing its descriptor: one mapping of a memfd. Any thread may
 * call it; its maker closes it, when the memory is not used any more. Source: memfd_create(2),
 * mmap(2), fcntl(2) on sealing.
 */
public final class SharedMemory implements AutoCloseable {
    /** Prevents further seals. Source: F_SEAL_SEAL. */
    public static final int SEAL_SEALS = 1;

    /** Prevents shrinking, which would kill processes that read the end. F_SEAL_SHRINK. */
    public static final int SEAL_SHRINK = 2;

    /** Prevents growing. Source: F_SEAL_GROW. */
    public static final int SEAL_GROW = 4;

    /** Prevents further writable mappings; existing ones remain. F_SEAL_FUTURE_WRITE. */
    public static final int SEAL_FUTURE_WRITE = 0x10;

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
        return create(name, lengthBytes, false);
    }

    /**
     * Makes zeroed memory of huge pages and maps it read-write.
     *
     * @param lengthBytes a multiple of the huge page size, 2 MB.
     * @throws LinuxException if there are not enough huge pages.
     */
    public static SharedMemory createHuge(final String name, final long lengthBytes)
            throws LinuxException {
        return create(name, lengthBytes, true);
    }

    private static SharedMemory create(
            final String name, final long lengthBytes, final boolean isHuge) throws LinuxException {
        if (lengthBytes < 1) {
            throw new IllegalArgumentException("lengthBytes must be 1 or more: " + lengthBytes);
        }
        final int fd = Memfd.create(name, isHuge);
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

    /**
     * Maps memory of another process read-only. The descriptor then belongs to the mapping.
     *
     * @param fd a memfd of {@code lengthBytes} or more, whose owner does not shrink it.
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
        Memfd.seal(descriptor, seals);
    }

    /** The seals it has. */
    public int seals() throws LinuxException {
        final int seals = Memfd.seals(descriptor);
        if (seals < 0) {
            throw new LinuxException("fcntl(F_GET_SEALS)", lastErrno());
        }
        return seals;
    }

    /** Gives the pages back; after that all bytes read as 0. Only without SEAL_FUTURE_WRITE. */
    public void discard() throws LinuxException {
        if (Memfd.allocate(descriptor, PUNCH_HOLE_KEEP_SIZE, lengthBytes) < 0) {
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

    /**
     * Takes the memory out of this process, but keeps its addresses, which read as zeros until
     * {@link #close}: for memory that another thread may be using.
     */
    public synchronized void decommit() {
        if (!isClosed) {
            AddressRange.decommit(address, lengthBytes);
        }
    }

    /** Unmaps the memory, which must not be used any more, and closes the descriptor. */
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
        private static final MethodHandle FTRUNCATE =
                Linux.bind("ftruncate", FunctionDescriptor.of(INT, INT, LONG));
        private static final MethodHandle MMAP =
                Linux.bind("mmap", FunctionDescriptor.of(LONG, LONG, LONG, INT, INT, INT, LONG));
        private static final MethodHandle MUNMAP =
                Linux.bind("munmap", FunctionDescriptor.of(INT, LONG, LONG));

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

        private static MemorySegment errno() {
            return Linux.errnoSegment();
        }
    }
}
