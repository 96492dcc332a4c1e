package io.hxb.session;

import io.hxb.counter.PublishedCopy;
import io.hxb.frame.Nonce;
import io.hxb.linux.Folder;
import io.hxb.pm.attach.RunFolders;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The file with the origins of the sessions that a node has, beside its counters: what root needs
 * together with the key of the cluster to open captured frames. Removed when the node stops. Any
 * thread may call it; calls take turns.
 *
 * <p>A line {@code hxb-sessions-1}, then one for each session: the id of the key, both nodes, and
 * the four halves of the nonces, in hexadecimal digits.
 */
public final class SessionsFile implements PublishedCopy, AutoCloseable {
    private static final String HEAD = "hxb-sessions-1";
    private static final String COUNTERS = ".counters";
    private static final int PRIVATE_MODE = 0600;
    private static final int FOLDER_MODE = 0755;
    private static final int MAX_BYTES = 1 << 24;
    private static final int WORDS = 7;

    /**
     * Between two writes at least: while a large cluster starts, sessions begin all the time, and
     * each write is of all of them.
     */
    static final long INTERVAL_NS = 1_000_000_000L;

    private final String name;
    private final Sessions sessions;
    private final LongSupplier clockNs;
    private Folder folder;
    private List<SessionOrigin> written = List.of();
    private int begun;
    private long nextNs;
    private boolean isClosed;

    private SessionsFile(
            final Folder folder,
            final String name,
            final Sessions sessions,
            final LongSupplier clockNs) {
        this.folder = folder;
        this.name = name;
        this.sessions = sessions;
        this.clockNs = clockNs;
        nextNs = clockNs.getAsLong();
    }

    /** The file of the node whose counters are in {@code counters}. */
    public static Path beside(final Path counters) {
        final String name = counters.getFileName().toString();
        final String start =
                name.endsWith(COUNTERS)
                        ? name.substring(0, name.length() - COUNTERS.length())
                        : name;
        return counters.resolveSibling(start + ".sessions");
    }

    /**
     * Makes the file in place of an older one.
     *
     * @throws IOException if it cannot be made there, or others could exchange it.
     */
    public static SessionsFile create(final Path path, final Sessions sessions) throws IOException {
        return create(path, sessions, System::nanoTime);
    }

    /** The same by another clock. */
    static SessionsFile create(final Path path, final Sessions sessions, final LongSupplier clockNs)
            throws IOException {
        final Path place = path.toAbsolutePath();
        RunFolders.ofThisProcess().prepare(place.getParent());
        final Folder folder = Folder.make(place.getParent(), FOLDER_MODE);
        final SessionsFile file =
                new SessionsFile(folder, place.getFileName().toString(), sessions, clockNs);
        try {
            file.write(List.of());
            return file;
        } catch (final IOException e) {
            folder.close();
            throw e;
        }
    }

    @Override
    public synchronized void publish() {
        if (sessions.begun() != begun) {
            publishAll();
        }
    }

    @Override
    public synchronized void publishAll() {
        final long nowNs = clockNs.getAsLong();
        if (isClosed || nextNs - nowNs > 0) {
            // It is looked at again soon: what has changed meanwhile is not forgotten.
            return;
        }
        begun = sessions.begun();
        final List<SessionOrigin> now = sessions.origins();
        try {
            final boolean isGone = !Files.exists(folder.path().resolve(name));
            if (isGone) {
                openAgain();
            }
            if (isGone || !now.equals(written)) {
                nextNs = nowNs + INTERVAL_NS;
                write(now);
            }
        } catch (final IOException e) {
            // A full disk, or no folder: the file of counters lies beside it, and its writer warns
            // of that.
            written = List.of();
        }
    }

    // What had its path may have been removed, as at logout, and made again.
    private void openAgain() throws IOException {
        RunFolders.ofThisProcess().prepare(folder.path());
        final Folder fresh = Folder.open(folder.path());
        folder.close();
        folder = fresh;
    }

    private void write(final List<SessionOrigin> origins) throws IOException {
        final StringBuilder text = new StringBuilder(HEAD).append('\n');
        for (final SessionOrigin origin : origins) {
            text.append(
                    String.format(
                            "%08x %d %d %016x %016x %016x %016x%n",
                            origin.keyId(),
                            origin.low(),
                            origin.high(),
                            origin.lowNonce().low(),
                            origin.lowNonce().high(),
                            origin.highNonce().low(),
                            origin.highNonce().high()));
        }
        folder.replace(name, text.toString().getBytes(StandardCharsets.US_ASCII), PRIVATE_MODE);
        written = origins;
    }

    /**
     * Reads a file.
     *
     * @throws IOException if it cannot be read or is no such file; the message tells which.
     */
    public static List<SessionOrigin> read(final Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(file + " is not a plain file");
        }
        final byte[] bytes;
        try (InputStream stream = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            bytes = stream.readNBytes(MAX_BYTES);
        }
        final List<String> lines = new String(bytes, StandardCharsets.US_ASCII).lines().toList();
        if (lines.isEmpty() || !lines.getFirst().equals(HEAD)) {
            throw new IOException(file + " is not a list of sessions of this version of HXB");
        }
        final List<SessionOrigin> origins = new ArrayList<>();
        for (final String line : lines.subList(1, lines.size())) {
            try {
                origins.add(parse(line.split(" ", -1)));
            } catch (final IllegalArgumentException e) {
                throw new IOException(file + " is damaged: " + line, e);
            }
        }
        return origins;
    }

    private static SessionOrigin parse(final String... words) {
        if (words.length != WORDS) {
            throw new IllegalArgumentException("words: " + words.length);
        }
        return new SessionOrigin(
                HexFormat.fromHexDigits(words[0]),
                Integer.parseInt(words[1]),
                Integer.parseInt(words[2]),
                new Nonce(
                        HexFormat.fromHexDigitsToLong(words[3]),
                        HexFormat.fromHexDigitsToLong(words[4])),
                new Nonce(
                        HexFormat.fromHexDigitsToLong(words[5]),
                        HexFormat.fromHexDigitsToLong(words[6])));
    }

    /** Removes the file. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            try {
                folder.delete(name);
            } catch (final IOException e) {
                // It opens nothing that is sent from now on, and the next start replaces it.
                written = List.of();
            }
            folder.close();
        }
    }
}
