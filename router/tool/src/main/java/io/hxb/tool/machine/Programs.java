package io.hxb.tool.machine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds programs as a shell does. Stateless. */
public final class Programs {
    private Programs() {}

    /**
     * The file of a program; empty if there is none that may be run.
     *
     * @param name a path if it has a slash; otherwise it is looked for in the folders of PATH.
     */
    public static Optional<Path> find(final String name) {
        final Stream<Path> candidates =
                name.contains("/")
                        ? Stream.of(Path.of(name))
                        : Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
                                .map(folder -> Path.of(folder, name));
        return candidates
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .map(Path::toAbsolutePath)
                .findFirst();
    }
}
