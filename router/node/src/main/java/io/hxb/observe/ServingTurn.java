package io.hxb.observe;

import io.hxb.linux.Folder;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;

/**
 * Whose turn it is to serve the nodes of a cluster file on this machine: that of the process which
 * has the lock of a file. The kernel gives it back when the process ends, however it ends. Used by
 * one thread.
 */
public final class ServingTurn implements AutoCloseable {
    private static final int PRIVATE_MODE = 0600;

    private final Path file;
    private FileChannel channel;
    private boolean isOurs;

    /** By the lock of {@code file}, which is made when it is needed. */
    public ServingTurn(final Path file) {
        this.file = file.toAbsolutePath();
    }

    /**
     * Takes the turn unless another process has it; does not wait.
     *
     * @return true if this process has it.
     * @throws IOException if the file cannot be locked.
     */
    boolean take() throws IOException {
        if (isOurs) {
            return true;
        }
        if (channel == null) {
            try (Folder folder = Folder.open(file.getParent())) {
                channel = folder.openOrCreate(file.getFileName().toString(), PRIVATE_MODE);
            }
        }
        try {
            isOurs = channel.tryLock() != null;
        } catch (final OverlappingFileLockException e) {
            // Another server of this process has it.
            isOurs = false;
        }
        return isOurs;
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
            channel = null;
        }
        isOurs = false;
    }
}
