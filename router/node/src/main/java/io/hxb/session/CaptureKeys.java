package io.hxb.session;

import io.hxb.crypto.Gcm;
import io.hxb.linux.Folder;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Keys that open the encrypted frames of some sessions in captures: those of the cipher alone, so
 * neither other sessions nor frames with a code alone are in their power. Immutable.
 *
 * <p>In a file, a line {@code hxb-capture-keys-1}, then one for each session: cluster, id of the
 * session, coordinates of both nodes, and the keys of both directions, in hexadecimal digits.
 *
 * @param entries one for each session.
 */
public record CaptureKeys(List<Entry> entries) {
    private static final String HEAD = "hxb-capture-keys-1";
    private static final String WARNING =
            "# Whoever has this file can read and forge the payload of these sessions. Delete it.";
    private static final int PRIVATE_MODE = 0600;
    private static final int MAX_BYTES = 1 << 24;
    private static final int WORDS = 6;
    private static final int MARK_SHIFT = 24;

    /** Copies the list. */
    public CaptureKeys {
        entries = List.copyOf(entries);
    }

    /**
     * The keys of one session. Immutable.
     *
     * @param clusterId of the cluster.
     * @param session id of the session.
     * @param low coordinates of the lower node.
     * @param high coordinates of the other one.
     * @param up key of frames from the lower node to the other, in hexadecimal digits.
     * @param down key of frames from there to the lower node.
     */
    public record Entry(int clusterId, int session, long low, long high, String up, String down) {
        private String line() {
            return String.format(
                    "%08x %08x %016x %016x %s %s", clusterId, session, low, high, up, down);
        }

        private static Entry parse(final String line) {
            final String[] words = line.split(" ", -1);
            if (words.length != WORDS
                    || words[4].length() != 2 * Gcm.KEY_LENGTH
                    || words[5].length() != 2 * Gcm.KEY_LENGTH) {
                throw new IllegalArgumentException(line);
            }
            HexFormat.of().parseHex(words[4]);
            HexFormat.of().parseHex(words[5]);
            return new Entry(
                    HexFormat.fromHexDigits(words[0]),
                    HexFormat.fromHexDigits(words[1]),
                    HexFormat.fromHexDigitsToLong(words[2]),
                    HexFormat.fromHexDigitsToLong(words[3]),
                    words[4],
                    words[5]);
        }

        @Override
        public String toString() {
            return "session " + ClusterKey.text(session);
        }
    }

    /**
     * Derives the keys of sessions.
     *
     * @param ring keys of the cluster; sessions of other keys are left out.
     * @param shape of the cluster; sessions of nodes beyond it are left out.
     */
    public static CaptureKeys derive(
            final KeyRing ring,
            final int clusterId,
            final Shape shape,
            final Set<SessionOrigin> origins) {
        final List<Entry> entries = new ArrayList<>();
        for (final SessionOrigin origin : origins) {
            final int index = ring.indexOf(origin.keyId());
            final boolean areNodes =
                    origin.low() >= 0
                            && origin.low() < origin.high()
                            && origin.high() < shape.nodeCount();
            if (index >= 0 && areNodes) {
                final SessionKeys keys =
                        SessionKeys.derive(ring.keys().get(index), clusterId, origin);
                entries.add(
                        new Entry(
                                clusterId,
                                keys.id(),
                                shape.coordinates(origin.low()),
                                shape.coordinates(origin.high()),
                                HexFormat.of().formatHex(SessionKeys.cipherKey(keys.up())),
                                HexFormat.of().formatHex(SessionKeys.cipherKey(keys.down()))));
            }
        }
        return new CaptureKeys(entries);
    }

    /**
     * Makes a file of them that only its owner may read.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is such a file.
     * @throws IOException if it cannot be made there, or others could exchange it.
     */
    public void write(final Path file) throws IOException {
        final StringBuilder text = new StringBuilder(HEAD).append('\n').append(WARNING);
        entries.forEach(entry -> text.append('\n').append(entry.line()));
        try (Folder folder = Folder.open(file.toAbsolutePath().getParent())) {
            folder.add(
                    file.getFileName().toString(),
                    text.append('\n').toString().getBytes(StandardCharsets.US_ASCII),
                    PRIVATE_MODE);
        }
    }

    /**
     * Reads a file, which nobody but root and this user may be able to read.
     *
     * @throws IOException if it cannot be read, is no such file, or others may read it; the message
     *     tells what to do.
     */
    public static CaptureKeys read(final Path file) throws IOException {
        final byte[] bytes;
        try (Folder folder = Folder.open(file.toAbsolutePath().getParent())) {
            bytes = folder.readSecret(file.getFileName().toString(), MAX_BYTES);
        }
        final List<String> lines =
                new String(bytes, StandardCharsets.US_ASCII)
                        .lines()
                        .filter(line -> !line.isBlank() && !line.startsWith("#"))
                        .toList();
        if (lines.isEmpty() || !lines.getFirst().equals(HEAD)) {
            throw new IOException(
                    file + " has no keys for captures, as hxb key export --for-capture writes");
        }
        final List<Entry> entries = new ArrayList<>();
        for (final String line : lines.subList(1, lines.size())) {
            try {
                entries.add(Entry.parse(line));
            } catch (final IllegalArgumentException e) {
                throw new IOException(file + " is damaged in line " + (entries.size() + 2), e);
            }
        }
        return new CaptureKeys(entries);
    }

    /** These and others. */
    public CaptureKeys and(final CaptureKeys others) {
        final List<Entry> all = new ArrayList<>(entries);
        all.addAll(others.entries);
        return new CaptureKeys(all.stream().distinct().toList());
    }

    /** The session of two nodes and its direction, as frames name it. */
    static Optional<String> key(
            final Entry entry,
            final int clusterId,
            final int mark,
            final long source,
            final long destination) {
        if (entry.clusterId != clusterId || entry.session >>> MARK_SHIFT != mark) {
            return Optional.empty();
        }
        if (source == entry.low && destination == entry.high) {
            return Optional.of(entry.up);
        }
        return source == entry.high && destination == entry.low
                ? Optional.of(entry.down)
                : Optional.empty();
    }
}
