package io.hxb.recorder;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Folder;
import io.hxb.linux.LinuxException;
import io.hxb.pm.attach.RunFolders;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file with a node's events, which is written and never mapped. Guarded by the lock of its
 * {@link FlightRecorder}.
 */
final class EventFile {
    private static final int READABLE_BY_ALL = 0644;
    private static final int FOLDER_MODE = 0755;

    private final Path path;
    private final int descriptor;
    private final MemorySegment image;
    private boolean isClosed;

    private EventFile(final Path path, final int descriptor, final MemorySegment image) {
        this.path = path;
        this.descriptor = descriptor;
        this.image = image;
    }

    /**
     * Makes the file in place of an older one; it gets its name once all of it is written.
     *
     * @param image what is written, {@code EventLayout.LENGTH_BYTES} bytes.
     */
    static EventFile create(final Path path, final MemorySegment image) throws IOException {
        final Path place = path.toAbsolutePath();
        final String name = place.getFileName().toString();
        RunFolders.ofThisProcess().prepare(place.getParent());
        try (Folder folder = Folder.make(place.getParent(), FOLDER_MODE)) {
            final String fresh = Folder.temporaryName(name);
            final int fd = folder.createDescriptor(fresh, READABLE_BY_ALL);
            try {
                final EventFile file = new EventFile(place, fd, image);
                file.write(0, EventLayout.LENGTH_BYTES);
                folder.rename(fresh, name);
                return file;
            } catch (final LinuxException e) {
                Descriptors.close(fd);
                folder.delete(fresh);
                throw e;
            }
        }
    }

    /** True if somebody has cut the file short. */
    boolean isCut() {
        try {
            return Files.size(path) < EventLayout.LENGTH_BYTES;
        } catch (final IOException e) {
            // It has another name now, or none: who has it open reads on.
            return false;
        }
    }

    /** Writes a part of the image. */
    void write(final long at, final long lengthBytes) throws LinuxException {
        if (!isClosed) {
            Descriptors.write(descriptor, image.address() + at, lengthBytes, at, path.toString());
        }
    }

    void close() {
        if (!isClosed) {
            isClosed = true;
            Descriptors.close(descriptor);
        }
    }
}
