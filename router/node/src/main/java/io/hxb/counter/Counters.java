package io.hxb.counter;

import io.hxb.linux.Memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * The counters of one node, and a file with a copy of them that outlives the process. Made at
 * start; each loop fetches its own {@link Counter}s, and the thread that owns the node writes the
 * heartbeat and the findings.
 *
 * <p>The counters are in memory of this process, which nobody else can take away. The file is only
 * written, by {@link CounterPublisher}: a loop never waits for a disk, and a file that is cut short
 * is whole again within a second.
 */
public final class Counters implements AutoCloseable {
    private final CounterLayout layout;
    private final MemorySegment memory;
    private final long base;
    private final CounterFile file;

    private Counters(
            final CounterLayout layout, final MemorySegment memory, final CounterFile file) {
        this.layout = layout;
        this.memory = memory;
        this.file = file;
        base = memory.address();
    }

    /**
     * Makes the counters of a node, all 0. A file that cannot be written (full disk, no permission,
     * a folder in which others may write) causes a warning and is left out, so that the node runs
     * anyway.
     *
     * @param file where; an older file is replaced, readers that have it open keep the old one.
     * @param labels whose counters.
     * @param loops receiving loops; the writers are 0 to loops - 1 and {@link #sharedWriter()}.
     * @param warning told what is wrong with the file and what to do; at start, and later when it
     *     can no longer be written; from any thread.
     */
    public static Counters create(
            final Path file,
            final CounterLabels labels,
            final int loops,
            final Consumer<String> warning) {
        final CounterLayout layout =
                new CounterLayout(labels.links().size(), labels.dimensions(), loops + 1);
        final MemorySegment memory = memory(layout, labels);
        try {
            final CounterFile copy = CounterFile.create(file, layout, memory, warning);
            CounterPublisher.ofThisProcess().add(copy);
            return new Counters(layout, memory, copy);
        } catch (final IOException e) {
            warning.accept(CounterFile.complaint(file, e));
            return new Counters(layout, memory, null);
        }
    }

    /** Counters in memory of this process alone, for tests and embedded nodes. */
    public static Counters inMemory(final CounterLabels labels, final int loops) {
        final CounterLayout layout =
                new CounterLayout(labels.links().size(), labels.dimensions(), loops + 1);
        return new Counters(layout, memory(layout, labels), null);
    }

    private static MemorySegment memory(final CounterLayout layout, final CounterLabels labels) {
        final MemorySegment memory = Arena.ofAuto().allocate(layout.length, 128);
        memory.asByteBuffer().put(CounterHeader.image(layout, labels));
        return memory;
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

    /** The writer for everything that is not a loop: one thread at a time. */
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
        return file == null ? null : file.path();
    }

    /** Writes to the file what has been counted so far; any thread. May wait for a disk. */
    public void publish() {
        if (file != null) {
            file.publishAll();
        }
    }

    /** Says that the node is alive; called a few times a second. */
    public void heartbeat(final long nowMs) {
        Memory.putLongRelease(base + CounterLayout.HEARTBEAT_OFFSET, nowMs);
    }

    /**
     * Replaces what {@code doctor} and {@code stat} report as wrong with this node; what does not
     * fit in 16 KiB is left out. Called by one thread.
     */
    public void findings(final List<NodeFinding> findings) {
        final List<String> lines = findings.stream().map(NodeFinding::line).toList();
        TextArea.write(memory, layout.findingsAt, truncate(String.join("\n", lines)));
    }

    /**
     * Replaces what {@code stat} shows of users and tenants, with the number of those that do not
     * fit in 16 KiB. Called by one thread.
     *
     * @param uses the most important ones first.
     */
    public void shares(final List<ResourceUse> uses) {
        TextArea.write(memory, layout.sharesAt, ResourceUses.text(uses));
    }

    /** Marks the file as closed in order; it stays, so that it can be read later. */
    @Override
    public void close() {
        Memory.putIntVolatile(base + CounterLayout.STATE_OFFSET, CounterLayout.CLOSED);
        if (file != null) {
            CounterPublisher.ofThisProcess().remove(file);
            file.close();
        }
    }

    private static byte[] truncate(final String text) {
        final int maxBytes = TextArea.MAX_TEXT_BYTES;
        String rest = text;
        byte[] bytes = rest.getBytes(StandardCharsets.UTF_8);
        while (bytes.length > maxBytes) {
            final int newline = rest.lastIndexOf('\n');
            rest = newline < 0 ? rest.substring(0, maxBytes / 4) : rest.substring(0, newline);
            bytes = rest.getBytes(StandardCharsets.UTF_8);
        }
        return bytes;
    }
}
