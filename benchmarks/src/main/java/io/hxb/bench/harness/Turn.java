package io.hxb.bench.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A turn on a machine on which others measure as well: holds a file's lock as flock(1) does, so
 * that others that take the same lock wait. Used by one thread.
 */
public final class Turn implements AutoCloseable {
    private final Process holder;

    private Turn(final Process holder) {
        this.holder = holder;
    }

    /**
     * Waits for the lock, and holds it until the turn is closed or this process ends.
     *
     * @param file whose lock it is; null for a turn that waits for nobody.
     */
    public static Turn take(final Path file) throws IOException {
        if (file == null) {
            return new Turn(null);
        }
        final Process holder =
                new ProcessBuilder(List.of("flock", file.toString(), "sh", "-c", "echo; read end"))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        if (holder.getInputStream().read() < 0) {
            throw new IOException("flock cannot lock " + file);
        }
        return new Turn(holder);
    }

    /** Lets others have the lock. */
    @Override
    public void close() throws IOException {
        if (holder != null) {
            holder.getOutputStream().close();
        }
    }
}
