package io.hxb.recorder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Reads the events of a node that runs, hangs or is dead. Stateless. The file is read, not mapped:
 * one that is cut short while it is read causes an exception, not a signal. An entry that was being
 * written is left out.
 */
public final class RecorderReader {
    private static final String COUNTERS = ".counters";
    private static final String EVENTS = ".events";

    private RecorderReader() {}

    /** The file with the events of the node whose counters are in {@code counters}. */
    public static Path fileBeside(final Path counters) {
        final String name = counters.getFileName().toString();
        final String start =
                name.endsWith(COUNTERS)
                        ? name.substring(0, name.length() - COUNTERS.length())
                        : name;
        return counters.resolveSibling(start + EVENTS);
    }

    /**
     * Reads a file.
     *
     * @throws IOException if it cannot be read, or is no file of this version; the message tells
     *     which.
     */
    public static EventHistory read(final Path file) throws IOException {
        final ByteBuffer image = load(file);
        final List<EventEntry> entries = new ArrayList<>();
        int damaged = 0;
        for (int place = 0; place < EventLayout.ENTRIES; place++) {
            if (!EventLayout.isUnused(image, place)) {
                final EventEntry entry = EventLayout.get(image, place);
                damaged += entry == null ? 1 : 0;
                if (entry != null) {
                    entries.add(entry);
                }
            }
        }
        entries.sort(Comparator.comparingLong(EventEntry::sequence));
        return new EventHistory(
                EventLayout.labels(image), image.getLong(EventLayout.PID_OFFSET), entries, damaged);
    }

    private static ByteBuffer load(final Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            final ByteBuffer image =
                    ByteBuffer.allocate(EventLayout.LENGTH_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            while (image.hasRemaining() && channel.read(image, image.position()) > 0) {
                // Reads on until the buffer is full or the file ends.
            }
            image.flip();
            if (image.limit() < EventLayout.HEADER_BYTES) {
                throw new IOException(
                        file + " is not a file of events: it has " + image.limit() + " bytes");
            }
            final String problem = EventLayout.problem(image);
            if (!problem.isEmpty()) {
                throw new IOException(
                        file + " is not a file of events of this version: " + problem);
            }
            return image;
        }
    }
}
