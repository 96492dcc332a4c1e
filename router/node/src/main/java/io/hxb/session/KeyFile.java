package io.hxb.session;

import io.hxb.config.SecurityConfig;
import io.hxb.linux.Errno;
import io.hxb.linux.FileStatus;
import io.hxb.linux.Folder;
import io.hxb.linux.LinuxException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Keys in files: a header line, and the secret in hexadecimal digits. The file and the folders
 * above it have to be such that nobody else reads or exchanges it, see {@link Folder}. Stateless;
 * any thread may call it.
 */
public final class KeyFile {
    private static final String HEAD = "hxb-key-1";
    private static final int MAX_BYTES = 4096;
    private static final int PRIVATE_MODE = 0600;

    private KeyFile() {}

    /**
     * Makes a key of random bytes and a file for it, which only its owner may read.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is such a file.
     * @throws IOException if it cannot be made there, or others could exchange it; the message
     *     gives why.
     */
    public static ClusterKey generate(final Path file) throws IOException {
        final byte[] secret = new byte[ClusterKey.LENGTH];
        new SecureRandom().nextBytes(secret);
        final String text = HEAD + "\n" + HexFormat.of().formatHex(secret) + "\n";
        try (Folder folder = folder(file)) {
            folder.add(name(file), text.getBytes(StandardCharsets.US_ASCII), PRIVATE_MODE);
        }
        return new ClusterKey(secret);
    }

    /**
     * Reads the keys that a configuration names.
     *
     * @param environment where the folder of credentials is found.
     * @throws IOException if one cannot be read, is not a key, or others may read it; the message
     *     tells which and what to do.
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
        try (Folder folder = folder(file)) {
            return parse(folder.readSecret(name(file), MAX_BYTES));
        } catch (final IOException e) {
            throw new IOException("key " + file + ": " + reason(e, file), e);
        }
    }

    private static Folder folder(final Path file) throws IOException {
        final Path parent = file.toAbsolutePath().getParent();
        if (parent == null || file.endsWith(".") || file.endsWith("..")) {
            throw new IOException("is a folder");
        }
        return Folder.open(parent);
    }

    private static String name(final Path file) {
        return file.getFileName().toString();
    }

    private static String reason(final IOException e, final Path file) {
        if (e instanceof LinuxException call && call.errno() == Errno.ENOENT) {
            return "no such file; hxb key generate makes one, then copy it to every node";
        }
        if (e instanceof LinuxException call && call.errno() == Errno.EACCES) {
            return "may not be read by user " + FileStatus.ownUid();
        }
        final String subject = file.toAbsolutePath() + " ";
        return e.getMessage().startsWith(subject)
                ? e.getMessage().substring(subject.length())
                : e.getMessage();
    }

    private static ClusterKey parse(final byte[] bytes) throws IOException {
        final List<String> lines =
                Arrays.stream(new String(bytes, StandardCharsets.US_ASCII).split("\n", -1))
                        .map(String::strip)
                        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                        .toList();
        if (lines.size() != 2
                || !lines.get(0).equals(HEAD)
                || !lines.get(1).matches("[0-9a-fA-F]{64}")) {
            throw new IOException(
                    "must be a line "
                            + HEAD
                            + " and one of 64 hexadecimal digits, as hxb key generate writes");
        }
        return new ClusterKey(HexFormat.of().parseHex(lines.get(1)));
    }
}
