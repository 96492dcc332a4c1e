package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.recorder.EventEntry;
import io.hxb.recorder.EventHistory;
import io.hxb.recorder.RecordedEvent;
import io.hxb.recorder.RecorderReader;
import io.hxb.testing.TestPorts;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A node that is killed, started again and stopped: what its recorder and its log have of that. */
@Tag("system")
class RecorderSystemTest {
    private static final int ENDED_BY_SIGTERM = 143;

    @TempDir private Path folder;

    private HxbProcess start(final Path file) throws IOException {
        final HxbProcess node =
                HxbProcess.start(folder, "node", "--config", file.toString(), "--node", "0");
        node.await("the node is up", () -> node.output().contains(" is up: "));
        return node;
    }

    private EventHistory read() throws IOException {
        return RecorderReader.read(folder.resolve("black-0.events"));
    }

    @Test
    void shouldShowHowTheLastRunsEnded() throws Exception {
        // given
        final Path file =
                Files.writeString(
                        folder.resolve("cluster.yaml"),
                        "name: black\nshape: 2\nbackend: udp\nlinks: {x: 1}\nudp: {basePort: "
                                + TestPorts.take(4)
                                + "}\nnodes: {1: {host: localhost}}\nattach: {directory: "
                                + folder
                                + ", countersDirectory: "
                                + folder
                                + "}\n");
        final long killed;
        try (HxbProcess node = start(file)) {
            killed = node.process().pid();
            node.await(
                    "it records",
                    () -> has(RecordedEvent.NODE_STARTED, 1) && count(RecordedEvent.LINK_UP) > 0);
            // when it is killed
            node.process().destroyForcibly().waitFor();
        }
        assertTrue(count(RecordedEvent.LINK_UP) > 0, read().entries()::toString);
        try (HxbProcess node = start(file)) {
            node.await("it records", () -> has(RecordedEvent.NODE_STARTED, 2));
            // and when the next one is stopped in order
            node.process().destroy();
            assertEquals(ENDED_BY_SIGTERM, node.process().waitFor());
            // then
            assertTrue(
                    node.errors().contains("node 0 of cluster black ends: SIGTERM"), node::errors);
        }
        final List<EventEntry> entries = read().entries();
        final EventEntry lost =
                entries.stream()
                        .filter(entry -> entry.event() == RecordedEvent.RUN_LOST)
                        .findFirst()
                        .orElseThrow();
        assertEquals(killed, lost.arguments().getFirst());
        assertEquals(RecordedEvent.NODE_STOPPED, entries.getLast().event());
        assertEquals(
                List.of("the node ends: SIGTERM"),
                entries.stream()
                        .filter(entry -> entry.event() == RecordedEvent.NODE_ENDING)
                        .map(EventEntry::sentence)
                        .toList());
    }

    private boolean has(final RecordedEvent event, final int count) {
        return count(event) == count;
    }

    /** How many of these the file has; 0 while there is none. */
    private long count(final RecordedEvent event) {
        try {
            return read().entries().stream().filter(entry -> entry.event() == event).count();
        } catch (final IOException e) {
            return 0;
        }
    }
}
