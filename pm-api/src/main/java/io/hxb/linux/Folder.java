package io.hxb.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A folder in which only root and this user can create, replace or redirect a file, held by its
 * descriptor. Files in it are named by one word; symbolic links among them are never followed. Used
 * by one thread at a time.
 *
 * <p>On the way to the folder each component is opened by the descriptor of the one before, and has
 * to belong to root or to this user, or to the user who runs this process by sudo. Nobody else may
 * write in it, except in parents with the sticky bit, such as /tmp, whose entries nobody else can
 * replace. A symbolic link on the way is followed if its owner is one of these users. The group of
 * this process is trusted like its user. Source: openat(2), statx(2), path_resolution(7).
 */
public final class Folder implements AutoCloseable {
    private static final int AT_FDCWD = -100;
    private static final int AT_SYMLINK_NOFOLLOW = 0x100;
    private static final int AT_REMOVEDIR = 0x200;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int O_RDONLY = 0;
    private static final int O_WRONLY = 1;
    private static final int O_CREAT = 0100;
    private static final int O_EXCL = 0200;
    private static final int O_NONBLOCK = 04000;
    private static final int O_DIRECTORY = 0200000;
    private static final int O_NOFOLLOW = 0400000;
    private static final int O_CLOEXEC = 02000000;
    private static final int O_PATH = 010000000;
    private static final int STATX_BASIC_STATS = 0x7ff;
    private static final int STATX_BYTES = 256;
    private static final int PATH_MAX = 4096;
    private static final int PRIVATE_MODE = 0600;
    private static final int PARENT_MODE = 0755;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final Path path;
    private final int descriptor;
    private boolean isClosed;

    Folder(final Path path, final int descriptor) {
        this.path = path;
        this.descriptor = descriptor;
    }

    /**
     * Opens a folder.
     *
     * @throws LinuxException if it is not there or may not be entered.
     * @throws UntrustedFolderException if somebody else could change what is in it; the message
     *     explains what to do.
     */
    public static Folder open(final Path folder) throws IOException {
        return FolderWalk.to(folder, -1);
    }

    /**
     * Opens a folder and makes it first, with its parents, if it is not there.
     *
     * @param mode of the folder if it is made, whatever the umask; parents have 0755 at most.
     * @throws IOException as {@link #open}, or it cannot be made.
     */
    public static Folder make(final Path folder, final int mode) throws IOException {
        return FolderWalk.to(folder, mode);
    }

    /** Its path, for messages. */
    public Path path() {
        return path;
    }

    /**
     * Another name of a file in it, which remains valid when the folder is renamed: for calls that
     * take a path. Valid while the folder is open.
     */
    public Path inside(final String name) {
        return Path.of("/proc/self/fd/" + descriptor, checked(name));
    }

    /**
     * Makes a file.
     *
     * @param mode its mode, minus the umask.
     * @return the file, open for writing.
     * @throws FileAlreadyExistsException if there is anything of that name.
     */
    public FileChannel create(final String name, final int mode) throws IOException {
        final int fd = openFile(name, O_WRONLY | O_CREAT | O_EXCL, mode);
        try {
            return channel(fd, StandardOpenOption.WRITE);
        } finally {
            Descriptors.close(fd);
        }
    }

    /**
     * Makes a file.
     *
     * @param mode its mode, whatever the umask.
     * @return its descriptor, for writing, which the caller closes.
     * @throws FileAlreadyExistsException if there is anything of that name.
     */
    public int createDescriptor(final String name, final int mode) throws IOException {
        final int fd = openFile(name, O_WRONLY | O_CREAT | O_EXCL, PRIVATE_MODE);
        try {
            fchmod(fd, mode, name);
            return fd;
        } catch (final LinuxException e) {
            Descriptors.close(fd);
            delete(name);
            throw e;
        }
    }

