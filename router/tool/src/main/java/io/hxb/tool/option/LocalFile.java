package io.hxb.tool.option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * The cluster file in the folder in which a command runs, {@code cluster.yaml}. It is taken only if
 * it belongs to this user or to root, and nobody else may write it, because the command may run in
 * a folder of others, such as {@code /tmp}. Used by one thread.
 */
final class LocalFile {
    private static final String NAME = "cluster.yaml";
    private static final String ROOT = "root";

    private final Path file;

    /** In that folder. */
    LocalFile(final Path folder) {
        file = folder.resolve(NAME).toAbsolutePath();
    }

    /** Where it is. */
    Path path() {
        return file;
    }

    /** True if it is there and may be taken. */
    boolean isTrusted() {
        return Files.exists(file) && obstacle().isEmpty();
    }

    /** Why a file that is there is not taken, as the end of a message; otherwise empty. */
    String complaint() {
        return Files.exists(file) ? "; " + file + " is not taken: " + obstacle() : "";
    }

    private String obstacle() {
        try {
            final PosixFileAttributes found =
                    Files.readAttributes(
                            file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            final String owner = found.owner().getName();
            final Set<PosixFilePermission> rights = found.permissions();
            // The group of a user's own has no other members.
            final boolean isOfOwnGroup = found.group().getName().equals(owner);
            if (!found.isRegularFile()) {
                return "it is no ordinary file";
            }
            if (!owner.equals(ROOT) && !owner.equals(System.getProperty("user.name"))) {
                return "it belongs to " + owner;
            }
            return rights.contains(PosixFilePermission.OTHERS_WRITE)
                            || (rights.contains(PosixFilePermission.GROUP_WRITE) && !isOfOwnGroup)
                    ? "others may write it"
                    : "";
        } catch (final IOException e) {
            return e.getMessage();
        }
    }
}
