package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterLabels;
import io.hxb.counter.Counters;
import io.hxb.counter.OpenCounters;
import io.hxb.recorder.RecordedEvent;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What {@code hxb events} and {@code hxb doctor --explain} print of nodes that ran or died. */
@Tag("unit")
class EventsCliTest {
    @RegisterExtension private final OpenCounters open = new OpenCounters();

    @TempDir private Path folder;

    /** A node that records and is never closed, as one that was killed. */
    private Counters node(final int node) {
        final CounterLabels labels = new CounterLabels("ev", 1, node, node, 1, List.of());
        return open.create(
                folder.resolve("ev-" + node + ".counters"), labels, 1, AssertionError::new);
    }

    private Path cluster() throws IOException {
        return Files.writeString(
                folder.resolve("cluster.yaml"),
                "name: ev\nshape: 2\nbackend: udp\nlinks: {x: 2}\nattach: {directory: "
                        + folder
                        + ", countersDirectory: "
                        + folder
                        + "}\n");
    }

    private void twoNodes() {
        final Counters first = node(0);
        final Counters second = node(1);
        final long nowNs = System.nanoTime();
        first.ofLoop(0)
                .events()
                .record(RecordedEvent.LINK_SILENT, nowNs, RecordedEvent.link(0, 1), 1, 12_000_000);
        second.ofLoop(0).events().record(RecordedEvent.CONTEXT_OPENED, nowNs - 1_000_000, 7);
        second.recorder().ofOthers().record(RecordedEvent.CUT_OFF, 0);
        first.publish();
        second.publish();
    }

    private static List<String> sentences(final HxbOutput output) {
        return output.text().lines().map(line -> line.replaceFirst("^\\S+ \\S+  ", "")).toList();
    }

    @Test
    void shouldMergeTheEventsOfAllNodesInOrderOfTime() throws IOException {
        // given
        twoNodes();
        // when
        final HxbOutput output = HxbOutput.of("events", "--config", cluster().toString());
        // then
        assertEquals(ExitStatus.OK, output.status(), output::errors);
        assertEquals(
                List.of(
                        "node 1  info     context 7 is open",
                        "node 0  warning  link x.1 to node 1 excluded: nothing arrived for 12 ms"
                                + " while other links carried frames",
                        "node 1  error    no route to node 0 is left"),
                sentences(output));
        assertTrue(
                output.text().matches("(?s)\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3} .*"));
    }

    @Test
    void shouldSelectNodesKindsSeveritiesAndTimes() throws IOException {
        // given
        twoNodes();
        final String config = cluster().toString();
        // then
        assertEquals(2, lines("--config", config, "--node", "1"));
        assertEquals(1, lines("--config", config, "--type", "link-*"));
        assertEquals(2, lines("--config", config, "--type", "cut-off,context-opened"));
        assertEquals(1, lines("--config", config, "--severity", "error"));
        assertEquals(3, lines("--config", config, "--since", "1h"));
        assertEquals(0, lines("--config", config, "--since", "0"));
        assertEquals(2, lines("--config", config, "--count", "2"));
        assertEquals(2, lines("--config", config, "--follow", "--count", "2"));
        assertEquals(1, lines(folder.resolve("ev-0.events").toString()));
    }

    @Test
    void shouldCallNodesByTheNamesOfTheirHosts() throws IOException {
        // given
        twoNodes();
        final Path file = cluster();
        Files.writeString(file, Files.readString(file) + "hosts: {pc-a: 0, pc-b: 1}\n");
        // when
        final HxbOutput output =
                HxbOutput.of("events", "--config", file.toString(), "--node", "PC-B");
        // then
        assertEquals(
                List.of(
                        "pc-b  info     context 7 is open",
                        "pc-b  error    no route to pc-a is left"),
                sentences(output));
        final HxbOutput explained =
                HxbOutput.of("doctor", "--config", file.toString(), "--explain", "-1s");
        assertTrue(explained.text().contains("  pc-b  error"), explained::text);
        assertTrue(explained.text().contains("x.1 to pc-b excluded"), explained::text);
        final HxbOutput alone =
                HxbOutput.of("events", "--node", "pc-b", folder.resolve("ev-0.events").toString());
        assertEquals(ExitStatus.USAGE, alone.status());
        assertTrue(alone.errors().contains("give an id"), alone::errors);
    }

    private static int lines(final String... options) {
        final String[] words = new String[options.length + 1];
        words[0] = "events";
        System.arraycopy(options, 0, words, 1, options.length);
        final HxbOutput output = HxbOutput.of(words);
        assertEquals(ExitStatus.OK, output.status(), output::errors);
        return output.text().lines().toList().size();
    }

    @Test
    void shouldPrintObjectsForPrograms() throws IOException {
        // given
        twoNodes();
        // when
        final HxbOutput output = HxbOutput.of("events", "--config", cluster().toString(), "--json");
        // then
        final List<String> lines = output.text().lines().toList();
        assertEquals(4, lines.size());
        final Map<?, ?> event = Json.parse(lines.get(1), Map.class, "event");
        assertEquals("link-silent", event.get("event"));
        assertEquals("warning", event.get("severity"));
        assertEquals(0, event.get("loop"));
        assertEquals(
                Map.of("link", "x.1", "node", 1, "silence_ns", 12_000_000), event.get("arguments"));
        final Map<?, ?> summary = Json.parse(lines.getLast(), Map.class, "summary");
        assertEquals(3, summary.get("events"));
        assertEquals(true, summary.get("ok"));
    }

    @Test
    void shouldShowTheOthersAndFailWhenAFileCannotBeRead() throws IOException {
        // given
        twoNodes();
        Files.writeString(folder.resolve("ev-0.events"), "garbage");
        // when
        final HxbOutput output = HxbOutput.of("events", "--config", cluster().toString());
        // then
        assertEquals(ExitStatus.FAILED, output.status());
        assertEquals(2, output.text().lines().count());
    }

    @Test
    void shouldReportWhenNoNodeHasRunHere() throws IOException {
        final HxbOutput output = HxbOutput.of("events", "--config", cluster().toString());
        assertEquals(ExitStatus.FAILED, output.status());
        assertTrue(
                output.errors().contains("no node of cluster ev has recorded events here"),
                output::errors);
    }

    @Test
    void shouldExplainAMoment() throws IOException {
        // given
        twoNodes();
        final String config = cluster().toString();
        // when
        final HxbOutput output = HxbOutput.of("doctor", "--config", config, "--explain", "-1s");
        final HxbOutput json =
                HxbOutput.of("doctor", "--config", config, "--explain", "-1s", "--json");
        final HxbOutput before =
                HxbOutput.of("doctor", "--config", config, "--explain", "-1h", "--around", "1m");
        // then
        assertEquals(ExitStatus.OK, output.status(), output::errors);
        assertTrue(output.text().lines().toList().get(1).startsWith("first cause: "), output::text);
        assertTrue(output.text().lines().toList().get(1).contains("link x.1"), output::text);
        final Map<?, ?> report = Json.parse(json.text(), Map.class, "explanation");
        assertEquals("link-silent", ((Map<?, ?>) report.get("cause")).get("event"));
        assertEquals(3, ((List<?>) report.get("events")).size());
        assertTrue(before.text().startsWith("nothing was recorded"), before::text);
        assertFalse(before.text().contains("cause"), before::text);
    }
}
