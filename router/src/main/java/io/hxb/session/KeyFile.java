package io.hxb.session;

import io.hxb.config.SecurityConfig;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keys in files: a line that names the format, and the secret in hexadecimal digits. Stateless; any
 * thread may call it.
 */
public final class KeyFile {
    private static final String HEAD = "hxb-key-1";
    private static final int MAX_BYTES = 4096;
    private static final Set<PosixFilePermission> OTHERS =
            EnumSet.of(
                    PosixFilePermission.GROUP_READ,
                    PosixFilePermission.GROUP_WRITE,
                    PosixFilePermission.OTHERS_READ,
                    PosixFilePermission.OTHERS_WRITE);

    private KeyFile() {}

    /**
     * Makes a key of random bytes and a file for it, which only its owner may read.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is such a file.
     */
    public static ClusterKey generate(final Path file) throws IOException {
        final byte[] secret = new byte[ClusterKey.LENGTH];
        new SecureRandom().nextBytes(secret);
        final String text = HEAD + "\n" + HexFormat.of().formatHex(secret) + "\n";
        final Set<PosixFilePermission> own = PosixFilePermissions.fromString("rw-------");
        try (SeekableByteChannel channel =
                Files.newByteChannel(
                        file,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(own))) {
            Channels.newOutputStream(channel).write(text.getBytes(StandardCharsets.US_ASCII));
        }
        return new ClusterKey(secret);
    }

    /**
     * Reads the keys that a configuration names.
     *
     * @param environment where the folder of credentials is found.
     * @throws IOException if one cannot be read, is not a key, or others may read it; the message
     *     says which and what to do.
     */
    public static KeyRing read(final SecurityConfig security, final Map<String, String> environment)
            throws IOException {
        final List<ClusterKey> keys = new ArrayList<>();
        for (final String name : security.keys()) {
            keys.add(read(path(name, environment)));
        }
        return new KeyRing(keys.stream().distinct().toList());
    }

    /** Where a key of the configuration lies. */
    public static Path path(final String name, final Map<String, String> environment)
            throws IOException {
        if (!name.startsWith(SecurityConfig.CREDENTIAL)) {
            return Path.of(name);
        }
        final String folder = environment.get("CREDENTIALS_DIRECTORY");
        if (folder == null) {
            throw new IOException(
                    "key "
                            + name
                            + ": there is no CREDENTIALS_DIRECTORY; give the unit a"
                            + " LoadCredential=, or name a file");
        }
        return Path.of(folder).resolve(name.substring(SecurityConfig.CREDENTIAL.length()));
    }

    /**
     * Reads one key.
     *
     * @throws IOException as {@link #read(SecurityConfig, Map)}.
     */
    public static ClusterKey read(final Path file) throws IOException {
        final byte[] bytes;
        try (SeekableByteChannel channel =
                Files.newByteChannel(file, Set.of(StandardOpenOption.READ))) {
            checkAccess(file);
            bytes = Channels.newInputStream(channel).readNBytes(MAX_BYTES);
        } catch (final IOException e) {
            throw new IOException("key " + file + ": " + reason(e), e);
        }
        return parse(file, bytes);
    }

    private static String reason(final IOException e) {
        return switch (e) {
            case java.nio.file.NoSuchFileException _ ->
                    "no such file; hxb key generate makes one, then copy it to every node";
            case java.nio.file.AccessDeniedException _ -> "may not be read";
            default -> e.getMessage();
        };
    }

    // Credentials of the service manager belong to root, or are a copy that belongs to the service.
    private static void checkAccess(final Path file) throws IOException {
        final Map<String, Object> status =
                Files.readAttributes(file, "unix:uid,permissions,isRegularFile");
        final Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        @SuppressWarnings("unchecked")
        final Set<PosixFilePermission> permissions =
                (Set<PosixFilePermission>) status.get("permissions");
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("is not a plain file");
        }
        if (!status.get("uid").equals(0) && !status.get("uid").equals(self)) {
            throw new IOException("belongs to user " + status.get("uid") + ": chown it");
        }
        if (permissions.stream().anyMatch(OTHERS::contains)) {
            throw new IOException("can be read or written by others: chmod 600 " + file);
        }
    }

    private static ClusterKey parse(final Path file, final byte[] bytes) throws IOException {
        final List<String> lines =
                Arrays.stream(new String(bytes, StandardCharsets.US_ASCII).split("\n", -1))
                        .map(String::strip)
                        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                        .toList();
        if (lines.size() != 2
                || !lines.get(0).equals(HEAD)
                || !lines.get(1).matches("[0-9a-fA-F]{64}")) {
            throw new IOException(
                    "key "
                            + file
                            + ": must be a line "
                            + HEAD
                            + " and one of 64 hexadecimal digits, as hxb key generate writes");
        }
        return new ClusterKey(HexFormat.of().parseHex(lines.get(1)));
    }
}
