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

    /** Where it is. */
    public Path path() {
        return path;
    }

    /** Where a file of that name is, or would be. */
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
            System.err.println("left behind: " + path + ": " + e.getMessage());
        }
    }
}