    /**
     * Opens a file for writing, and makes it if it is not there.
     *
     * @param mode of the file if it is made, less the umask.
     * @throws UntrustedFolderException if it is there, but belongs to another user or is not a
     *     plain file.
     */
    public FileChannel openOrCreate(final String name, final int mode) throws IOException {
        final int fd = openFile(name, O_WRONLY | O_CREAT, mode);
        try {
            requireOwnFile(status(fd, "", path.resolve(name)), path.resolve(name));
            return channel(fd, StandardOpenOption.WRITE);
        } finally {
            Descriptors.close(fd);
        }
    }

    /**
     * Reads a file that nobody but root and this user may read or write; its group may where that
     * is root's, which is how the service manager lends a service its credentials. Never waits, not
     * for a pipe of that name either.
     *
     * @param maxBytes length from which on the file is refused.
     * @throws LinuxException if it is not there or may not be read.
     * @throws UntrustedFolderException if it is another user's, not a plain file, too long, or open
     *     to others; with what to do.
     */
    public byte[] readSecret(final String name, final int maxBytes) throws IOException {
        final Path file = path.resolve(name);
        final int fd = openFile(name, O_RDONLY | O_NONBLOCK, 0);
        try {
            final FileStatus status = status(fd, "", file);
            requireOwnFile(status, file);
            if (!status.isSecret()) {
                throw new UntrustedFolderException(
                        String.format(
                                "%s can be read or written by others (mode %04o): run chmod 600 %s",
                                file, status.permissions(), file));
            }
            try (FileChannel channel = channel(fd, StandardOpenOption.READ)) {
                final byte[] content = Channels.newInputStream(channel).readNBytes(maxBytes);
                if (content.length == maxBytes) {
                    throw new UntrustedFolderException(
                            file + " has " + maxBytes + " bytes or more: it is another file");
                }
                return content;
            }
        } finally {
            Descriptors.close(fd);
        }
    }

    private static void requireOwnFile(final FileStatus status, final Path file)
            throws UntrustedFolderException {
        if (!status.isFile() || !status.isTrusted()) {
            throw new UntrustedFolderException(
                    file
                            + (status.isFile()
                                    ? " belongs to another user (uid " + status.uid() + ")"
                                    : " is not a plain file")
                            + ": look at what it is and remove it");
        }
    }

    /**
     * Replaces a file by another of that content, in one step. Processes that have the old one open
     * keep it.
     *
     * @param mode of the new file, less the umask.
     */
    public void replace(final String name, final byte[] content, final int mode)
            throws IOException {
        final String fresh = write(name, content, mode);
        try {
            rename(fresh, name);
        } catch (final IOException e) {
            delete(fresh);
            throw e;
        }
    }

    /**
     * Makes a file that appears together with its content.
     *
     * @throws FileAlreadyExistsException if there is anything of that name.
     */
    public void add(final String name, final byte[] content, final int mode) throws IOException {
        final String fresh = write(name, content, mode);
        try {
            link(fresh, name);
        } finally {
            delete(fresh);
        }
    }

    private String write(final String name, final byte[] content, final int mode)
            throws IOException {
        final String fresh = temporaryName(name);
        try (FileChannel channel = create(fresh, mode)) {
            final ByteBuffer buffer = ByteBuffer.wrap(content);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            return fresh;
        } catch (final IOException e) {
            delete(fresh);
            throw e;
        }
    }

