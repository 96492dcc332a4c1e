package io.hxb.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.recorder.RecorderReader;
import io.hxb.testing.RemovedFolder;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** What others can do to a node by its counter file. */
@Tag("unit")
class CounterFileTest {
    private static final CounterLabels LABELS = new CounterLabels("lab", 1, 0, 0, 3, List.of());

    @TempDir private Path folder;
    private final List<String> warnings = new ArrayList<>();

    private Counters create(final Path file) {
        return Counters.create(file, LABELS, 1, warnings::add);
    }

    @Test
    @Timeout(20)
    void shouldCountOnAndRestoreAFileThatWasCutShort() throws IOException {
        // given
        final Path file = folder.resolve("a");
        try (Counters counters = create(file)) {
            count(counters, 41);

            // when
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(0);
            }
            counters.heartbeat(1_000);
            count(counters, 1);

            // then: the thread that publishes makes it whole again
            while (sent(file) != 42) {
                Thread.onSpinWait();
            }
        }
        assertEquals(List.of(), warnings);
        assertEquals(42, sent(file));
    }

    @Test
    void shouldMakeItsFilesAgainOnceTheirFolderIsThereAgain() throws IOException {
        // given
        final Path place = Files.createDirectory(folder.resolve("run"));
        final Path file = place.resolve("a.counters");
        final Path events = RecorderReader.fileBeside(file);
        try (Counters counters = create(file)) {
            // when: the folder is removed, as at logout
            RemovedFolder.remove(place);
            count(counters, 41);
            for (int second = 0; second < 10; second++) {
                counters.publish();
            }
            // then: one line
            assertEquals(1, warnings.size(), warnings::toString);
            assertTrue(warnings.getFirst().contains("kept in " + file), warnings.getFirst());
            assertFalse(Files.exists(place), "it was of somebody else");
            // and when
            Files.createDirectory(place);
            counters.publish();
            // then
            assertEquals(41, sent(file));
            assertTrue(Files.exists(events));
            count(counters, 1);
            counters.publish();
            assertEquals(42, sent(file));
        }
        assertEquals(1, warnings.size(), warnings::toString);
    }

    private static void count(final Counters counters, final int frames) {
        counters.ofLoop(0).add(CounterType.FLOW_SENT_FRAMES, frames);
        counters.ofLoop(0).publish();
    }

    private static long sent(final Path file) {
        try (CounterReader reader = CounterReader.open(file)) {
            return reader.sum(CounterType.FLOW_SENT_FRAMES);
        } catch (final IOException e) {
            return -1;
        }
    }

    @Test
    void shouldNotTouchAForeignFileThatAnotherUserPutsInTheWay() throws Exception {
        // given a folder in which others may write, and one of them who never tires
        final Path open = Files.createDirectory(folder.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        final Path secret = Files.createFile(folder.resolve("secret"));
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        final Thread attacker = new Thread(() -> replaceNewFiles(open, secret));
        attacker.start();

        // when
        final Counters counters;
        try {
            for (int round = 0; round < 20; round++) {
                create(open.resolve("a" + round)).close();
            }
            counters = create(open.resolve("a"));
        } finally {
            attacker.interrupt();
            attacker.join();
        }

        // then: it counts in memory, and reports why
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)));
        assertEquals(0, Files.size(secret));
        assertNotNull(counters.ofLoop(0));
        assertEquals(21, warnings.size());
        assertTrue(warnings.getFirst().contains("chmod go-w " + open), warnings.getFirst());
    }

    private static void replaceNewFiles(final Path open, final Path secret) {
        while (!Thread.interrupted()) {
            try (var files = Files.list(open)) {
                for (final Path file : files.toList()) {
                    if (file.toString().endsWith(".new") && !Files.isSymbolicLink(file)) {
                        Files.delete(file);
                        Files.createSymbolicLink(file, secret);
                    }
                }
            } catch (final IOException | java.io.UncheckedIOException e) {
                // It has its name already.
            }
        }
    }
}
