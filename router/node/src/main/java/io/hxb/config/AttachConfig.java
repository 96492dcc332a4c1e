package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.FOLDER;
import static io.hxb.config.ValueType.count;
import static io.hxb.config.ValueType.list;

import io.hxb.pm.attach.RunFolders;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * How applications reach the node and the tools its counters. Immutable.
 *
 * @param directory folder of the Unix sockets, one {@code <cluster>-<node id>.sock} per node.
 * @param countersDirectory folder of the counter files.
 * @param allowedUids users that may attach; the node's own user and root always may.
 * @param allowedGids groups whose processes may attach.
 */
public record AttachConfig(
        Path directory,
        Path countersDirectory,
        List<Integer> allowedUids,
        List<Integer> allowedGids) {

    /** The keys; the folders are by default those of this user, see {@link RunFolders}. */
    public static final ConfigSection<AttachConfig> KEYS =
            ConfigSection.<AttachConfig>of(
                    "attach",
                    v -> new AttachConfig(v.next(), v.next(), v.next(), v.next()),
                    basic(
                                    "directory",
                                    FOLDER,
                                    RunFolders.ofThisProcess().own(),
                                    AttachConfig::directory,
                                    Limits.<AttachConfig>any(),
                                    "Folder of the node's Unix socket.")
                            .withFallbackText("[see below](#folders-of-sockets-and-counters)"),
                    advanced(
                                    "countersDirectory",
                                    FOLDER,
                                    RunFolders.ofThisProcess().own(),
                                    AttachConfig::countersDirectory,
                                    Limits.<AttachConfig>any(),
                                    "Folder of the counter file.")
                            .withFallbackText("[see below](#folders-of-sockets-and-counters)"),
                    basic(
                            "allowedUids",
                            list(count("user ids")),
                            List.of(),
                            AttachConfig::allowedUids,
                            range(0, Integer.MAX_VALUE),
                            "Users that may attach, besides the node's own and root."),
                    basic(
                            "allowedGids",
                            list(count("group ids")),
                            List.of(),
                            AttachConfig::allowedGids,
                            range(0, Integer.MAX_VALUE),
                            "Groups whose members may attach."));

    /** The defaults. */
    public static final AttachConfig DEFAULT = KEYS.defaults();

    /** Copies the lists. */
    public AttachConfig {
        allowedUids = List.copyOf(allowedUids);
        allowedGids = List.copyOf(allowedGids);
    }

    /** The socket of that name where a node of this machine listens, or would listen. */
    Path socket(final String name) {
        return directory.equals(DEFAULT.directory)
                ? find(RunFolders.ofThisProcess().searched(), name, directory)
                : directory.resolve(name);
    }

    /** The names of sockets in the folders where {@link #socket} looks. */
    List<String> socketNames() {
        return (directory.equals(DEFAULT.directory)
                        ? RunFolders.ofThisProcess().searched()
                        : List.of(directory))
                .stream()
                        .flatMap(folder -> Stream.ofNullable(folder.toFile().list()))
                        .flatMap(Stream::of)
                        .filter(name -> name.endsWith(".sock"))
                        .distinct()
                        .toList();
    }

    /** The counter file of that name that a node of this machine has left, or would make. */
    Path counters(final String name) {
        return countersDirectory.equals(DEFAULT.countersDirectory)
                ? find(RunFolders.ofThisProcess().searched(), name, countersDirectory)
                : countersDirectory.resolve(name);
    }

    private static Path find(final List<Path> folders, final String name, final Path otherwise) {
        return folders.stream()
                .map(folder -> folder.resolve(name))
                .filter(Files::exists)
                .findFirst()
                .orElse(otherwise.resolve(name));
    }
}
