package io.hxb.observe;

import io.hxb.linux.Folder;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;

/** The token of operators. It is compared in constant time. Immutable. */
public final class AccessToken {
    private static final int MIN_LENGTH = 16;
    private static final int MAX_BYTES = 4096;

    private final byte[] digest;

    private AccessToken(final String text) {
        digest = Secrets.sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A token.
     *
     * @throws IllegalArgumentException if it is too short, or not one word.
     */
    public static AccessToken of(final String text) {
        if (text.length() < MIN_LENGTH || !text.matches("[!-~]+")) {
            throw new IllegalArgumentException(
                    "must be one word of at least "
                            + MIN_LENGTH
                            + " characters, such as openssl rand -hex 32 writes");
        }
        return new AccessToken(text);
    }

    /**
     * Reads a token from a file that nobody else can read or exchange.
     *
     * @throws IOException if that cannot be; the message tells what to do.
     */
    public static AccessToken read(final Path file) throws IOException {
        final Path path = file.toAbsolutePath();
        if (path.getParent() == null) {
            throw new IOException("observe.token " + file + ": is a folder");
        }
        try (Folder folder = Folder.open(path.getParent())) {
            final byte[] bytes = folder.readSecret(path.getFileName().toString(), MAX_BYTES);
            return of(new String(bytes, StandardCharsets.UTF_8).strip());
        } catch (final IOException | IllegalArgumentException e) {
            throw new IOException("observe.token " + file + ": " + e.getMessage(), e);
        }
    }

    /** True if {@code given} is this token. */
    boolean isSame(final String given) {
        return MessageDigest.isEqual(
                digest, Secrets.sha256(given.getBytes(StandardCharsets.UTF_8)));
    }
}
