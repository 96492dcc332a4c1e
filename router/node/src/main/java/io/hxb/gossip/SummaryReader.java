package io.hxb.gossip;

import io.hxb.frame.SummaryFlyweight;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads what a node knows of all nodes, whether it runs or is dead. Stateless. The file is read,
 * not mapped: one that is cut short while it is read causes an exception, not a signal.
 */
public final class SummaryReader {
    private static final String COUNTERS = ".counters";
    private static final int TRIES = 5;

    private SummaryReader() {}

    /** The file of the node whose counters are in {@code counters}. */
    public static Path fileBeside(final Path counters) {
        final String name = counters.getFileName().toString();
        final String start =
                name.endsWith(COUNTERS)
                        ? name.substring(0, name.length() - COUNTERS.length())
                        : name;
        return counters.resolveSibling(start + ".seen");
    }

    /**
     * Reads a file.
     *
     * @param nodes of the cluster.
     * @param nowMs ms since 1970.
     * @return the nodes that are known, in the order of their ids.
     * @throws IOException if it cannot be read, is no such file, or was written all the time.
     */
    public static List<HeardNode> read(final Path file, final int nodes, final long nowMs)
            throws IOException {
        for (int i = 0; i < TRIES; i++) {
            final MemorySegment image = load(file);
            if (isWhole(image, nodes)) {
                return parse(image, nowMs);
            }
        }
        throw new IOException(file + " is not a file of this version, or damaged");
    }

    private static MemorySegment load(final Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            final long bytes = Math.min(channel.size(), maxBytes());
            final MemorySegment image = Arena.ofAuto().allocate(Math.max(8, bytes), Long.BYTES);
            final ByteBuffer buffer = image.asByteBuffer();
            while (buffer.hasRemaining() && channel.read(buffer, buffer.position()) > 0) {
                // Reads on until the buffer is full or the file ends.
            }
            return image.asSlice(0, buffer.position());
        }
    }

    private static long maxBytes() {
        return SummaryFile.HEADER_BYTES
                + (long) Gossip.MAX_NODES * (SummaryFlyweight.maxBytes(Gossip.MAX_LINKS) + 7 & -8);
    }

    private static boolean isWhole(final MemorySegment image, final int nodes) {
        if (image.byteSize() < SummaryFile.HEADER_BYTES
                || image.get(SummaryFile.LONG, 0) != SummaryFile.MAGIC
                || image.get(SummaryFile.INT, SummaryFile.NODES_OFFSET) != nodes) {
            return false;
        }
        final int slotBytes = image.get(SummaryFile.INT, SummaryFile.SLOT_OFFSET);
        if (slotBytes < SummaryFlyweight.ALIVE_BYTES
                || image.byteSize() != SummaryFile.HEADER_BYTES + (long) nodes * slotBytes) {
            return false;
        }
        final int crc = image.get(SummaryFile.INT, SummaryFile.CRC_OFFSET);
        image.set(SummaryFile.INT, SummaryFile.CRC_OFFSET, 0);
        return SummaryFile.crc(image) == crc;
    }

    private static List<HeardNode> parse(final MemorySegment image, final long nowMs) {
        final int nodes = image.get(SummaryFile.INT, SummaryFile.NODES_OFFSET);
        final int slotBytes = image.get(SummaryFile.INT, SummaryFile.SLOT_OFFSET);
        final long writtenMs = image.get(SummaryFile.LONG, SummaryFile.WRITTEN_OFFSET);
        final long intervalMs = image.get(SummaryFile.INT, SummaryFile.INTERVAL_OFFSET);
        final long silenceMs = Gossip.silenceNs(intervalMs * 1_000_000) / 1_000_000;
        final SummaryFlyweight record = new SummaryFlyweight();
        final List<HeardNode> found = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            final long at = image.address() + SummaryFile.HEADER_BYTES + (long) node * slotBytes;
            record.wrap(at);
            final int bytes = record.length();
            if (record.links() > 0
                    && bytes <= slotBytes
                    && SummaryFlyweight.isValid(at, bytes)
                    && record.node() == node) {
                final long heardMs = writtenMs - record.ageMs();
                found.add(HeardNode.of(record, heardMs, nowMs - heardMs <= silenceMs));
            }
        }
        return found;
    }
}
