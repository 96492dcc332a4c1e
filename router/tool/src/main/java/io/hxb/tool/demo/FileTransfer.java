package io.hxb.tool.demo;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmStatus;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.measure.ContextWaiting;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends the files of a {@link FileSet} between the nodes of a cluster, all at once, each as one
 * message sent from the mapped file; the receiving end assembles it in a mapped file of its own.
 * Owned by one thread, which plays the applications on all nodes.
 */
public final class FileTransfer implements AutoCloseable {
    /** Context of the applications. */
    public static final int CONTEXT = 1;

    private static final int FILES_AT_ONCE = 4;
    private static final int FILL_BYTES = 1 << 20;
    private static final long IDLE_NS = 50_000;

    private final Path folder;
    private final Map<Integer, End> ends = new HashMap<>();
    private final Map<Pair, FileSet.Entry> expected = new HashMap<>();
    private final List<FileSet.Entry> arrived = new ArrayList<>();
    private final Arena arena = Arena.ofShared();
    private long arrivedBytes;
    private long duplicated;
    private long failed;

    /** The application on one node. */
    private final class End implements PmLargeHandler {
        private final int node;
        private final PmContext context;
        private final PmLargeMessages messages;
        private final Deque<FileSet.Entry> waiting = new ArrayDeque<>();

        End(final PmDevice device, final io.hxb.pm.PmContextOptions options) throws IOException {
            node = device.nodeId();
            context = device.openContext(CONTEXT, options);
            messages = new PmLargeMessages(context, this, PmLargeMessages.Limits.DEFAULT);
        }

        int work() {
            int work = 0;
            while (!waiting.isEmpty() && messages.unfinishedTransfers() < FILES_AT_ONCE) {
                final FileSet.Entry entry = waiting.peek();
                final MemorySegment content = map(entry.file(), entry.lengthBytes(), false);
                if (messages.send(entry.pair().to(), CONTEXT, content, entry.pair().from()) < 0) {
                    break;
                }
                waiting.remove();
                work++;
            }
            final int polled = messages.poll();
            if (polled < 0) {
                throw new ToolException(
                        "node "
                                + node
                                + ": "
                                + PmStatus.name(polled)
                                + " "
                                + context.closeReason());
            }
            return work + polled;
        }

        @Override
        public MemorySegment onStart(
                final int sourceNode,
                final int sourceContext,
                final long lengthBytes,
                final int tag) {
            final FileSet.Entry entry = expected.get(new Pair(sourceNode, node));
            if (entry == null || entry.lengthBytes() != lengthBytes) {
                failed++;
                return PmLargeMessages.REJECT;
            }
            return map(received(entry), lengthBytes, true);
        }

        @Override
        public void onEnd(
                final int sourceNode,
                final int sourceContext,
                final long lengthBytes,
                final int tag,
                final MemorySegment target,
                final int status) {
            final FileSet.Entry entry = expected.remove(new Pair(sourceNode, node));
            if (entry == null) {
                duplicated++;
            } else if (status != PmStatus.OK) {
                failed++;
            } else {
                arrived.add(entry);
                arrivedBytes += lengthBytes;
            }
        }

        @Override
        public void onSent(final long transfer, final int status) {
            if (status != PmStatus.OK) {
                throw new ToolException(
                        "a file from node "
                                + node
                                + " was not delivered: "
                                + PmStatus.name(status));
            }
        }
    }

    /**
     * Opens the applications' contexts on all nodes that take part.
     *
     * @param folder where received files are written.
     */
    public FileTransfer(final Cluster cluster, final FileSet files, final Path folder)
            throws IOException {
        this.folder = folder;
        for (final FileSet.Entry entry : files.entries()) {
            expected.put(entry.pair(), entry);
            for (final int node : new int[] {entry.pair().from(), entry.pair().to()}) {
                if (!ends.containsKey(node)) {
                    ends.put(
                            node,
                            new End(
                                    cluster.device(node),
                                    ContextWaiting.options(cluster.config().loop())));
                }
            }
        }
        files.entries().forEach(entry -> ends.get(entry.pair().from()).waiting.add(entry));
    }

    /**
     * Sends everything. Blocks until all files have arrived, or nothing arrives any more.
     *
     * @param tick called about ten times a second with the bytes that have arrived.
     * @param silenceNs gives up when nothing arrives for so long.
     */
    public void run(final java.util.function.LongConsumer tick, final long silenceNs) {
        final long startNs = System.nanoTime();
        long lastNs = startNs;
        long tickNs = startNs;
        while (!expected.isEmpty()) {
            int work = 0;
            for (final End end : ends.values()) {
                work += end.work();
            }
            final long nowNs = System.nanoTime();
            lastNs = work > 0 ? nowNs : lastNs;
            if (nowNs - tickNs >= 100_000_000) {
                tickNs = nowNs;
                tick.accept(arrivedBytes + incompleteBytes());
            }
            if (nowNs - lastNs > silenceNs) {
                return;
            }
            if (work == 0) {
                LockSupport.parkNanos(IDLE_NS);
            }
        }
    }

    /** What has arrived of files that are on their way. */
    private long incompleteBytes() {
        long bytes = 0;
        for (final End end : ends.values()) {
            bytes += end.messages.incompleteBytes();
        }
        return bytes;
    }

    /** Where a file is written that has arrived. */
    public Path received(final FileSet.Entry entry) {
        return folder.resolve(entry.pair().from() + "-at-" + entry.pair().to() + ".bin");
    }

    /** Files that have arrived. */
    public List<FileSet.Entry> arrived() {
        return List.copyOf(arrived);
    }

    /** Bytes of the files that have arrived. */
    public long arrivedBytes() {
        return arrivedBytes;
    }

    /** Files that came a second time. */
    public long duplicated() {
        return duplicated;
    }

    /** Files with a wrong announcement, or incomplete ones. */
    public long failed() {
        return failed;
    }

    private MemorySegment map(final Path file, final long lengthBytes, final boolean isWritten) {
        try (FileChannel channel =
                isWritten
                        ? FileChannel.open(
                                file,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE)
                        : FileChannel.open(file, StandardOpenOption.READ)) {
            if (isWritten) {
                fill(channel, lengthBytes);
            }
            return channel.map(
                    isWritten ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY,
                    0,
                    lengthBytes,
                    arena);
        } catch (final IOException e) {
            throw new ToolException("cannot map " + file + ": " + e.getMessage(), e);
        }
    }

    // A full disk is noticed here: whoever touches a mapped page without room gets SIGBUS.
    private static void fill(final FileChannel channel, final long lengthBytes) throws IOException {
        final ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(lengthBytes, FILL_BYTES));
        long written = 0;
        while (written < lengthBytes) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), lengthBytes - written));
            written += channel.write(zeros, written);
        }
    }

    @Override
    public void close() {
        ends.values().forEach(end -> end.context.close());
        arena.close();
    }
}
