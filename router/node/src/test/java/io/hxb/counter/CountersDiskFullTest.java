package io.hxb.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.linux.Errno;
import io.hxb.recorder.EventEntry;
import io.hxb.recorder.EventLabels;
import io.hxb.recorder.FlightRecorder;
import io.hxb.recorder.RecordedEvent;
import io.hxb.recorder.RecorderReader;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

@Tag("system")
class CountersDiskFullTest {
    private static int run(final String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static void mount(final Path folder, final int kilobytes)
            throws IOException, InterruptedException {
        final String size = "size=%dk,mode=755".formatted(kilobytes);
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", size, "hxbt", folder.toString()) == 0,
                "skipped: a small disk can be mounted by root only");
    }

    @Test
    void shouldWarnAndCountInMemoryWhenTheDiskIsFull(@TempDir final Path folder)
            throws IOException, InterruptedException {
        // given
        mount(folder, 16);
        try {
            final List<String> warnings = new ArrayList<>();
            final CounterLabels labels = new CounterLabels("lab", 1, 0, 0, 3, List.of());
            // when
            final Counters counters =
                    Counters.create(folder.resolve("a"), labels, 1, warnings::add);
            counters.ofLoop(0).increment(CounterType.FLOW_SENT_FRAMES);
            counters.ofLoop(0).publish();
            // then
            assertEquals(1, counters.sum(CounterType.FLOW_SENT_FRAMES));
            assertNull(counters.file());
            assertEquals(1, warnings.size());
            assertTrue(warnings.get(0).contains("no space left"), warnings.get(0));
            try (var files = Files.list(folder)) {
                assertEquals(List.of(), files.toList());
            }
        } finally {
            run("umount", folder.toString());
        }
    }

    @Test
    void shouldRecordThatEventsCouldNotBeWrittenOnceThereIsRoomAgain(@TempDir final Path folder)
            throws IOException, InterruptedException {
        // given: somebody has cut the file short, and something else has taken its room
        mount(folder, 300);
        final Path file = folder.resolve("a.events");
        try (FlightRecorder recorder =
                FlightRecorder.create(file, new EventLabels("lab", 1, 0), 1)) {
            Files.write(file, new byte[0]);
            final Path other = folder.resolve("b");
            Files.createFile(other);
            assertThrows(IOException.class, () -> Files.write(other, new byte[1 << 20]));
            // when
            recorder.ofLoop(0).record(RecordedEvent.CUT_OFF, System.nanoTime(), 9);
            recorder.publish();
            Files.delete(other);
            recorder.publish();
            // then
            final List<EventEntry> entries = RecorderReader.read(file).entries();
            assertEquals(
                    List.of(RecordedEvent.CUT_OFF, RecordedEvent.COPY_FAILED),
                    entries.stream().map(EventEntry::event).toList());
            assertEquals(
                    "counters and events could not be written: errno " + Errno.ENOSPC,
                    entries.getLast().sentence());
        } finally {
            run("umount", folder.toString());
        }
    }
}
