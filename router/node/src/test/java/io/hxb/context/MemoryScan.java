package io.hxb.context;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
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
        final Look look = new Look(masked);
        final Set<String> places = new TreeSet<>();
        try (FileChannel memory = FileChannel.open(Path.of("/proc/self/mem"))) {
            for (final String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
                final String[] words = line.strip().split(" +", 6);
                final String[] ends = words[0].split("-", -1);
                final long from = Long.parseUnsignedLong(ends[0], 16);
                final long to = Long.parseUnsignedLong(ends[1], 16);
                if (words[1].startsWith("r") && from >= 0 && look.finds(memory, from, to)) {
                    places.add(words.length < 6 ? "anonymous" : words[5]);
                }
            }
        }
        try (var descriptors = Files.list(DESCRIPTORS)) {
            for (final Path descriptor : descriptors.toList()) {
                if (isMemory(descriptor) && look.finds(descriptor)) {
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

    /**
     * A look for one secret. It must not leave copies of what it finds where it looks next, so it
     * reads into one direct buffer, which no library copies from, and wipes that after a find.
     */
    private static final class Look {
        private final long[] rotations;
        private final ByteBuffer chunk =
                ByteBuffer.allocateDirect(CHUNK_BYTES).order(ByteOrder.LITTLE_ENDIAN);

        private Look(final long masked) {
            rotations = rotations(masked);
        }

        private boolean finds(final Path file) throws IOException {
            try (FileChannel content = FileChannel.open(file)) {
                return finds(content, 0, content.size());
            }
        }

        private boolean finds(final FileChannel memory, final long from, final long to) {
            for (long at = from; at < to; at += CHUNK_BYTES) {
                chunk.clear().limit((int) Math.min(CHUNK_BYTES, to - at));
                try {
                    if (memory.read(chunk, at) <= 0) {
                        return false;
                    }
                } catch (final IOException e) {
                    // Mapped, but nobody can read it: the kernel's own pages.
                    return false;
                }
                if (chunkHasIt()) {
                    wipe();
                    return true;
                }
            }
            return false;
        }

        private boolean chunkHasIt() {
            for (int i = 0; i + Long.BYTES <= chunk.position(); i += Long.BYTES) {
                final long masked = chunk.getLong(i) ^ MASK;
                for (final long rotation : rotations) {
                    if (masked == rotation) {
                        return true;
                    }
                }
            }
            return false;
        }

        private void wipe() {
            chunk.clear();
            while (chunk.hasRemaining()) {
                chunk.put((byte) 0);
            }
        }
    }

    // It may begin at any byte.
    private static long[] rotations(final long masked) {
        return IntStream.range(0, Long.BYTES)
                .mapToLong(i -> Long.rotateLeft(masked, i * Byte.SIZE))
                .toArray();
    }
}
