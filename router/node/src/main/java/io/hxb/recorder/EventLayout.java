package io.hxb.recorder;

import io.hxb.os.ProcessStat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Where things lie in the file of a flight recorder. Stateless.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      8 magic, "HXBEVNT1"
 *      8      4 version of the layout, {@value #VERSION}
 *     12      4 length of the file, {@value #LENGTH_BYTES}
 *     16      4 node id
 *     20      4 cluster id
 *     24      8 process id of the last run
 *     32      8 when that process started, clock ticks since boot; 0 if unknown
 *     40      8 number of the pid namespace of the process id; 0 if unknown
 *     48    136 cluster's name: length (2), UTF-8
 *    184     68 0
 *    252      4 CRC-32C of the bytes before
 *    256        entries of 64 bytes; the one with sequence n lies at place (n - 1) modulo their
 *               number
 *
 * entry
 *      0      8 sequence, from 1; 0 in a place that was never used
 *      8      8 time of day, ns since 1970
 *     16      8 time of the monotonic clock, ns
 *     24      2 event id
 *     26      2 loop; -1 for other threads
 *     28      4 CRC-32C of the other 60 bytes
 *     32     32 four arguments
 * </pre>
 */
final class EventLayout {
    static final long MAGIC = 0x3154_4E56_4542_5848L;
    static final int VERSION = 1;
    static final int LENGTH_BYTES = 256 * 1024;
    static final int HEADER_BYTES = 256;
    static final int ENTRY_BYTES = 64;

    /** Entries of a file. */
    static final int ENTRIES = (LENGTH_BYTES - HEADER_BYTES) / ENTRY_BYTES;

    static final int VERSION_OFFSET = 8,
            LENGTH_OFFSET = 12,
            NODE_OFFSET = 16,
            CLUSTER_OFFSET = 20,
            PID_OFFSET = 24,
            START_TICKS_OFFSET = 32,
            NAMESPACE_OFFSET = 40,
            NAME_OFFSET = 48,
            HEADER_CRC_OFFSET = 252;

    private static final int NAME_BYTES = 136;
    private static final int WALL_OFFSET = 8,
            MONOTONIC_OFFSET = 16,
            ID_OFFSET = 24,
            WRITER_OFFSET = 26,
            CRC_OFFSET = 28,
            ARGUMENTS_OFFSET = 32;

    private EventLayout() {}

    /** Where the entry with a sequence lies. */
    static int offset(final long sequence) {
        return HEADER_BYTES + (int) ((sequence - 1) % ENTRIES) * ENTRY_BYTES;
    }

    /** Writes the header of a file of this process. */
    static void putHeader(final ByteBuffer image, final EventLabels labels) {
        image.order(ByteOrder.LITTLE_ENDIAN);
        image.putLong(0, MAGIC);
        image.putInt(VERSION_OFFSET, VERSION);
        image.putInt(LENGTH_OFFSET, LENGTH_BYTES);
        image.putInt(NODE_OFFSET, labels.node());
        image.putInt(CLUSTER_OFFSET, labels.clusterId());
        final ProcessStat process = ProcessStat.ofThisProcess();
        image.putLong(PID_OFFSET, process.pid());
        image.putLong(START_TICKS_OFFSET, process.startTicks());
        image.putLong(NAMESPACE_OFFSET, process.namespace());
        final byte[] name = labels.clusterName().getBytes(StandardCharsets.UTF_8);
        final int length = Math.min(name.length, NAME_BYTES - 2);
        image.putShort(NAME_OFFSET, (short) length);
        image.put(NAME_OFFSET + 2, name, 0, length);
        image.putInt(HEADER_CRC_OFFSET, crc(image, 0, HEADER_CRC_OFFSET));
    }

    /** What is wrong with a file; empty when its entries can be read. */
    static String problem(final ByteBuffer image) {
        if (image.getLong(0) != MAGIC) {
            return "it does not start with HXBEVNT1";
        }
        if (image.getInt(VERSION_OFFSET) != VERSION) {
            return "its layout has version " + image.getInt(VERSION_OFFSET) + ", not " + VERSION;
        }
        if (image.getInt(HEADER_CRC_OFFSET) != crc(image, 0, HEADER_CRC_OFFSET)) {
            return "its header is damaged";
        }
        return image.getInt(LENGTH_OFFSET) == LENGTH_BYTES && image.limit() == LENGTH_BYTES
                ? ""
                : "it is cut short: it has " + image.limit() + " bytes, not " + LENGTH_BYTES;
    }

    /** Whose file it is. */
    static EventLabels labels(final ByteBuffer image) {
        final int length = Math.clamp(image.getShort(NAME_OFFSET), 0, NAME_BYTES - 2);
        final byte[] name = new byte[length];
        image.get(NAME_OFFSET + 2, name);
        return new EventLabels(
                new String(name, StandardCharsets.UTF_8),
                image.getInt(CLUSTER_OFFSET),
                image.getInt(NODE_OFFSET));
    }

    /** Writes an entry at its place; returns where that is. */
    static int put(final ByteBuffer image, final EventEntry entry) {
        final int at = offset(entry.sequence());
        image.putLong(at, entry.sequence());
        image.putLong(at + WALL_OFFSET, entry.wallNs());
        image.putLong(at + MONOTONIC_OFFSET, entry.monotonicNs());
        image.putShort(at + ID_OFFSET, (short) entry.id());
        image.putShort(at + WRITER_OFFSET, (short) entry.writer());
        for (int i = 0; i < EventEntry.ARGUMENTS; i++) {
            image.putLong(at + ARGUMENTS_OFFSET + i * Long.BYTES, entry.arguments().get(i));
        }
        image.putInt(at + CRC_OFFSET, entryCrc(image, at));
        return at;
    }

    /** True if no entry was ever written to a place. */
    static boolean isUnused(final ByteBuffer image, final int place) {
        final int at = HEADER_BYTES + place * ENTRY_BYTES;
        return image.getLong(at) == 0 && image.getInt(at + CRC_OFFSET) == 0;
    }

    /** The entry at a place; null if it was torn, or does not belong there. */
    static EventEntry get(final ByteBuffer image, final int place) {
        final int at = HEADER_BYTES + place * ENTRY_BYTES;
        final long sequence = image.getLong(at);
        if (sequence <= 0
                || offset(sequence) != at
                || image.getInt(at + CRC_OFFSET) != entryCrc(image, at)) {
            return null;
        }
        final List<Long> arguments = new ArrayList<>(EventEntry.ARGUMENTS);
        for (int i = 0; i < EventEntry.ARGUMENTS; i++) {
            arguments.add(image.getLong(at + ARGUMENTS_OFFSET + i * Long.BYTES));
        }
        return new EventEntry(
                sequence,
                image.getLong(at + WALL_OFFSET),
                image.getLong(at + MONOTONIC_OFFSET),
                image.getShort(at + ID_OFFSET) & 0xFFFF,
                image.getShort(at + WRITER_OFFSET),
                arguments);
    }

    private static int entryCrc(final ByteBuffer image, final int at) {
        final byte[] bytes = new byte[ENTRY_BYTES];
        image.get(at, bytes);
        Arrays.fill(bytes, CRC_OFFSET, CRC_OFFSET + Integer.BYTES, (byte) 0);
        final CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static int crc(final ByteBuffer image, final int at, final int lengthBytes) {
        final byte[] bytes = new byte[lengthBytes];
        image.get(at, bytes);
        final CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
