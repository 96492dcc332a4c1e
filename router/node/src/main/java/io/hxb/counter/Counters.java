package io.hxb.counter;

import io.hxb.linux.Memory;
import io.hxb.recorder.EventLabels;
import io.hxb.recorder.FlightRecorder;
import io.hxb.recorder.RecorderReader;
import io.hxb.recorder.RecorderRing;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The counters of one node, and a file with a copy of them that outlives the process. Made at
 * start; each loop has a {@link CounterBlock} of its own, and the thread that owns the node writes
 * the heartbeat and the findings.
 *
 * <p>The counters are in memory of this process, which nobody else can take away. The file is only
 * written, by {@link CounterPublisher}: a loop never waits for a disk, and a file that is cut short
 * is whole again within a second.
 */
public final class Counters implements AutoCloseable {
    private static final int OTHER_BLOCKS = 2;

    private final CounterLayout layout;
    private final MemorySegment memory;
    private final long base;
    private final CounterFile file;
    private final CounterBlock[] blocks;
    private final FlightRecorder recorder;
    private final List<PublishedCopy> others = new CopyOnWriteArrayList<>();

    private Counters(
            final CounterLayout layout,
            final MemorySegment memory,
            final CounterFile file,
            final FlightRecorder recorder) {
        this.layout = layout;
        this.recorder = recorder;
        this.memory = memory;
        this.file = file;
        base = memory.address();
        blocks = new CounterBlock[layout.writers];
        Arrays.setAll(
                blocks,
                i -> new CounterBlock(layout, base + layout.writerOffset(i), memory, eventsOf(i)));
    }

    private RecorderRing eventsOf(final int block) {
        return block < loops() ? recorder.ofLoop(block) : null;
    }

    /**
     * Makes the counters of a node, all 0, and its flight recorder, whose file lies beside theirs.
     * A file that cannot be written (full disk, no permission, a folder in which others may write)
     * causes a warning and is left out, so that the node runs anyway.
     *
     * @param file where; an older file is replaced, readers that have it open keep the old one.
     * @param labels whose counters.
     * @param loops receiving loops.
     * @param warning called with what is wrong with the file and what to do; at start, and later
     *     when it can no longer be written; from any thread.
     */
    public static Counters create(
            final Path file,
            final CounterLabels labels,
            final int loops,
            final Consumer<String> warning) {
        final CounterLayout layout = layout(labels, loops);
        final MemorySegment memory = memory(layout, labels);
        try {
            final CounterFile copy = CounterFile.create(file, layout, memory, warning);
            final FlightRecorder recorder = recorder(file, labels, loops, warning);
            CounterPublisher.ofThisProcess().add(new PublishedFiles(copy, recorder));
            return new Counters(layout, memory, copy, recorder);
        } catch (final IOException e) {
            warning.accept(CounterFile.problem(file, e));
            return new Counters(layout, memory, null, recorder(labels, loops, System::nanoTime));
        }
    }

    private static FlightRecorder recorder(
            final Path counters,
            final CounterLabels labels,
            final int loops,
            final Consumer<String> warning) {
        final Path file = RecorderReader.fileBeside(counters);
        try {
            return FlightRecorder.create(file, eventLabels(labels), loops);
        } catch (final IOException e) {
            warning.accept(
                    "events cannot be kept in "
                            + file
                            + " ("
                            + e.getMessage()
                            + "): hxb events will not see this node");
            return recorder(labels, loops, System::nanoTime);
        }
    }

    private static FlightRecorder recorder(
            final CounterLabels labels, final int loops, final LongSupplier clockNs) {
        return FlightRecorder.inMemory(eventLabels(labels), loops, clockNs);
    }

    private static EventLabels eventLabels(final CounterLabels labels) {
        return new EventLabels(labels.clusterName(), labels.clusterId(), labels.node());
    }

    /** Counters in memory of this process alone, for tests and embedded nodes. */
    public static Counters inMemory(final CounterLabels labels, final int loops) {
        return inMemory(labels, loops, System::nanoTime);
    }

    /** The same for loops with a clock of their own. */
    public static Counters inMemory(
            final CounterLabels labels, final int loops, final LongSupplier clockNs) {
        final CounterLayout layout = layout(labels, loops);
        return new Counters(layout, memory(layout, labels), null, recorder(labels, loops, clockNs));
    }

    private static CounterLayout layout(final CounterLabels labels, final int loops) {
        return new CounterLayout(
                NeighbourPlaces.of(labels.links()), labels.dimensions(), loops + OTHER_BLOCKS);
    }

    private static MemorySegment memory(final CounterLayout layout, final CounterLabels labels) {
        final MemorySegment memory = Arena.ofAuto().allocate(layout.length, 128);
        memory.asByteBuffer().put(CounterHeader.image(layout, labels));
        return memory;
    }

    /** What has happened to the node. */
    public FlightRecorder recorder() {
        return recorder;
    }

    /** The block of a loop, 0 to loops - 1. Owned by that loop. */
    public CounterBlock ofLoop(final int loop) {
        return blocks[Objects.checkIndex(loop, loops())];
    }

    /** Number of loops. */
    int loops() {
        return blocks.length - OTHER_BLOCKS;
    }

    /**
     * The block of what belongs to no loop. Published by the node's first loop; what is counted in
     * it is guarded by the lock of the component that counts it.
     */
    public CounterBlock ofNode() {
        return blocks[blocks.length - 1];
    }

    /** The block of what the kernel does for the node. Owned by the node's first loop. */
    public CounterBlock ofKernel() {
        return blocks[blocks.length - 2];
    }

    /** Sum of one counter over all blocks, as they were published last; any thread. */
    public long sum(final CounterType type, final int instance) {
        final long index = (long) layout.index(type, instance) * Long.BYTES;
        long sum = 0;
        for (int writer = 0; writer < layout.writers; writer++) {
            sum += Memory.getLongAcquire(base + layout.writerOffset(writer) + index);
        }
        return sum;
    }

    /** The same over all links and dimensions. */
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

    /** Keeps another file up to date until these are closed; any thread. */
    public void publishAlso(final PublishedCopy copy) {
        others.add(copy);
        CounterPublisher.ofThisProcess().add(copy);
    }

    /** Writes to the file what has been counted so far; any thread. May wait for a disk. */
    public void publish() {
        if (file != null) {
            file.publishAll();
            recorder.publishAll();
        }
    }

    /** Writes that the node is alive; called a few times a second. */
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
        others.forEach(CounterPublisher.ofThisProcess()::remove);
        if (file != null) {
            CounterPublisher.ofThisProcess().remove(new PublishedFiles(file, recorder));
            file.close();
        }
        recorder.close();
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
