package io.hxb.tool.demo;

import io.hxb.tool.measure.Pair;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Generated files, one for each pair of nodes, with their digests. Immutable; made from a seed.
 *
 * @param entries the files.
 */
public record FileSet(List<Entry> entries) {
    private static final int PIECE_BYTES = 1 << 20;

    /** Copies the list. */
    public FileSet {
        entries = List.copyOf(entries);
    }

    /**
     * One file. Immutable.
     *
     * @param pair from where to where it goes.
     * @param file where it lies.
     * @param lengthBytes its length.
     * @param digest its SHA-256, in hexadecimal digits.
     */
    public record Entry(Pair pair, Path file, long lengthBytes, String digest) {}

    /**
     * Writes a file for each pair, of lengths around the mean.
     *
     * @param folder where to; must exist.
     * @param meanBytes mean length.
     * @param seed gives lengths and content.
     */
    public static FileSet generate(
            final Path folder, final List<Pair> pairs, final long meanBytes, final long seed)
            throws IOException {
        final SplittableRandom random = new SplittableRandom(seed);
        final List<Entry> entries = new ArrayList<>();
        for (final Pair pair : pairs) {
            final Path file = folder.resolve(pair.from() + "-to-" + pair.to() + ".bin");
            // Odd lengths, so that last fragments of all sizes occur.
            final long length =
                    Math.max(1, meanBytes / 2 + random.nextLong(Math.max(1, meanBytes)));
            entries.add(new Entry(pair, file, length, write(file, length, random.split())));
        }
        return new FileSet(entries);
    }

    private static String write(final Path file, final long length, final SplittableRandom random)
            throws IOException {
        final MessageDigest digest = sha256();
        final byte[] piece = new byte[PIECE_BYTES];
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long rest = length; rest > 0; rest -= PIECE_BYTES) {
                random.nextBytes(piece);
                final int count = (int) Math.min(rest, PIECE_BYTES);
                digest.update(piece, 0, count);
                final ByteBuffer buffer = ByteBuffer.wrap(piece, 0, count);
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** SHA-256 of a file, in hexadecimal digits. */
    public static String digest(final Path file) throws IOException {
        final MessageDigest digest = sha256();
        try (var input = Files.newInputStream(file)) {
            final byte[] piece = new byte[PIECE_BYTES];
            for (int count = input.read(piece); count >= 0; count = input.read(piece)) {
                digest.update(piece, 0, count);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Length of all files together. */
    public long lengthBytes() {
        return entries.stream().mapToLong(Entry::lengthBytes).sum();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
