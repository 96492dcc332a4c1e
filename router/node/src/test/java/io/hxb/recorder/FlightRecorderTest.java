package io.hxb.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

@Tag("unit")
class FlightRecorderTest {
    private static final EventLabels LABELS = new EventLabels("lab", 7, 3);
    private static final long SECOND = 1_000_000_000L;

    @TempDir private Path folder;
    private final AtomicLong nowNs = new AtomicLong(SECOND);
    private final AtomicLong wallNs = new AtomicLong(1_000_000 * SECOND);

    private FlightRecorder recorder(final int loops) throws IOException {
        return FlightRecorder.create(
                folder.resolve("a.events"),
                LABELS,
                loops,
                new EventClock(nowNs::get, () -> wallNs.get() + nowNs.get()));
    }

    private EventHistory read() throws IOException {
        return RecorderReader.read(folder.resolve("a.events"));
    }

    private List<RecordedEvent> events() throws IOException {
        return read().entries().stream().map(EventEntry::event).toList();
    }

    @Test
    void shouldShowWhatHappenedInOrderOfTimeWhileTheNodeRuns() throws IOException {
        // given
        final FlightRecorder recorder = recorder(2);
        // when
        recorder.ofLoop(1).record(RecordedEvent.LINK_FOUND, 30, RecordedEvent.link(0, 1), 2);
        recorder.ofLoop(0).record(RecordedEvent.POOL_EMPTY, 10, 5);
        recorder.ofLoop(1).record(RecordedEvent.CUT_OFF, 40, 9);
        recorder.ofLoop(0).record(RecordedEvent.CONTEXT_OPENED, 20, 4);
        recorder.publish();
        // then
        final EventHistory history = read();
        assertEquals(LABELS, history.labels());
        assertEquals(ProcessHandle.current().pid(), history.pid());
        assertEquals(
                List.of(
                        RecordedEvent.POOL_EMPTY,
                        RecordedEvent.CONTEXT_OPENED,
                        RecordedEvent.LINK_FOUND,
                        RecordedEvent.CUT_OFF),
                events());
        final EventEntry first = history.entries().getFirst();
        assertEquals(1, first.sequence());
        assertEquals(0, first.writer());
        assertEquals(10, first.monotonicNs());
        assertEquals(1_000_000 * SECOND + 10, first.wallNs());
        assertEquals("no receive buffer was free, 5 times", first.sentence());
    }

    @Test
    void shouldKeepTheLastEventsOfManyAndTheirOrder() throws IOException {
        // given
        final FlightRecorder recorder = recorder(1);
        final int count = EventLayout.ENTRIES + 1_000;
        // when: far enough apart that none is left out
        for (int i = 0; i < count; i++) {
            recorder.ofLoop(0).record(RecordedEvent.POOL_EMPTY, i * RecorderRing.EVENT_NS, i);
            recorder.publish();
        }
        // then
        final List<EventEntry> entries = read().entries();
        assertEquals(EventLayout.ENTRIES, entries.size());
        assertEquals(count, entries.getLast().sequence());
        assertEquals(count - 1, entries.getLast().arguments().getFirst());
        assertEquals(entries, recorder.recent());
    }

    @Test
    void shouldLimitEachKindAloneAndRecordHowManyWereLeftOut() throws IOException {
        // given
        final FlightRecorder recorder = recorder(1);
        // when
        for (int i = 0; i < 1_000; i++) {
            recorder.ofLoop(0).record(RecordedEvent.SEALS_WRONG, SECOND, 1);
        }
        recorder.ofLoop(0).record(RecordedEvent.TRUNK_LOST, SECOND, 0, 2);
        recorder.publishAll();
        // then
        assertEquals(
                RecorderRing.BURST_EVENTS,
                events().stream().filter(RecordedEvent.SEALS_WRONG::equals).count());
        assertTrue(events().contains(RecordedEvent.TRUNK_LOST));
        assertEquals(
                List.of("968 more events left out, because there were so many: seals-wrong"),
                read().entries().stream()
                        .filter(entry -> entry.event() == RecordedEvent.EVENTS_LEFT_OUT)
                        .map(EventEntry::sentence)
                        .toList());
        // and: what is left out later is recorded not before 10 s, and when the recorder is closed
        recorder.ofLoop(0).record(RecordedEvent.SEALS_WRONG, SECOND, 1);
        final int before = events().size();
        recorder.publishAll();
        assertEquals(before, events().size());
        nowNs.addAndGet(RecorderRing.EVENT_NS);
        recorder.publishAll();
        assertEquals(
                "1 more events left out, because there were so many: seals-wrong",
                read().entries().stream()
                        .filter(entry -> entry.event() == RecordedEvent.EVENTS_LEFT_OUT)
                        .toList()
                        .getLast()
                        .sentence());
    }