    /** An unused name, for a file that gets the name {@code name} when it is complete. */
    public static String temporaryName(final String name) {
        return "."
                + name
                + "."
                + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong())
                + ".new";
    }

    /** Renames a file, replacing what has the new name. */
    public void rename(final String from, final String to) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            check(
                    Handles.renameat(
                            descriptor, text(arena, checked(from)), text(arena, checked(to))),
                    "rename",
                    to);
        }
    }

    private void link(final String from, final String to) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            final int result =
                    Handles.linkat(
                            descriptor, text(arena, checked(from)), text(arena, checked(to)));
            if (result < 0 && lastErrno() == Errno.EEXIST) {
                throw new FileAlreadyExistsException(path.resolve(to).toString());
            }
            check(result, "link", to);
        }
    }

    /** Removes a file, socket or link; false if there is none. */
    public boolean delete(final String name) throws LinuxException {
        return unlink(name, 0);
    }

    /** Removes an empty folder in it; false if there is none. */
    public boolean deleteFolder(final String name) throws LinuxException {
        return unlink(name, AT_REMOVEDIR);
    }

    private boolean unlink(final String name, final int flags) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final int result = Handles.unlinkat(descriptor, text(arena, checked(name)), flags);
            if (result < 0 && lastErrno() == Errno.ENOENT) {
                return false;
            }
            check(result, "remove", name);
            return true;
        }
    }

    /**
     * Sets the mode of what has that name and is not a link; nobody else can replace it during the
     * call.
     */
    public void changeMode(final String name, final int mode) throws IOException {
        final FileStatus status = status(name);
        if (status == null || status.isLink()) {
            throw new LinuxException("chmod(" + path.resolve(name) + ")", Errno.ENOENT);
        }
        try (Arena arena = Arena.ofConfined()) {
            check(Handles.fchmodat(descriptor, text(arena, name), mode), "chmod", name);
        }
    }

    /** What has that name, or null if nothing has; links are not followed. */
    public FileStatus status(final String name) throws LinuxException {
        try {
            return status(descriptor, checked(name), path.resolve(name));
        } catch (final LinuxException e) {
            if (e.errno() == Errno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    /** The folder's own status. */
    public FileStatus status() throws LinuxException {
        return status(descriptor, "", path);
    }

    private int openFile(final String name, final int flags, final int mode) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            final int fd =
                    Handles.openat(
                            descriptor,
                            text(arena, checked(name)),
                            flags | O_NOFOLLOW | O_CLOEXEC,
                            mode);
            if (fd < 0 && lastErrno() == Errno.EEXIST) {
                throw new FileAlreadyExistsException(path.resolve(name).toString());
            }
            if (fd < 0 && lastErrno() == Errno.ELOOP) {
                throw new UntrustedFolderException(
                        path.resolve(name) + " is a symbolic link: look at it and remove it");
            }
            check(fd, "open", name);
            return fd;
        }
    }

    // The same file once more, whatever has its name by now.
    private static FileChannel channel(final int fd, final StandardOpenOption access)
            throws IOException {
        return FileChannel.open(Path.of("/proc/self/fd/" + fd), access);
    }

    private void check(final int result, final String call, final String name)
            throws LinuxException {
        if (result < 0) {
            throw new LinuxException(call + "(" + path.resolve(name) + ")", lastErrno());
        }
    }

    private static String checked(final String name) {
        if (name.isEmpty() || name.indexOf('/') >= 0 || name.equals(".") || name.equals("..")) {
            throw new IllegalArgumentException("not the name of a file: " + name);
        }
        return name;
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            Descriptors.close(descriptor);
        }
    }

    /**
     * Opens the folder {@code name} of another, not through a link; a negative errno on failure.
     */
    static int openFolder(final int parent, final String name, final boolean isReadable) {
        try (Arena arena = Arena.ofConfined()) {
            final int fd =
                    Handles.openat(
                            parent < 0 ? AT_FDCWD : parent,
                            text(arena, name),
                            (isReadable ? O_RDONLY : O_PATH) | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
                            0);
            return fd < 0 ? -lastErrno() : fd;
        }
    }

    /** Makes the folder {@code name} of another; 0 or a negative errno. */
    static int makeFolder(final int parent, final String name) {
        try (Arena arena = Arena.ofConfined()) {
            final int mode = PARENT_MODE;
            return Handles.mkdirat(parent, text(arena, name), mode) < 0 ? -lastErrno() : 0;
        }
    }

    /** Where a link of a folder leads to. */
    static String readLink(final int parent, final String name, final Path place)
            throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment target = arena.allocate(PATH_MAX + 1);
            final long length =
                    Handles.readlinkat(parent, text(arena, name), target.address(), PATH_MAX);
            if (length < 0) {
                throw new LinuxException("readlink(" + place + ")", lastErrno());
            }
            return target.getString(0);
        }
    }

    static void fchmod(final int fd, final int mode, final String what) throws LinuxException {
        if (Handles.fchmod(fd, mode) < 0) {
            throw new LinuxException("chmod(" + what + ")", lastErrno());
        }
    }

    /** Status of the file {@code name} of a folder, or of the descriptor itself if it is empty. */
    static FileStatus status(final int fd, final String name, final Path place)
            throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long status = arena.allocate(STATX_BYTES, 8).address();
            final int flags = name.isEmpty() ? AT_EMPTY_PATH : AT_SYMLINK_NOFOLLOW;
            if (Handles.statx(fd, text(arena, name), flags, STATX_BASIC_STATS, status) < 0) {
                throw new LinuxException("stat(" + place + ")", lastErrno());
            }
            // struct statx: uid@20, gid@24, mode@28 (16 bits).
            return new FileStatus(
                    Memory.getInt(status + 20),
                    Memory.getInt(status + 24),
                    Memory.getUnsignedShort(status + 28));
        }
    }

    private static long text(final Arena arena, final String text) {
        return arena.allocateFrom(text).address();
    }

    private static int lastErrno() {
        return Linux.errno(Linux.errnoSegment());
    }

    private static final class Handles {
        private static final FunctionDescriptor NAME_AND_INT =
                FunctionDescriptor.of(INT, INT, LONG, INT);
        private static final FunctionDescriptor NAME_AND_TWO_INTS =
                FunctionDescriptor.of(INT, INT, LONG, INT, INT);
        private static final MethodHandle OPENAT =
                Linux.bindVariadic("openat", NAME_AND_TWO_INTS, 3);
        private static final MethodHandle MKDIRAT = Linux.bind("mkdirat", NAME_AND_INT);
        private static final MethodHandle UNLINKAT = Linux.bind("unlinkat", NAME_AND_INT);
        private static final MethodHandle FCHMODAT = Linux.bind("fchmodat", NAME_AND_TWO_INTS);
        private static final MethodHandle FCHMOD =
                Linux.bind("fchmod", FunctionDescriptor.of(INT, INT, INT));
        private static final MethodHandle RENAMEAT =
                Linux.bind("renameat", FunctionDescriptor.of(INT, INT, LONG, INT, LONG));
        private static final MethodHandle LINKAT =
                Linux.bind("linkat", FunctionDescriptor.of(INT, INT, LONG, INT, LONG, INT));
        private static final MethodHandle READLINKAT =
                Linux.bind("readlinkat", FunctionDescriptor.of(LONG, INT, LONG, LONG, LONG));
        private static final MethodHandle STATX =
                Linux.bind("statx", FunctionDescriptor.of(INT, INT, LONG, INT, INT, LONG));

        static int openat(final int folder, final long name, final int flags, final int mode) {
            try {
                return (int) OPENAT.invokeExact(Linux.errnoSegment(), folder, name, flags, mode);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static int mkdirat(final int folder, final long name, final int mode) {
            try {
                return (int) MKDIRAT.invokeExact(Linux.errnoSegment(), folder, name, mode);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static int unlinkat(final int folder, final long name, final int flags) {
            try {
                return (int) UNLINKAT.invokeExact(Linux.errnoSegment(), folder, name, flags);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static int fchmodat(final int folder, final long name, final int mode) {
            try {
                return (int) FCHMODAT.invokeExact(Linux.errnoSegment(), folder, name, mode, 0);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static int fchmod(final int fd, final int mode) {
            try {
                return (int) FCHMOD.invokeExact(Linux.errnoSegment(), fd, mode);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static int renameat(final int folder, final long from, final long to) {
            try {
                return (int) RENAMEAT.invokeExact(Linux.errnoSegment(), folder, from, folder, to);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static int linkat(final int folder, final long from, final long to) {
            try {
                return (int) LINKAT.invokeExact(Linux.errnoSegment(), folder, from, folder, to, 0);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static long readlinkat(
                final int folder, final long name, final long target, final long lengthBytes) {
            try {
                return (long)
                        READLINKAT.invokeExact(
                                Linux.errnoSegment(), folder, name, target, lengthBytes);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static int statx(
                final int folder,
                final long name,
                final int flags,
                final int mask,
                final long status) {
            try {
                return (int)
                        STATX.invokeExact(Linux.errnoSegment(), folder, name, flags, mask, status);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }
    }
}
