package io.hxb.counter;

import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.UntrustedFolderException;
import io.hxb.os.SharedFile;
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
    /** Rounds of {@link #publishAll}; a process that removes its files and ends says nothing. */
    private static final int SILENT_ROUNDS = 3;

    private final SharedFile file;
    private final CounterLayout layout;
    private final MemorySegment source;
    // What goes into the file: texts are copied only while nobody writes them.
    private final MemorySegment image;
    private final MemorySegment text;
    private final Consumer<String> warning;
    private boolean isTroubleReported;
    private int goneRounds;
    private boolean isClosed;

    private CounterFile(
            final SharedFile file,
            final CounterLayout layout,
            final MemorySegment source,
            final MemorySegment image,
            final Consumer<String> warning) {
        this.file = file;
        this.layout = layout;
        this.source = source;
        this.image = image;
        this.warning = warning;
        text = Arena.ofAuto().allocate(TextArea.LENGTH_BYTES);
    }

    /**
     * Makes the file in place of an older one, as {@link SharedFile#create}.
     *
     * @param source what is copied, {@code layout.length} bytes.
     * @param warning called once, when the file cannot be written any more, or is gone and cannot
     *     be made again.
     */
    static CounterFile create(
            final Path path,
            final CounterLayout layout,
            final MemorySegment source,
            final Consumer<String> warning)
            throws IOException {
        RunFolders.ofThisProcess().prepare(path.toAbsolutePath().getParent());
        final MemorySegment image =
                Arena.ofAuto().allocate(layout.length, Long.BYTES).copyFrom(source);
        return new CounterFile(SharedFile.create(path, image), layout, source, image, warning);
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
        return file.path();
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

    /** Writes everything, whatever has been done to the file, also if it was removed. */
    synchronized void publishAll() {
        copyAll();
        if (file.isGone()) {
            makeAgain();
        } else {
            goneRounds = 0;
        }
    }

    // A folder goes when its user logs out, or when somebody cleans up.
    private void makeAgain() {
        try {
            RunFolders.ofThisProcess().prepare(path().getParent());
            file.makeAgain();
            goneRounds = 0;
        } catch (final IOException e) {
            goneRounds++;
            if (goneRounds == SILENT_ROUNDS) {
                warning.accept(problem(path(), e));
            }
        }
    }

    private void copyAll() {
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
        try {
            file.write(at, lengthBytes);
            isTroubleReported = false;
        } catch (final LinuxException e) {
            if (!isTroubleReported) {
                isTroubleReported = true;
                warning.accept(problem(path(), e));
            }
        }
    }

    /** Writes everything again. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            copyAll();
            file.close();
        }
    }
}
