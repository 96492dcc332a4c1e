package io.hxb.tool.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A file that sets up a NIC when the machine starts. Immutable.
 *
 * @param path where it belongs, from the root of the machine.
 * @param text what is in it after {@link #HEADER}.
 * @param isPrivate whether only its owner may read it.
 * @param apply the command by which it takes effect without a restart.
 */
record BootFile(String path, String text, boolean isPrivate, String apply) {
    /** The first line of files that may be written again. */
    static final String HEADER =
            "# Written by 'hxb doctor --fix', which writes it again. Without this line it stays as"
                    + " it is.\n";

    /** All that is in it. */
    String content() {
        return HEADER + text;
    }

    /** Where it is below the root of a machine. */
    Path below(final Path root) {
        return root.resolve(path.substring(1));
    }

    /** Writes it, at once or not at all. The caller has made sure that it may be replaced. */
    void write(final Path root) throws IOException {
        final Path file = below(root);
        final Path folder = Files.createDirectories(file.getParent());
        final Path part = Files.createTempFile(folder, ".hxb", ".part");
        try {
            Files.writeString(part, content());
            Files.setPosixFilePermissions(
                    part, PosixFilePermissions.fromString(isPrivate ? "rw-------" : "rw-r--r--"));
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }
}