    @Test
    void shouldCountWhatALoopLosesWhileNobodyTakesIt() throws IOException {
        // given
        final FlightRecorder recorder = recorder(1);
        // when
        for (int i = 0; i < RecorderRing.CAPACITY + 10; i++) {
            recorder.ofLoop(0).record(RecordedEvent.CUT_OFF, i * RecorderRing.EVENT_NS, i);
        }
        recorder.publish();
        // then
        final EventEntry last = read().entries().getLast();
        assertEquals(RecorderRing.CAPACITY + 1, read().entries().size());
        assertTrue(
                read().entries().stream()
                        .anyMatch(
                                entry ->
                                        entry.event() == RecordedEvent.EVENTS_LOST
                                                && entry.arguments().getFirst() == 10),
                last.sentence());
        // and: there is room again
        recorder.ofLoop(0).record(RecordedEvent.POOL_EMPTY, 0, 1);
        recorder.publish();
        assertEquals(RecordedEvent.POOL_EMPTY, events().getLast());
    }

    @Test
    void shouldContinueTheFileOfTheLastRunAndReportThatItWasKilled() throws IOException {
        // given a run that was killed, and one that stops in order
        final FlightRecorder killed = recorder(1);
        killed.ofOthers().record(RecordedEvent.NODE_STARTED, 1, 2);
        killed.publish();
        final FlightRecorder second = recorder(1);
        second.ofOthers().record(RecordedEvent.NODE_STARTED, 1, 2);
        second.close();
        // when
        final FlightRecorder third = recorder(1);
        third.ofOthers().record(RecordedEvent.NODE_STARTED, 1, 2);
        third.publish();
        // then
        assertEquals(
                List.of(
                        RecordedEvent.NODE_STARTED,
                        RecordedEvent.RUN_LOST,
                        RecordedEvent.NODE_STARTED,
                        RecordedEvent.NODE_STOPPED,
                        RecordedEvent.NODE_STARTED),
                events());
        assertEquals(5, read().entries().getLast().sequence());
    }

    @Test
    void shouldNotContinueTheFileOfAnotherNodeOrADamagedOne() throws IOException {
        // given
        FlightRecorder.create(folder.resolve("a.events"), new EventLabels("lab", 7, 4), 1).close();
        // when
        final FlightRecorder recorder = recorder(1);
        // then
        assertEquals(List.of(), events());
        recorder.close();
        Files.writeString(folder.resolve("a.events"), "garbage");
        recorder(1).close();
        assertEquals(List.of(RecordedEvent.NODE_STOPPED), events());
    }

    @Test
    void shouldRecordStepsOfTheClockAndLateCopies() throws IOException {
        // given
        final FlightRecorder recorder = recorder(1);
        recorder.publish();
        // when
        wallNs.addAndGet(-5 * SECOND);
        recorder.publish();
        wallNs.addAndGet(FlightRecorder.STEP_NS / 2);
        recorder.publish();
        nowNs.addAndGet(2 * SECOND);
        recorder.publish();
        // then
        assertEquals(List.of(RecordedEvent.CLOCK_STEPPED, RecordedEvent.COPY_LATE), events());
        assertEquals(-5 * SECOND, read().entries().getFirst().arguments().getFirst());
    }

