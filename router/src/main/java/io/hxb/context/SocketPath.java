package io.hxb.context;

import io.hxb.linux.LinuxException;
import io.hxb.linux.UnixSocket;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * The place of a node's socket: checks the directory, takes the path for one node by a lock file
 * beside it, and removes what a dead node has left. Owned by the thread that starts the node.
 */
final class SocketPath implements AutoCloseable {
    private static final int STICKY = 01000;
    private static final int SOCKET_TYPE = 0140000;
    private static final int TYPE_MASK = 0170000;

    private final Path path;
    private final FileChannel lock;
    private final UnixSocket socket;

    private SocketPath(final Path path, final FileChannel lock, final UnixSocket socket) {
        this.path = path;
        this.lock = lock;
        this.socket = socket;
    }

    /**
     * Listens on a path.
     *
     * @param isForOthers true for mode 0666, where the peer's credentials decide; false for 0600.
     * @throws IOException in words, with what to do.
     */
    static SocketPath listen(final Path path, final boolean isForOthers) throws IOException {
        checkDirectory(path.toAbsolutePath().getParent());
        final FileChannel lock = lock(path);
        try {
            removeStale(path);
            final UnixSocket socket = UnixSocket.listen(path);
            final Set<PosixFilePermission> mode =
                    PosixFilePermissions.fromString(isForOthers ? "rw-rw-rw-" : "rw-------");
            Files.setPosixFilePermissions(path, mode);
            return new SocketPath(path, lock, socket);
        } catch (final IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private static void checkDirectory(final Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new IOException(
                    "the folder of the node's socket does not exist: create "
                            + directory
                            + " (mode 0755), or choose another attach.directory");
        }
        if (!Files.isWritable(directory)) {
            throw new IOException(
                    "this user (uid "
                            + AttachAccess.ownUid()
                            + ") may not make the node's socket in "
                            + directory
                            + ", which belongs to user "
                            + Files.getOwner(directory).getName()
                            + ": run as that user, or choose another attach.directory in the"
                            + " cluster file");
        }
        final int mode = (int) Files.getAttribute(directory, "unix:mode");
        if ((mode & 02) != 0 && (mode & STICKY) == 0) {
            throw new IOException(
                    "anybody could replace the node's socket in "
                            + directory
                            + ": take the right to write from others (chmod o-w)");
        }
    }

    private static FileChannel lock(final Path path) throws IOException {
        final Path lockPath = path.resolveSibling(path.getFileName() + ".lock");
        final FileChannel channel = openLock(lockPath);
        boolean isLocked = false;
        try {
            isLocked = channel.tryLock() != null;
        } catch (final OverlappingFileLockException e) {
            isLocked = false;
        } finally {
            if (!isLocked) {
                channel.close();
            }
        }
        if (!isLocked) {
            throw inUse(path);
        }
        return channel;
    }

    private static FileChannel openLock(final Path lockPath) throws IOException {
        try {
            return FileChannel.open(
                    lockPath,
                    Set.of(
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE,
                            LinkOption.NOFOLLOW_LINKS),
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
        } catch (final AccessDeniedException e) {
            throw new IOException(
                    "this user (uid "
                            + AttachAccess.ownUid()
                            + ") may not open "
                            + lockPath
                            + ", which a node of user "
                            + Files.getOwner(lockPath, LinkOption.NOFOLLOW_LINKS).getName()
                            + " has made: run as that user, or remove the file when no such node"
                            + " runs",
                    e);
        }
    }

    private static IOException inUse(final Path path) {
        return new IOException(
                "two nodes on one socket path: "
                        + listener(path)
                        + " listens on "
                        + path
                        + "; stop it, or choose another attach.directory for this one");
    }

    private static String listener(final Path path) {
        try (UnixSocket other = UnixSocket.connect(path)) {
            final UnixSocket.Peer peer = other.peer();
            return peer.pid() == 0
                    ? "a node in another container (user " + peer.uid() + ")"
                    : "the node with pid " + peer.pid() + " (user " + peer.uid() + ")";
        } catch (final LinuxException e) {
            // Just starting or ending.
            return "another node";
        }
    }

    private static void removeStale(final Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        final int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        if ((mode & TYPE_MASK) != SOCKET_TYPE) {
            throw new IOException(path + " exists and is no socket: remove it");
        }
        boolean isLive = true;
        try {
            UnixSocket.connect(path).close();
        } catch (final LinuxException e) {
            isLive = false;
        }
        if (isLive) {
            throw inUse(path);
        }
        Files.delete(path);
    }

    UnixSocket socket() {
        return socket;
    }

    /** Stops listening and removes the socket. The lock file stays: removing it would race. */
    @Override
    public void close() throws IOException {
        socket.close();
        Files.deleteIfExists(path);
        lock.close();
    }
}
