package io.hxb.linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Addresses of this process that are reserved for memory which comes and goes. Where there is none
 * they read as zeros, which takes no memory; so whatever still reads a part that was cleared reads
 * zeros. Any thread may call it; callers coordinate who uses which part. Source: mmap(2).
 */
public final class AddressRange implements AutoCloseable {
    /**
     * Bytes of a page of this machine's kernel: what offsets and lengths are multiples of. 4,096 on
     * x86-64; kernels for aarch64 have pages of 4, 16 or 64 KB.
     */
    public static final int PAGE_BYTES = Handles.pageBytes();

    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int MAP_SHARED = 1;
    private static final int MAP_PRIVATE = 2;
    private static final int MAP_FIXED = 0x10;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_NORESERVE = 0x4000;
    private static final int NO_FILE = -1;

    private final long address;
    private final long lengthBytes;
    private boolean isClosed;

    private AddressRange(final long address, final long lengthBytes) {
        this.address = address;
        this.lengthBytes = lengthBytes;
    }

    /**
     * Reserves addresses.
     *
     * @param lengthBytes 1 or more; rounded up to whole pages.
     * @throws LinuxException if there are fewer left.
     */
    public static AddressRange reserve(final long lengthBytes) throws LinuxException {
        if (lengthBytes < 1) {
            throw new IllegalArgumentException("lengthBytes must be 1 or more: " + lengthBytes);
        }
        final long length = pages(lengthBytes);
        final int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        return new AddressRange(map(0, length, PROT_READ, flags, NO_FILE), length);
    }

    /** The bytes of the pages that {@code lengthBytes} need. */
    public static long pages(final long lengthBytes) {
        return (lengthBytes + PAGE_BYTES - 1) & -PAGE_BYTES;
    }

    /** Address of the first byte, a multiple of {@link #PAGE_BYTES}. */
    public long address() {
        return address;
    }

    /** Length in bytes, a multiple of {@link #PAGE_BYTES}. */
    public long lengthBytes() {
        return lengthBytes;
    }

    /**
     * Maps a file in memory over a part.
     *
     * @param offset of the part in the range, a multiple of {@link #PAGE_BYTES}.
     * @param partBytes its length, likewise.
     * @param fd the file, which may be closed afterwards.
     */
    public void mapShared(
            final long offset, final long partBytes, final int fd, final boolean isWritable)
            throws LinuxException {
        final int protection = isWritable ? PROT_READ | PROT_WRITE : PROT_READ;
        map(check(offset, partBytes), partBytes, protection, MAP_SHARED | MAP_FIXED, fd);
    }

    /** Maps private memory of this process over a part; pages are taken when first touched. */
    public void mapPrivate(final long offset, final long partBytes) throws LinuxException {
        map(
                check(offset, partBytes),
                partBytes,
                PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                NO_FILE);
    }

    /**
     * Unmaps the memory of a part, which reads as zeros again. Pages of a file that nobody else has
     * are given back within this call.
     */
    public void clear(final long offset, final long partBytes) throws LinuxException {
        map(
                check(offset, partBytes),
                partBytes,
                PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                NO_FILE);
    }

    /**
     * Takes the memory of the whole range out of this process, but keeps its addresses, which read
     * as zeros until {@link #close}: for memory that another thread may be using. What is written
     * there from now on reaches nobody.
     */
    public synchronized void decommit() {
        if (!isClosed) {
            decommit(address, lengthBytes);
        }
    }

    /** The same for any mapping. */
    static void decommit(final long at, final long lengthBytes) {
        Handles.mmap(
                at,
                lengthBytes,
                PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                NO_FILE);
    }

    private long check(final long offset, final long partBytes) {
        if (((offset | partBytes) & (PAGE_BYTES - 1)) != 0
                || offset < 0
                || partBytes < 1
                || offset > lengthBytes - partBytes) {
            throw new IllegalArgumentException(
                    "not pages of a range of " + lengthBytes + ": " + offset + "+" + partBytes);
        }
        assert !isClosed : "a range is used after it was closed";
        return address + offset;
    }

    /** Gives back the addresses, which must not be read any more. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            Handles.munmap(address, lengthBytes);
        }
    }

    private static long map(
            final long at,
            final long lengthBytes,
            final int protection,
            final int flags,
            final int fd)
            throws LinuxException {
        final long mapped = Handles.mmap(at, lengthBytes, protection, flags, fd);
        if (mapped == -1) {
            throw new LinuxException(
                    "mmap(" + lengthBytes + " bytes)", Linux.errno(Linux.errnoSegment()));
        }
        return mapped;
    }

    private static final class Handles {
        private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
        private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
        private static final MethodHandle MMAP =
                Linux.bind("mmap", FunctionDescriptor.of(LONG, LONG, LONG, INT, INT, INT, LONG));
        private static final MethodHandle MUNMAP =
                Linux.bind("munmap", FunctionDescriptor.of(INT, LONG, LONG));

        static int pageBytes() {
            try {
                return (int)
                        Linux.bind("getpagesize", FunctionDescriptor.of(INT))
                                .invokeExact(Linux.errnoSegment());
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static long mmap(
                final long at,
                final long lengthBytes,
                final int protection,
                final int flags,
                final int fd) {
            try {
                return (long)
                        MMAP.invokeExact(
                                Linux.errnoSegment(), at, lengthBytes, protection, flags, fd, 0L);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static void munmap(final long address, final long lengthBytes) {
            try {
                final int ignored =
                        (int) MUNMAP.invokeExact(Linux.errnoSegment(), address, lengthBytes);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }
    }
}