    @Test
    void shouldSkipATornEntryAndRestoreAFileThatWasCutShort() throws IOException {
        // given
        final FlightRecorder recorder = recorder(1);
        for (int i = 0; i < 3; i++) {
            recorder.ofLoop(0).record(RecordedEvent.CUT_OFF, i, i);
        }
        recorder.publish();
        // when
        final Path file = folder.resolve("a.events");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(
                    ByteBuffer.wrap(new byte[] {9}),
                    EventLayout.offset(2) + EventLayout.ENTRY_BYTES - 1L);
        }
        // then
        assertEquals(1, read().damaged());
        assertEquals(List.of(1L, 3L), read().entries().stream().map(EventEntry::sequence).toList());
        // and when
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(1_000);
        }
        final IOException cut = assertThrows(IOException.class, this::read);
        assertTrue(cut.getMessage().contains("cut short: it has 1000 bytes"), cut.getMessage());
        recorder.publishAll();
        assertEquals(3, read().entries().size());
    }

    @Test
    void shouldRejectEveryOtherFile() throws IOException {
        // given
        recorder(1).close();
        final Path file = folder.resolve("a.events");
        final byte[] valid = Files.readAllBytes(file);
        // then
        Files.write(file, new byte[0]);
        assertTrue(problem().contains("it has 0 bytes"), problem());
        Files.write(file, new byte[EventLayout.LENGTH_BYTES]);
        assertTrue(problem().contains("does not start with HXBEVNT1"), problem());
        final ByteBuffer other = ByteBuffer.wrap(valid.clone()).order(ByteOrder.LITTLE_ENDIAN);
        other.putInt(EventLayout.VERSION_OFFSET, 2);
        Files.write(file, other.array());
        assertTrue(problem().contains("its layout has version 2, not 1"), problem());
        final byte[] damaged = valid.clone();
        damaged[EventLayout.NODE_OFFSET]++;
        Files.write(file, damaged);
        assertTrue(problem().contains("its header is damaged"), problem());
    }

    private String problem() {
        return assertThrows(IOException.class, this::read).getMessage();
    }

    @Test
    void shouldNotAllocateInALoop() {
        // given
        final RecorderRing ring = new RecorderRing();
        for (int i = 0; i < 20_000; i++) {
            ring.record(RecordedEvent.POOL_EMPTY, i * SECOND, i);
        }
        final var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        final long id = Thread.currentThread().threadId();
        threads.getThreadAllocatedBytes(id);
        // when
        long leastBytes = Long.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            final long before = threads.getThreadAllocatedBytes(id);
            for (int i = 0; i < 100_000; i++) {
                ring.record(RecordedEvent.POOL_EMPTY, i * SECOND, i);
                ring.record(RecordedEvent.TURN_LATE, i, i, 0);
            }
            leastBytes = Math.min(leastBytes, threads.getThreadAllocatedBytes(id) - before);
        }
        // then: the JVM itself allocates now and then
        assertEquals(0, leastBytes);
    }

    @Test
    void shouldHandOverEveryEventBetweenTwoThreads() throws Exception {
        // given
        final FlightRecorder recorder = FlightRecorder.inMemory(LABELS, 1, () -> SECOND);
        final int count = 2_000;
        final Thread loop =
                new Thread(
                        () -> {
                            for (int i = 0; i < count; i++) {
                                recorder.ofLoop(0)
                                        .record(
                                                RecordedEvent.CUT_OFF,
                                                i * RecorderRing.EVENT_NS,
                                                i,
                                                2L * i,
                                                3L * i,
                                                4L * i);
                                Thread.onSpinWait();
                            }
                        });
        // when
        loop.start();
        while (loop.isAlive()) {
            recorder.publish();
        }
        loop.join();
        // then
        long lost = 0;
        long seen = 0;
        for (final EventEntry entry : recorder.recent()) {
            if (entry.event() == RecordedEvent.EVENTS_LOST) {
                lost += entry.arguments().getFirst();
            } else {
                final long i = entry.arguments().getFirst();
                assertEquals(List.of(i, 2 * i, 3 * i, 4 * i), entry.arguments());
                seen++;
            }
        }
        assertEquals(count, seen + lost);
        assertTrue(seen > 0, "nothing arrived");
    }
}
