package io.hxb.counter;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.Folder;
import io.hxb.linux.LinuxException;
import io.hxb.linux.UntrustedFolderException;
import io.hxb.pm.attach.RunFolders;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The copy of a node's counters that tools read: a file that is written and never mapped. Any
 * thread may call it; calls take turns.
 */
final class CounterFile implements AutoCloseable {
    private static final int READABLE_BY_ALL = 0644;
    private static final int FOLDER_MODE = 0755;

    private final Path path;
    private final int descriptor;
    private final CounterLayout layout;
    private final MemorySegment source;
    // What goes into the file: texts are copied only while nobody writes them.
    private final MemorySegment image;
    private final MemorySegment text;
    private final Consumer<String> warning;
    private boolean isTroubleReported;
    private boolean isClosed;

    private CounterFile(
            final Path path,
            final int descriptor,
            final CounterLayout layout,
            final MemorySegment source,
            final Consumer<String> warning) {
        this.path = path;
        this.descriptor = descriptor;
        this.layout = layout;
        this.source = source;
        this.warning = warning;
        image = Arena.ofAuto().allocate(layout.length, Long.BYTES).copyFrom(source);
        text = Arena.ofAuto().allocate(TextArea.LENGTH_BYTES);
    }

    /**
     * Makes the file in place of an older one. It gets its name once all of it is written, so that
     * a full disk is noticed now, and readers of an older file are not disturbed.
     *
     * @param source what is copied, {@code layout.length} bytes.
     * @param warning called once, when the file cannot be written any more.
     */
    static CounterFile create(
            final Path path,
            final CounterLayout layout,
            final MemorySegment source,
            final Consumer<String> warning)
            throws IOException {
        final Path place = path.toAbsolutePath();
        final String name = place.getFileName().toString();
        RunFolders.ofThisProcess().prepare(place.getParent());
        try (Folder folder = Folder.make(place.getParent(), FOLDER_MODE)) {
            final String fresh = Folder.temporaryName(name);
            final int fd = folder.createDescriptor(fresh, READABLE_BY_ALL);
            try {
                final CounterFile file = new CounterFile(path, fd, layout, source, warning);
                file.write(0, layout.length);
                folder.rename(fresh, name);
                return file;
            } catch (final LinuxException e) {
                Descriptors.close(fd);
                folder.delete(fresh);
                throw e;
            }
        }
    }

    /** What to tell people when there is no file. */
    static String problem(final Path path, final IOException e) {
        return "counters cannot be kept in "
                + path
                + " ("
                + e.getMessage()
                + "): hxb stat will not see this node; "
                + remedy(e)
                + "name another folder as attach.countersDirectory";
    }

    private static String remedy(final IOException e) {
        if (e instanceof UntrustedFolderException) {
            return "follow its advice, or ";
        }
        final int errno = e instanceof LinuxException linux ? linux.errno() : 0;
        return switch (errno) {
            case Errno.ENOSPC -> "free space there, or ";
            case Errno.EACCES, Errno.EPERM, Errno.EROFS -> "let this user write there, or ";
            default -> "";
        };
    }

    Path path() {
        return path;
    }

    /**
     * Writes what changes often.
     *
     * @return true if it had changed since the last time.
     */
    synchronized boolean publish() {
        final int valuesAt = layout.valuesAt;
        final boolean isHeaderChanged = copyIfChanged(0, CounterLayout.HEADER_BYTES);
        final boolean areValuesChanged = copyIfChanged(valuesAt, layout.length - valuesAt);
        if (isHeaderChanged || areValuesChanged) {
            store(0, CounterLayout.HEADER_BYTES);
            store(valuesAt, layout.length - valuesAt);
        }
        return isHeaderChanged || areValuesChanged;
    }

    /** Writes everything, whatever has been done to the file. */
    synchronized void publishAll() {
        copyIfChanged(0, layout.findingsAt);
        TextArea.copy(source, image, layout.findingsAt, text);
        TextArea.copy(source, image, layout.sharesAt, text);
        copyIfChanged(layout.valuesAt, layout.length - layout.valuesAt);
        store(0, layout.length);
    }

    private boolean copyIfChanged(final long at, final long lengthBytes) {
        final MemorySegment from = source.asSlice(at, lengthBytes);
        final MemorySegment to = image.asSlice(at, lengthBytes);
        if (from.mismatch(to) < 0) {
            return false;
        }
        to.copyFrom(from);
        return true;
    }

    private void store(final long at, final long lengthBytes) {
        if (isClosed) {
            return;
        }
        try {
            write(at, lengthBytes);
            isTroubleReported = false;
        } catch (final LinuxException e) {
            if (!isTroubleReported) {
                isTroubleReported = true;
                warning.accept(problem(path, e));
            }
        }
    }

    private void write(final long at, final long lengthBytes) throws LinuxException {
        Descriptors.write(descriptor, image.address() + at, lengthBytes, at, path.toString());
    }

    /** Writes everything again. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            publishAll();
            isClosed = true;
            Descriptors.close(descriptor);
        }
    }
}
