package io.hxb.recorder;

import io.hxb.linux.LinuxException;
import io.hxb.os.SharedFile;
import io.hxb.pm.attach.RunFolders;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * The last events of one node, and the file with a copy of them that outlives the process. Each
 * loop has an {@link RecorderRing}; the thread that publishes the counters takes what is in them.
 * Any thread may call it; calls take turns.
 */
public final class FlightRecorder implements AutoCloseable {
    /** A step of the wall clock from which it is recorded; smaller ones are corrections. */
    static final long STEP_NS = 100_000_000L;

    /** How late events are written before that is recorded as well. */
    static final long LATE_NS = 1_000_000_000L;

    private static final Comparator<EventEntry> BY_TIME =
            Comparator.comparingLong(EventEntry::monotonicNs);

    private final MemorySegment memory;
    private final ByteBuffer image;
    private final Source[] sources;
    private final SharedEvents others;
    private final EventClock clock;
    private final List<EventEntry> fresh = new ArrayList<>();
    private SharedFile file;
    private long sequence;
    private long publishedNs;
    private boolean isPublished;
    private boolean isFailing;
    private boolean isClosed;

    /** What the recorder knows of the ring of one loop. */
    private static final class Source {
        final int writer;
        final RecorderRing ring = new RecorderRing();
        final long[] leftOutSeen = new long[RecordedEvent.values().length];
        final long[] leftOutNs = new long[leftOutSeen.length];
        final long[] values = new long[EventEntry.ARGUMENTS];
        long lostSeen;

        Source(final int writer) {
            this.writer = writer;
        }
    }

    private FlightRecorder(final EventLabels labels, final int loops, final EventClock clock) {
        this.clock = clock;
        memory = Arena.ofAuto().allocate(EventLayout.LENGTH_BYTES, Long.BYTES);
        image = memory.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        EventLayout.putHeader(image, labels);
        sources = new Source[loops + 1];
        Arrays.setAll(sources, i -> new Source(i == loops ? EventEntry.NO_LOOP : i));
        others = new SharedEvents(sources[loops].ring, clock::monotonicNs);
    }

    /**
     * Makes the recorder of a node whose file continues that of the node's last run, if there is
     * one that can be read.
     *
     * @param file where; a file that is no valid one of this node is replaced.
     * @param loops receiving loops.
     * @throws IOException if the file cannot be written.
     */
    public static FlightRecorder create(final Path file, final EventLabels labels, final int loops)
            throws IOException {
        return create(file, labels, loops, EventClock.ofSystem());
    }

    /** The same with another clock. */
    static FlightRecorder create(
            final Path file, final EventLabels labels, final int loops, final EventClock clock)
            throws IOException {
        final FlightRecorder recorder = new FlightRecorder(labels, loops, clock);
        recorder.continueRun(file, labels);
        RunFolders.ofThisProcess().prepare(file.toAbsolutePath().getParent());
        recorder.file = SharedFile.create(file, recorder.memory);
        return recorder;
    }

    /**
     * A recorder in memory of this process alone, for nodes that keep no counters, and for tests.
     *
     * @param monotonicNs the clock of the loops; it is the time of day, too.
     */
    public static FlightRecorder inMemory(
            final EventLabels labels, final int loops, final LongSupplier monotonicNs) {
        return new FlightRecorder(labels, loops, new EventClock(monotonicNs, monotonicNs));
    }

    private synchronized void continueRun(final Path path, final EventLabels labels) {
        if (!Files.isRegularFile(path)) {
            return;
        }
        try {
            final EventHistory before = RecorderReader.read(path);
            if (before.labels().equals(labels)) {
                before.entries().forEach(entry -> EventLayout.put(image, entry));
                sequence = before.lastSequence();
                if (before.isLastRunLost()) {
                    append(RecordedEvent.RUN_LOST, before.pid(), 0);
                    storeFresh();
                }
            }
        } catch (final IOException e) {
            // A file of another version, or a damaged one: it is replaced.
            sequence = 0;
        }
    }

    /** The ring of a loop, 0 to loops - 1. Owned by that loop. */
    public RecorderRing ofLoop(final int loop) {
        return sources[Objects.checkIndex(loop, sources.length - 1)].ring;
    }

    /** Where all other threads record. */
    public SharedEvents ofOthers() {
        return others;
    }

