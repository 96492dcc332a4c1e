package io.hxb.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Takes folders away from programs that are using them. Stateless. */
public final class RemovedFolder {
    private RemovedFolder() {}

    /**
     * Removes a folder with all that is in it. It is gone in one step: whoever makes his files
     * again meanwhile finds no folder for them.
     */
    public static void remove(final Path folder) throws IOException {
        final Path away = folder.resolveSibling(folder.getFileName() + ".removed");
        Files.move(folder, away);
        try (Stream<Path> walk = Files.walk(away)) {
            final List<Path> all = walk.sorted(Comparator.reverseOrder()).toList();
            for (final Path each : all) {
                Files.delete(each);
            }
        }
    }
}
