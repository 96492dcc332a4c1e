package io.hxb.counter;

import io.hxb.linux.Memory;
import io.hxb.pm.attach.RunFolders;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.Consumer;

/**
 * The counters of one node, in a mapped file that outlives the process. Made at start; each loop
 * fetches its own {@link Counter}s, and the thread that owns the node beats the heart and writes
 * the findings.
 */
public final class Counters implements AutoCloseable {
    private static final int DISK_CHUNK_BYTES = 64 * 1024;

    private final CounterLayout layout;
    private final MemorySegment memory;
    private final long base;
    private final Path file;

    private Counters(final CounterLayout layout, final MemorySegment memory, final Path file) {
        this.layout = layout;
        this.memory = memory;
        this.file = file;
        base = memory.address();
    }

    /**
     * Makes the counters of a node, all 0. A file that cannot be written (full disk, no permission)
     * is warned of and replaced by memory of this process, so that the node runs anyway.
     *
     * @param file where; an older file is replaced, readers that have it open keep the old one.
     * @param labels whose counters.
     * @param loops receiving loops; the writers are 0 to loops - 1 and {@link #sharedWriter()}.
     * @param warning told what is wrong with the file and what to do, at most once.
     */
    public static Counters create(
            final Path file,
            final CounterLabels labels,
            final int loops,
            final Consumer<String> warning) {
        final CounterLayout layout =
                new CounterLayout(labels.links().size(), labels.dimensions(), loops + 1);
        try {
            final MemorySegment memory = map(file, layout, labels);
            return new Counters(layout, memory, file);
        } catch (final IOException | UnsupportedOperationException e) {
            warning.accept(
                    "counters cannot be kept in "
                            + file
                            + " ("
                            + describe(e)
                            + "): hxb stat will not see this node; "
                            + (e instanceof AccessDeniedException
                                    ? "let this user write there"
                                    : "free space there")
                            + ", or name another folder as attach.countersDirectory");
            return inMemory(labels, loops);
        }
    }

    /** Counters in memory of this process alone, for tests and embedded nodes. */
    public static Counters inMemory(final CounterLabels labels, final int loops) {
        final CounterLayout layout =
                new CounterLayout(labels.links().size(), labels.dimensions(), loops + 1);
        final MemorySegment memory = Arena.ofAuto().allocate(layout.length, 128);
        memory.asByteBuffer().put(CounterHeader.image(layout, labels));
        return new Counters(layout, memory, null);
    }

    /** The counter of the whole node as {@code writer} writes it. */
    public Counter counter(final CounterType type, final int writer) {
        return counter(type, writer, 0);
    }

    /**
     * A counter as one thread writes it.
     *
     * @param writer number of the loop, or {@link #sharedWriter()} for the thread of everything
     *     else.
     * @param instance number of the link or dimension; 0 for the node's.
     */
    public Counter counter(final CounterType type, final int writer, final int instance) {
        return new Counter(base + layout.valueOffset(type, writer, instance), memory);
    }

    /**
     * The counters of drops as one thread writes them, to be indexed by the negated reasons of
     * {@link io.hxb.frame.DropReason}; index 0 is null.
     */
    public Counter[] drops(final int writer) {
        final int reasons = io.hxb.frame.DropReason.COUNT;
        final Counter[] drops = new Counter[reasons + 1];
        for (int reason = 1; reason <= reasons; reason++) {
            drops[reason] = counter(CounterType.ofReason(-reason), writer);
        }
        return drops;
    }

    /** The writer for everything that is no loop: one thread at a time. */
    public int sharedWriter() {
        return layout.writers - 1;
    }

    /** Sum of one counter over all writers. */
    public long sum(final CounterType type, final int instance) {
        long sum = 0;
        for (int writer = 0; writer < layout.writers; writer++) {
            sum += Memory.getLongAcquire(base + layout.valueOffset(type, writer, instance));
        }
        return sum;
    }

    /** Sum of one counter over all writers, links and dimensions. */
    public long sum(final CounterType type) {
        long sum = 0;
        for (int instance = 0; instance < layout.instances(type.scope()); instance++) {
            sum += sum(type, instance);
        }
        return sum;
    }

    /** The file, or null when the counters are in memory alone. */
    public Path file() {
        return file;
    }

    /** Says that the node lives; called a few times a second. */
    public void heartbeat(final long nowMs) {
        Memory.putLongRelease(base + CounterLayout.HEARTBEAT_OFFSET, nowMs);
    }

    /**
     * Replaces what {@code doctor} and {@code stat} report as wrong with this node; what does not
     * fit in 16 KiB is left out. Called by one thread.
     */
    public void findings(final List<NodeFinding> findings) {
        final long at = base + layout.findingsAt;
        final List<String> lines = findings.stream().map(NodeFinding::line).toList();
        final byte[] text = truncate(String.join("\n", lines));
        final long sequence = Memory.getLong(at);
        Memory.putLongVolatile(at, sequence + 1);
        Memory.putInt(at + Long.BYTES, text.length);
        MemorySegment.copy(
                MemorySegment.ofArray(text),
                0,
                memory,
                layout.findingsAt + CounterLayout.FINDINGS_TEXT_OFFSET,
                text.length);
        Memory.putLongVolatile(at, sequence + 2);
    }

    /** Marks the file as closed in order; it stays, so that it can be read later. */
    @Override
    public void close() {
        Memory.putIntVolatile(base + CounterLayout.STATE_OFFSET, CounterLayout.CLOSED);
    }

    private static byte[] truncate(final String text) {
        final int maxBytes = CounterLayout.FINDINGS_BYTES - CounterLayout.FINDINGS_TEXT_OFFSET;
        String rest = text;
        byte[] bytes = rest.getBytes(StandardCharsets.UTF_8);
        while (bytes.length > maxBytes) {
            final int newline = rest.lastIndexOf('\n');
            rest = newline < 0 ? rest.substring(0, maxBytes / 4) : rest.substring(0, newline);
            bytes = rest.getBytes(StandardCharsets.UTF_8);
        }
        return bytes;
    }

    // Every byte is written before the file is mapped: a disk that is full fails here with an
    // exception, not later with a signal. Renaming keeps readers of an older file undisturbed.
    private static MemorySegment map(
            final Path file, final CounterLayout layout, final CounterLabels labels)
            throws IOException {
        final Path folder = file.toAbsolutePath().getParent();
        RunFolders.ofThisProcess().prepare(folder);
        Files.createDirectories(folder);
        final Path fresh = Files.createTempFile(folder, "." + file.getFileName(), ".new");
        try (FileChannel channel =
                FileChannel.open(fresh, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final ByteBuffer image = ByteBuffer.wrap(CounterHeader.image(layout, labels));
            while (image.hasRemaining()) {
                final int end = Math.min(image.capacity(), image.position() + DISK_CHUNK_BYTES);
                image.limit(end);
                channel.write(image);
                image.limit(image.capacity());
            }
            channel.force(false);
            final MemorySegment memory =
                    channel.map(FileChannel.MapMode.READ_WRITE, 0, layout.length, Arena.ofAuto());
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(
                    fresh,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            return memory;
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private static String describe(final Exception e) {
        return e.getClass().equals(IOException.class)
                ? e.getMessage()
                : e.getClass().getSimpleName() + ": " + e.getMessage();
    }
}
