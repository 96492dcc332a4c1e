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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipFile;

/** What {@code hxb report} packs, and what it does not. */
@Tag("system")
class ReportCliTest {
    private static final byte[] SECRET = HexFormat.of().parseHex("5b".repeat(16) + "c7".repeat(16));

    @RegisterExtension private final OpenCounters open = new OpenCounters();

    @TempDir private Path folder;

    private Path cluster() throws IOException {
        final Path key = folder.resolve("cluster.key");
        Files.writeString(key, "hxb-key-1\n" + HexFormat.of().formatHex(SECRET) + "\n");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        return Files.writeString(
                folder.resolve("cluster.yaml"),
                "name: rep\nshape: 2\nbackend: udp\nlinks: {x: 2}\n# token: hunter2, once "
                        + Base64.getEncoder().encodeToString(SECRET)
                        + "\nsecurity: {mode: encrypt, keys: ["
                        + key
                        + "]}\nattach: {directory: "
                        + folder
                        + ", countersDirectory: "
                        + folder
                        + "}\n");
    }

    private Map<String, String> parts(final Path file) throws IOException {
        final Map<String, String> parts = new LinkedHashMap<>();
        try (ZipFile zip = new ZipFile(file.toFile())) {
            for (final var entry : zip.stream().toList()) {
                parts.put(
                        entry.getName(),
                        new String(
                                zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return parts;
    }

    private HxbOutput report(final Path cluster, final Path file, final String... more) {
        final List<String> words =
                new java.util.ArrayList<>(
                        List.of(
                                "report",
                                "--config",
                                cluster.toString(),
                                "--node",
                                "0",
                                "--out",
                                file.toString()));
        words.addAll(List.of(more));
        return HxbOutput.of(words.toArray(String[]::new));
    }

    @Test
    void shouldPackADeadNodeWithoutAnySecret() throws IOException {
        // given a node that was never closed, as one that was killed
        final Path file = folder.resolve("report.zip");
        final Counters dead =
                open.create(
                        folder.resolve("rep-0.counters"),
                        new CounterLabels("rep", 1, 0, 0, 1, List.of()),
                        1,
                        AssertionError::new);
        dead.recorder().ofOthers().record(RecordedEvent.CUT_OFF, 1);
        dead.heartbeat(1_000);
        dead.publish();
        // when
        final HxbOutput output = report(cluster(), file, "--json");
        // then
        assertEquals(ExitStatus.OK, output.status(), output::errors);
        final Map<String, String> parts = parts(file);
        assertTrue(
                parts.keySet()
                        .containsAll(
                                List.of(
                                        "contents.txt",
                                        "cluster.yaml",
                                        "events.txt",
                                        "events.json",
                                        "node-0/counters.txt",
                                        "versions.txt",
                                        "limits.txt",
                                        "doctor.json")),
                parts.keySet()::toString);
        assertTrue(parts.get("events.txt").contains("no route to node 1 is left"));
        assertTrue(parts.get("node-0/counters.txt").startsWith("state dead"));
        assertTrue(parts.get("versions.txt").contains("Linux version"));
        assertTrue(parts.get("cluster.yaml").contains("name: rep"));
        final String all = String.join("\n", parts.values());
        for (final String secret :
                List.of(
                        "5b5b5b5b",
                        "5B5B5B5B",
                        Base64.getEncoder().encodeToString(SECRET).substring(0, 16),
                        "hunter2")) {
            assertFalse(all.contains(secret), secret);
        }
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        final Map<?, ?> report = Json.parse(output.text(), Map.class, "report");
        assertEquals(file.toString(), report.get("file"));
        assertTrue(((List<?>) report.get("contents")).contains("events.txt"));
    }

    @Test
    void shouldReportWhatIsNotThereWhenNothingHasRun() throws IOException {
        // given
        final Path file = folder.resolve("report.zip");
        // when
        final HxbOutput output = report(cluster(), file);
        // then
        assertEquals(ExitStatus.OK, output.status(), output::errors);
        assertTrue(
                output.text().contains("events: no node of cluster rep has run here"),
                output::text);
        assertTrue(output.text().contains("keys, tokens and passphrases: a fingerprint"));
        assertTrue(parts(file).get("contents.txt").contains("no node of cluster rep has run here"));
        // and: a report that is there is not replaced
        final HxbOutput again = report(cluster(), file);
        assertEquals(ExitStatus.FAILED, again.status());
        assertTrue(again.errors().contains("is there already"), again::errors);
    }
}
