package io.hxb.node;

import io.hxb.config.AttachConfig;
import io.hxb.config.ClusterConfig;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * The file with the identity of a node that is cabled in any way: 16 hexadecimal digits, which tell
 * it from another machine with its number. Stateless.
 *
 * <p>It lies in the folder of the sockets where the cluster file names one, otherwise where systemd
 * keeps the state of the service (STATE_DIRECTORY), in {@code /var/lib/hxb}, or in that of the user
 * (XDG Base Directory Specification).
 */
final class IdentityFile {
    private static final Logger LOGGER = LoggerFactory.getLogger(IdentityFile.class);
    private static final int DIGITS = 16;

    private IdentityFile() {}

    /** The file of a node, by the environment and the user of its process. */
    static Path path(
            final ClusterConfig config,
            final int node,
            final Map<String, String> environment,
            final String user) {
        return folder(config, environment, user).resolve(config.name() + "-" + node + ".identity");
    }

    private static Path folder(
            final ClusterConfig config, final Map<String, String> environment, final String user) {
        final Path sockets = config.attach().directory();
        if (!sockets.equals(AttachConfig.DEFAULT.directory())) {
            return sockets;
        }
        final String ofService = environment.getOrDefault("STATE_DIRECTORY", "");
        if (!ofService.isEmpty()) {
            return Path.of(ofService.split(":", 2)[0]);
        }
        if (user.equals("root")) {
            return Path.of("/var/lib/hxb");
        }
        final String ofUser = environment.getOrDefault("XDG_STATE_HOME", "");
        return ofUser.startsWith("/")
                ? Path.of(ofUser, "hxb")
                : Path.of(environment.getOrDefault("HOME", "/"), ".local", "state", "hxb");
    }

    /**
     * The identity in a file, which is made if there is none. Where that is not possible, one that
     * holds until the node ends, and a line in the log.
     */
    static long readOrMake(final Path path, final RandomGenerator random) {
        try {
            return parse(path, Files.readString(path).strip());
        } catch (final NoSuchFileException e) {
            return make(path, random.nextLong());
        } catch (final IOException e) {
            LOGGER.warn(
                    "cannot read the identity of this node ({}): other nodes may take it for"
                            + " another machine until they have forgotten it; remove {} if it is"
                            + " damaged",
                    e.getMessage(),
                    path);
            return random.nextLong();
        }
    }

    private static long parse(final Path path, final String text) throws IOException {
        if (text.length() != DIGITS || !text.chars().allMatch(HexFormat::isHexDigit)) {
            throw new IOException(path + " does not have " + DIGITS + " hexadecimal digits");
        }
        return HexFormat.fromHexDigitsToLong(text);
    }

    private static long make(final Path path, final long identity) {
        try {
            Files.createDirectories(path.toAbsolutePath().getParent());
            final Path other =
                    Files.createTempFile(
                            path.toAbsolutePath().getParent(),
                            path.getFileName().toString(),
                            ".new",
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
            Files.writeString(other, HexFormat.of().toHexDigits(identity) + "\n");
            Files.move(other, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (final IOException e) {
            LOGGER.warn(
                    "cannot keep the identity of this node in {} ({}): after a restart other nodes"
                            + " may take it for another machine for 100 s",
                    path,
                    e.toString());
        }
        return identity;
    }
}