    /** Takes what the loops have recorded and writes it to the file. May wait for a disk. */
    public synchronized void publish() {
        final long nowNs = clock.monotonicNs();
        final long stepNs = clock.synchronise();
        if (Math.abs(stepNs) >= STEP_NS) {
            append(RecordedEvent.CLOCK_STEPPED, stepNs, 0);
        }
        if (isPublished && file != null && nowNs - publishedNs >= LATE_NS) {
            append(RecordedEvent.COPY_LATE, nowNs - publishedNs, 0);
        }
        isPublished = true;
        publishedNs = nowNs;
        for (final Source source : sources) {
            take(source);
        }
        if (!fresh.isEmpty()) {
            storeFresh();
        }
    }

    /**
     * As {@link #publish}, with what was left out; restores a file that was cut short or removed.
     */
    public synchronized void publishAll() {
        for (final Source source : sources) {
            countLeftOut(source, false);
        }
        publish();
        if (file != null && (isFailing || file.isCut())) {
            store(0, EventLayout.LENGTH_BYTES);
        }
        if (file != null && file.isGone()) {
            makeAgain();
        }
    }

    private void makeAgain() {
        try {
            RunFolders.ofThisProcess().prepare(file.path().getParent());
            file.makeAgain();
        } catch (final IOException e) {
            // The file of counters lies beside it, and its writer warns of that.
        }
    }

    /** What has been recorded, the oldest first. */
    public synchronized List<EventEntry> recent() {
        publish();
        final List<EventEntry> entries = new ArrayList<>();
        final long first = Math.max(1, sequence - EventLayout.ENTRIES + 1);
        for (long number = first; number <= sequence; number++) {
            final EventEntry entry =
                    EventLayout.get(image, (int) ((number - 1) % EventLayout.ENTRIES));
            if (entry != null) {
                entries.add(entry);
            }
        }
        return entries;
    }

    private void take(final Source source) {
        source.ring.drain(
                (timeNs, id, values) -> fresh.add(entry(source.writer, timeNs, id, values)),
                source.values);
        final long lost = source.ring.lost();
        if (lost != source.lostSeen) {
            append(source.writer, RecordedEvent.EVENTS_LOST, lost - source.lostSeen, 0);
            source.lostSeen = lost;
        }
    }

    private EventEntry entry(
            final int writer, final long timeNs, final int id, final long[] values) {
        return new EventEntry(
                0,
                clock.wallNs(timeNs),
                timeNs,
                id,
                writer,
                Arrays.stream(values).boxed().toList());
    }

    private void countLeftOut(final Source source, final boolean isLast) {
        final long nowNs = clock.monotonicNs();
        for (final RecordedEvent event : RecordedEvent.values()) {
            final int kind = event.id() - 1;
            final long leftOut = source.ring.leftOut(event);
            final long seen = source.leftOutSeen[kind];
            final boolean isDue =
                    seen == 0 || nowNs - source.leftOutNs[kind] >= RecorderRing.EVENT_NS;
            if (leftOut != seen && (isDue || isLast)) {
                append(source.writer, RecordedEvent.EVENTS_LEFT_OUT, leftOut - seen, event.id());
                source.leftOutSeen[kind] = leftOut;
                source.leftOutNs[kind] = nowNs;
            }
        }
    }

    private void append(final RecordedEvent event, final long first, final long second) {
        append(EventEntry.NO_LOOP, event, first, second);
    }

    private void append(
            final int writer, final RecordedEvent event, final long first, final long second) {
        fresh.add(entry(writer, clock.monotonicNs(), event.id(), new long[] {first, second, 0, 0}));
    }

    private void storeFresh() {
        fresh.sort(BY_TIME);
        final long first = sequence + 1;
        for (final EventEntry entry : fresh) {
            sequence++;
            EventLayout.put(image, entry.withSequence(sequence));
        }
        fresh.clear();
        final int begin = EventLayout.offset(first);
        final int end = EventLayout.offset(sequence) + EventLayout.ENTRY_BYTES;
        if (begin < end && !isFailing) {
            store(begin, end - (long) begin);
        } else {
            store(0, EventLayout.LENGTH_BYTES);
        }
    }

    // After a failure all of it is written again, with the failure, once that is possible.
    private void store(final long at, final long lengthBytes) {
        if (file == null) {
            return;
        }
        try {
            file.write(at, lengthBytes);
            isFailing = false;
        } catch (final LinuxException e) {
            if (!isFailing) {
                isFailing = true;
                append(RecordedEvent.COPY_FAILED, e.errno(), 0);
            }
        }
    }

    /** Records that the node has stopped in order, and closes the file, which stays. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            others.record(RecordedEvent.NODE_STOPPED);
            for (final Source source : sources) {
                countLeftOut(source, true);
            }
            publish();
            if (file != null) {
                file.close();
            }
        }
    }
}
