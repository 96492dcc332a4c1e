package io.hxb.context;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Looks for something in all memory that this process can read: what it has mapped, and the memory
 * files of which it has descriptors. Stateless.
 */
public final class MemoryScan {
    private static final long MASK = 0x5A5A_5A5A_5A5A_5A5AL;
    private static final int CHUNK_BYTES = 1 << 16;
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private MemoryScan() {}

    /** What to give to {@link #places} to look for 8 bytes that are repeated: not these. */
    public static long masked(final long secret) {
        return secret ^ MASK;
    }

    /** Names of the mappings and files that have it. */
    static Set<String> places(final long masked) throws IOException {
        final Set<String> places = new TreeSet<>();
        try (RandomAccessFile memory = new RandomAccessFile("/proc/self/mem", "r")) {
            for (final String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
                final String[] words = line.split(" +", 6);
                final String[] ends = words[0].split("-", -1);
                final long from = Long.parseUnsignedLong(ends[0], 16);
                final long to = Long.parseUnsignedLong(ends[1], 16);
                if (words[1].startsWith("r") && from >= 0 && hasIt(memory, from, to, masked)) {
                    places.add(words.length < 6 ? "anonymous" : words[5]);
                }
            }
        }
        try (var descriptors = Files.list(DESCRIPTORS)) {
            for (final Path descriptor : descriptors.toList()) {
                if (isMemory(descriptor) && hasIt(descriptor, masked)) {
                    places.add(Files.readSymbolicLink(descriptor).toString());
                }
            }
        }
        return places;
    }

    private static boolean isMemory(final Path descriptor) throws IOException {
        return Files.isSymbolicLink(descriptor)
                && Files.readSymbolicLink(descriptor).toString().startsWith("/memfd:");
    }

    private static boolean hasIt(final Path file, final long masked) throws IOException {
        try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "r")) {
            return hasIt(content, 0, content.length(), masked);
        }
    }

    private static boolean hasIt(
            final RandomAccessFile memory, final long from, final long to, final long masked) {
        final byte[] chunk = new byte[CHUNK_BYTES];
        final long[] rotations = rotations(masked);
        for (long at = from; at < to; at += CHUNK_BYTES) {
            final int length = (int) Math.min(CHUNK_BYTES, to - at);
            try {
                memory.seek(at);
                memory.readFully(chunk, 0, length);
            } catch (final IOException e) {
                // Mapped, but nobody can read it: the kernel's own pages.
                return false;
            }
            if (hasIt(chunk, length, rotations)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasIt(final byte[] chunk, final int length, final long[] rotations) {
        final ByteBuffer longs = ByteBuffer.wrap(chunk).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i + Long.BYTES <= length; i += Long.BYTES) {
            final long masked = longs.getLong(i) ^ MASK;
            for (final long rotation : rotations) {
                if (masked == rotation) {
                    return true;
                }
            }
        }
        return false;
    }

    // It may begin at any byte.
    private static long[] rotations(final long masked) {
        return IntStream.range(0, Long.BYTES)
                .mapToLong(i -> Long.rotateLeft(masked, i * Byte.SIZE))
                .toArray();
    }
}
