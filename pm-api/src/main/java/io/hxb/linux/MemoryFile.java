package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Files in memory (memfd) that one process fills with pages and lends to another which does not
 * trust it. Once sealed, nobody can take the pages away again: so a reader is neither killed by a
 * truncated file (SIGBUS), nor charged for pages of holes that it reads. Stateless; any thread may
 * call it. Source: memfd_create(2), fallocate(2), fcntl(2) on sealing, statx(2), statfs(2).
 */
public final class MemoryFile {
    /** F_SEAL_SHRINK | F_SEAL_GROW. */
    private static final int SIZE_SEALS = 2 | 4;

    /** F_SEAL_FUTURE_WRITE | F_SEAL_SEAL. */
    private static final int PAGE_SEALS = 0x10 | 1;

    private static final int AT_EMPTY_PATH = 0x1000;

    /** STATX_SIZE | STATX_BLOCKS. */
    private static final int SIZE_AND_BLOCKS = 0x200 | 0x400;

    /** Of struct statx, which is longer than struct statfs. */
    private static final int STATX_BYTES = 256;

    private static final int STATX_SIZE_OFFSET = 40;
    private static final int STATX_BLOCKS_OFFSET = 48;
    private static final int BLOCK_BYTES = 512;
    private static final long TMPFS_MAGIC = 0x0102_1994;
    private static final int MAX_INTERRUPTIONS = 1000;

    private MemoryFile() {}

    /**
     * Makes a file of zeroed pages, all of which are taken at once and charged to this process. Its
     * size is sealed; map it before it is lent, because {@link #sealPages} prevents that.
     *
     * @param name shown in /proc, no meaning otherwise.
     * @param lengthBytes a multiple of {@link AddressRange#PAGE_BYTES}, 1 page or more.
     * @return its descriptor, which the caller closes.
     * @throws LinuxException if there is not that much memory, or there are no descriptors left.
     */
    public static int create(final String name, final long lengthBytes) throws LinuxException {
        final int fd = Memfd.create(name, false);
        try {
            populate(fd, name, lengthBytes);
            Memfd.seal(fd, SIZE_SEALS);
            return fd;
        } catch (final LinuxException e) {
            Descriptors.close(fd);
            throw e;
        }
    }

    private static void populate(final int fd, final String name, final long lengthBytes)
            throws LinuxException {
        int result = Memfd.allocate(fd, 0, lengthBytes);
        // A signal undoes what was done so far.
        for (int i = 0; result < 0 && isInterrupted() && i < MAX_INTERRUPTIONS; i++) {
            result = Memfd.allocate(fd, 0, lengthBytes);
        }
        final String call = "fallocate(" + name + ", " + lengthBytes + ")";
        Linux.check(result, call, Linux.errnoSegment());
    }

    private static boolean isInterrupted() {
        return Linux.errno(Linux.errnoSegment()) == Errno.EINTR;
    }

    /**
     * Checks a descriptor that another process has passed, before anything is done with it.
     *
     * @param fd any descriptor.
     * @param lengthBytes the length that the file should have.
     * @return an empty text if it is a file in memory whose size is sealed and of that length, else
     *     what is wrong with it.
     */
    public static String problem(final int fd, final long lengthBytes) {
        final int seals = Memfd.seals(fd);
        if (seals < 0) {
            return "it is not a file in memory (memfd)";
        }
        // This also keeps the owner's operations short, for which a call here may have to wait.
        if ((seals & SIZE_SEALS) != SIZE_SEALS) {
            return "its size is not sealed (F_SEAL_SHRINK, F_SEAL_GROW)";
        }
        try (Arena arena = Arena.ofConfined()) {
            final long buffer = arena.allocate(STATX_BYTES, 8).address();
            // Huge pages come from a pool of the machine's, and are mapped in other steps.
            if (Handles.fstatfs(fd, buffer) < 0 || Memory.getLong(buffer) != TMPFS_MAGIC) {
                return "it is not of ordinary pages";
            }
            final long size = status(arena, fd, STATX_SIZE_OFFSET);
            return size == lengthBytes ? "" : "it has " + size + " bytes instead of " + lengthBytes;
        }
    }

    /**
     * Seals the pages of a file without a {@link #problem}: from then on nobody can remove one or
     * map the file writable; existing mappings remain.
     *
     * @return an empty text if every page is there and sealed, otherwise what is wrong.
     */
    public static String sealPages(final int fd, final long lengthBytes) {
        // Fails if its owner has sealed it before; then its present seals count.
        Memfd.trySeal(fd, PAGE_SEALS);
        final int seals = Memfd.seals(fd);
        if (seals < 0 || (seals & PAGE_SEALS) != PAGE_SEALS) {
            return "its pages cannot be sealed (F_SEAL_FUTURE_WRITE, F_SEAL_SEAL)";
        }
        try (Arena arena = Arena.ofConfined()) {
            final long present = status(arena, fd, STATX_BLOCKS_OFFSET) * BLOCK_BYTES;
            return present >= lengthBytes
                    ? ""
                    : "it has holes: " + present + " of its " + lengthBytes + " bytes are present";
        }
    }

    /** A field of the file's status; -1 if there is none. */
    private static long status(final Arena arena, final int fd, final int offset) {
        final long buffer = arena.allocate(STATX_BYTES, 8).address();
        final long empty = arena.allocateFrom("").address();
        final int result = Handles.statx(fd, empty, AT_EMPTY_PATH, SIZE_AND_BLOCKS, buffer);
        return result < 0 ? -1 : Memory.getLong(buffer + offset);
    }

    private static final class Handles {
        private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
        private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
        private static final MethodHandle FSTATFS =
                Linux.bind("fstatfs", FunctionDescriptor.of(INT, INT, LONG));
        private static final MethodHandle STATX =
                Linux.bind("statx", FunctionDescriptor.of(INT, INT, LONG, INT, INT, LONG));

        static int fstatfs(final int fd, final long buffer) {
            try {
                return (int) FSTATFS.invokeExact(errno(), fd, buffer);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static int statx(
                final int fd, final long path, final int flags, final int mask, final long buffer) {
            try {
                return (int) STATX.invokeExact(errno(), fd, path, flags, mask, buffer);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        private static MemorySegment errno() {
            return Linux.errnoSegment();
        }
    }
}
