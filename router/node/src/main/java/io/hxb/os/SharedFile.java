package io.hxb.os;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Folder;
import io.hxb.linux.LinuxException;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * A file that this process writes for others to read: by its descriptor, never mapped, so that
 * nobody can take memory away from this process. Used by one thread at a time.
 */
public final class SharedFile implements AutoCloseable {
    private static final int READABLE_BY_ALL = 0644;
    private static final int FOLDER_MODE = 0755;

    private final Path path;
    private final MemorySegment image;
    private int descriptor;
    private boolean isClosed;

    private SharedFile(final Path path, final MemorySegment image, final int descriptor) {
        this.path = path;
        this.image = image;
        this.descriptor = descriptor;
    }

    /**
     * Makes the file in place of an older one, and its folder. It gets its name once all of it is
     * written, so that a full disk is noticed now, and readers of an older file are not disturbed.
     *
     * @param image what is written, in native memory.
     */
    public static SharedFile create(final Path path, final MemorySegment image) throws IOException {
        final Path place = path.toAbsolutePath();
        try (Folder folder = Folder.make(place.getParent(), FOLDER_MODE)) {
            return new SharedFile(place, image, write(folder, place, image));
        }
    }

    private static int write(final Folder folder, final Path place, final MemorySegment image)
            throws IOException {
        final String name = place.getFileName().toString();
        final String fresh = Folder.temporaryName(name);
        final int fd = folder.createDescriptor(fresh, READABLE_BY_ALL);
        try {
            Descriptors.write(fd, image.address(), image.byteSize(), 0, place.toString());
            folder.rename(fresh, name);
            return fd;
        } catch (final LinuxException e) {
            Descriptors.close(fd);
            folder.delete(fresh);
            throw e;
        }
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    /** Writes a part of the image; nothing after {@link #close}. */
    public void write(final long at, final long lengthBytes) throws LinuxException {
        if (!isClosed) {
            Descriptors.write(descriptor, image.address() + at, lengthBytes, at, path.toString());
        }
    }

    /** True if nothing has its name: somebody has removed it, or the folder that it was in. */
    public boolean isGone() {
        return !isClosed && !Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** True if somebody has cut the file short. */
    public boolean isCut() {
        try {
            return !isClosed && Files.size(path) < image.byteSize();
        } catch (final IOException e) {
            // It is gone.
            return false;
        }
    }

    /**
     * Makes the file once more after it was removed.
     *
     * @throws IOException if its folder is not there either, or it cannot be made in it.
     */
    public void makeAgain() throws IOException {
        try (Folder folder = Folder.open(path.getParent())) {
            final int fresh = write(folder, path, image);
            Descriptors.close(descriptor);
            descriptor = fresh;
        }
    }

    /** Closes the file, which stays. */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            Descriptors.close(descriptor);
        }
    }
}
