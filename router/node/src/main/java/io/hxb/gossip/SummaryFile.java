package io.hxb.gossip;

import io.hxb.counter.PublishedCopy;
import io.hxb.os.SharedFile;
import io.hxb.pm.attach.RunFolders;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/**
 * The file with what a node knows of all nodes, which is written and never mapped, and outlives the
 * process. Any thread may call it; calls take turns.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      8 {@code HXBSEEN1}
 *      8      4 node that wrote it
 *     12      4 nodes
 *     16      4 bytes of a slot
 *     20      4 time between two summaries of a node, ms
 *     24      8 when it was written, ms since 1970
 *     32      4 CRC-32C of everything, with 0 here
 *     36     28 0
 *     64        a slot for each node: its record, see SummaryFlyweight, with its age then; or zeros
 * </pre>
 */
public final class SummaryFile implements PublishedCopy, AutoCloseable {
    /** The first bytes of the file. */
    static final long MAGIC = 0x314E_4545_5342_5848L;

    static final int HEADER_BYTES = 64;
    static final int HERE_OFFSET = 8;
    static final int NODES_OFFSET = 12;
    static final int SLOT_OFFSET = 16;
    static final int INTERVAL_OFFSET = 20;
    static final int WRITTEN_OFFSET = 24;
    static final int CRC_OFFSET = 32;
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final long MIN_INTERVAL_NS = 100_000_000L;
    private static final long NS_PER_MS = 1_000_000L;

    private final Gossip gossip;
    private final LongSupplier clockNs;
    private final LongSupplier clockMs;
    private final MemorySegment image;
    private SharedFile file;
    private int written;
    private long writtenNs;
    private boolean isClosed;

    private SummaryFile(
            final Gossip gossip, final LongSupplier clockNs, final LongSupplier clockMs) {
        this.gossip = gossip;
        this.clockNs = clockNs;
        this.clockMs = clockMs;
        image = Arena.ofAuto().allocate(HEADER_BYTES + gossip.copyBytes(), Long.BYTES);
        image.set(LONG, 0, MAGIC);
        image.set(INT, HERE_OFFSET, gossip.here());
        image.set(INT, NODES_OFFSET, gossip.nodes());
        image.set(INT, SLOT_OFFSET, gossip.slotBytes());
        image.set(INT, INTERVAL_OFFSET, (int) (gossip.intervalNs() / NS_PER_MS));
    }

    /**
     * Makes the file in place of an older one; it gets its name once all of it is written.
     *
     * @param clockNs of the loops.
     * @param clockMs ms since 1970.
     */
    public static SummaryFile create(
            final Path path,
            final Gossip gossip,
            final LongSupplier clockNs,
            final LongSupplier clockMs)
            throws IOException {
        RunFolders.ofThisProcess().prepare(path.toAbsolutePath().getParent());
        final SummaryFile made = new SummaryFile(gossip, clockNs, clockMs);
        made.fill();
        made.file = SharedFile.create(path, made.image);
        return made;
    }

    @Override
    public synchronized void publish() {
        if (gossip.version() != written && clockNs.getAsLong() - writtenNs >= MIN_INTERVAL_NS) {
            publishAll();
        }
    }

    @Override
    public synchronized void publishAll() {
        if (isClosed) {
            return;
        }
        fill();
        try {
            if (file.isGone()) {
                RunFolders.ofThisProcess().prepare(file.path().getParent());
                file.makeAgain();
            } else {
                file.write(0, image.byteSize());
            }
        } catch (final IOException e) {
            // A full disk, or no folder: the file of counters lies beside it, and its writer warns
            // of that.
            writtenNs = clockNs.getAsLong();
        }
    }

    private void fill() {
        written = gossip.version();
        writtenNs = clockNs.getAsLong();
        gossip.copy(image.asSlice(HEADER_BYTES), writtenNs);
        image.set(LONG, WRITTEN_OFFSET, clockMs.getAsLong());
        image.set(INT, CRC_OFFSET, 0);
        image.set(INT, CRC_OFFSET, crc(image));
    }

    /** The check code of an image in which it is 0. */
    static int crc(final MemorySegment image) {
        final CRC32C crc = new CRC32C();
        crc.update(image.asByteBuffer());
        return (int) crc.getValue();
    }

    /** Writes it once more; it stays, so that it can be read later. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            publishAll();
            isClosed = true;
            file.close();
        }
    }
}
