package io.hxb.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder of this user alone, removed with everything in it when it is closed. Immutable. */
public final class TemporaryFolder implements AutoCloseable {
    private final Path path;

    /** Makes the folder. */
    public TemporaryFolder() throws IOException {
        path = Files.createTempDirectory("hxbb-");
    }

    /** Path of the folder. */
    public Path path() {
        return path;
    }

    /** Path of a file in the folder, which need not exist. */
    public Path file(final String name) {
        return path.resolve(name);
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(path)) {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (final IOException e) {
            System.err.println("warning: cannot remove " + path + ": " + e.getMessage());
        }
    }
}
