package io.hxb.context;

import io.hxb.linux.Errno;
import io.hxb.linux.FileStatus;
import io.hxb.linux.Folder;
import io.hxb.linux.LinuxException;
import io.hxb.linux.UnixSocket;
import io.hxb.os.StaleSocket;
import io.hxb.pm.attach.RunFolders;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * The place of a node's socket: opens the folder, takes the path for one node by a lock file beside
 * it, and removes the remains of a dead node. Owned by the thread that starts the node, then by the
 * attach thread.
 */
final class SocketPath implements AutoCloseable {
    private static final int LOCK_MODE = 0600;
    private static final int MODE_FOR_US = 0600;
    private static final int MODE_FOR_OTHERS = 0666;

    private final Folder folder;
    private final String name;
    private final boolean isForOthers;
    private final FileChannel lock;
    private final UnixSocket socket;

    private SocketPath(
            final Folder folder,
            final String name,
            final boolean isForOthers,
            final FileChannel lock,
            final UnixSocket socket) {
        this.folder = folder;
        this.name = name;
        this.isForOthers = isForOthers;
        this.lock = lock;
        this.socket = socket;
    }

    /**
     * Listens on a path.
     *
     * @param isForOthers true for mode 0666, where the peer's credentials decide; false for 0600.
     * @throws IOException with a message that states the problem and what to do.
     */
    static SocketPath listen(final Path path, final boolean isForOthers) throws IOException {
        final Folder folder = open(path.toAbsolutePath().getParent());
        try {
            return listen(folder, path.getFileName().toString(), isForOthers);
        } catch (final IOException | RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    private static SocketPath listen(
            final Folder folder, final String name, final boolean isForOthers) throws IOException {
        final FileChannel lock = lock(folder, name);
        try {
            removeStale(folder, name);
            final UnixSocket socket = UnixSocket.listen(folder, name);
            try {
                folder.changeMode(name, isForOthers ? MODE_FOR_OTHERS : MODE_FOR_US);
            } catch (final IOException e) {
                socket.close();
                throw e;
            }
            return new SocketPath(folder, name, isForOthers, lock, socket);
        } catch (final IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private static Folder open(final Path directory) throws IOException {
        try {
            return Folder.open(directory);
        } catch (final LinuxException e) {
            throw e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR
                    ? new IOException(
                            "the folder of the node's socket does not exist: create "
                                    + directory
                                    + " (mode 0755), or choose another attach.directory",
                            e)
                    : e;
        }
    }

    private static FileChannel lock(final Folder folder, final String name) throws IOException {
        final FileChannel channel = openLock(folder, name + ".lock");
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
            throw inUse(folder, name);
        }
        return channel;
    }

    private static FileChannel openLock(final Folder folder, final String name) throws IOException {
        try {
            return folder.openOrCreate(name, LOCK_MODE);
        } catch (final LinuxException e) {
            if (e.errno() != Errno.EACCES) {
                throw e;
            }
            final FileStatus lock = folder.status(name);
            throw lock == null ? mayNotWrite(folder, e) : isOfAnother(folder, name, lock, e);
        }
    }

    private static IOException mayNotWrite(final Folder folder, final LinuxException cause)
            throws LinuxException {
        return new IOException(
                "this user (uid "
                        + AttachAccess.ownUid()
                        + ") may not make the node's socket in "
                        + folder.path()
                        + ", which belongs to user "
                        + folder.status().uid()
                        + ": run as that user, or choose another attach.directory in the"
                        + " cluster file",
                cause);
    }

    private static IOException isOfAnother(
            final Folder folder,
            final String name,
            final FileStatus lock,
            final LinuxException cause) {
        return new IOException(
                "this user (uid "
                        + AttachAccess.ownUid()
                        + ") may not open "
                        + folder.path().resolve(name)
                        + ", which a node of user "
                        + lock.uid()
                        + " has made: run as that user, or remove the file when no such node runs",
                cause);
    }

    private static IOException inUse(final Folder folder, final String name) {
        return new IOException(
                "two nodes on one socket path: "
                        + listener(folder, name)
                        + " listens on "
                        + folder.path().resolve(name)
                        + "; stop it, or choose another attach.directory for this one");
    }

    private static String listener(final Folder folder, final String name) {
        try (UnixSocket other = UnixSocket.connect(folder.inside(name))) {
            final UnixSocket.Peer peer = other.peer();
            return peer.pid() == 0
                    ? "a node in another container (user " + peer.uid() + ")"
                    : "the node with pid " + peer.pid() + " (user " + peer.uid() + ")";
        } catch (final LinuxException e) {
            // It is just starting or ending.
            return "another node";
        }
    }

    private static void removeStale(final Folder folder, final String name) throws IOException {
        if (!StaleSocket.remove(folder.inside(name))) {
            throw inUse(folder, name);
        }
    }

    UnixSocket socket() {
        return socket;
    }

    /** Where programs look for it. */
    Path path() {
        return folder.path().resolve(name);
    }

    /** True if nothing is there any more: somebody has removed it, or the folder it was in. */
    boolean isGone() {
        return !Files.exists(path(), LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Listens there once more, after it was removed; {@link #abandon} is for this one then. The
     * path is free meanwhile: another node that takes it may have it.
     *
     * @throws IOException with a message that states the problem; it may be tried again.
     */
    SocketPath again() throws IOException {
        lock.close();
        RunFolders.ofThisProcess().prepare(folder.path());
        return listen(path(), isForOthers);
    }

    /** Closes what another has taken the place of. */
    void abandon() {
        socket.close();
        folder.close();
    }

    /**
     * Stops listening and removes the socket, unless the path may be of another node since {@link
     * #again} failed. The lock file stays: removing it would race.
     */
    @Override
    public void close() throws IOException {
        socket.close();
        try {
            if (lock.isOpen()) {
                folder.delete(name);
            }
        } finally {
            lock.close();
            folder.close();
        }
    }
}
