package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.tool.lab.LabNames;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Faults by the real command line, with nodes as processes. */
@Tag("system")
class ChaosSystemTest {
    @TempDir private Path folder;

    private final String name = "c" + ProcessHandle.current().pid();

    private HxbProcess chaos(final String script, final String... options) throws IOException {
        final Path file = folder.resolve("faults.yaml");
        Files.writeString(file, script);
        final List<String> arguments =
                new ArrayList<>(List.of("lab", "run", "chaos", "--name", name, "--json"));
        arguments.addAll(List.of("--warmup", "0.5", "--script", file.toString()));
        arguments.addAll(List.of(options));
        return HxbProcess.start(folder, arguments.toArray(String[]::new));
    }

    private static void assertNothingLost(final Map<?, ?> report) {
        assertEquals(true, report.get("ok"), report::toString);
        for (final String count : new String[] {"lost", "duplicated", "reordered", "corrupt"}) {
            assertEquals(0, report.get(count), report::toString);
        }
        assertTrue((int) report.get("messages") > 0, report::toString);
    }

    private static List<?> actions(final Map<?, ?> report) {
        return ((List<?>) report.get("faults"))
                .stream().map(fault -> ((Map<?, ?>) fault).get("action")).toList();
    }

    @Test
    void shouldLoseNothingWhileACableIsPulledAndANodeIsKilledAndStartedAgain() throws Exception {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
        final Path samples = folder.resolve("samples.json");
        try (HxbProcess hxb =
                chaos(
                        """
                        - {at: 300ms, pull: "x.0 of (0)", for: 500ms}
                        - {at: 1s, damage: "x.1 of (1)", drop: 20%, corrupt: 20%, for: 300ms}
                        - {at: 1500ms, kill: "(1)", for: 500ms}
                        - {at: 3s, pause: "(1)", for: 100ms}
                        """,
                        "--shape",
                        "2",
                        "--links",
                        "2",
                        "--backend",
                        "raw",
                        "--rate",
                        "100mbit",
                        "--seconds",
                        "4",
                        "--out",
                        samples.toString())) {
            // when
            final int status = hxb.status();

            // then
            assertEquals(ExitStatus.OK, status, hxb::errors);
            final Map<?, ?> report = hxb.json();
            assertNothingLost(report);
            assertEquals(
                    List.of(
                            "pull", "restore", "damage", "restore", "kill", "restart", "pause",
                            "resume"),
                    actions(report));
            assertTrue((int) report.get("dropped_frames") > 0, report::toString);
            assertFalse(((List<?>) report.get("errors")).isEmpty(), report::toString);
            final Map<?, ?> all = Json.parse(Files.readString(samples), Map.class, "samples");
            final Map<?, ?> pair = (Map<?, ?>) ((List<?>) all.get("pairs")).getFirst();
            assertEquals(400, ((List<?>) pair.get("MBps")).size());
            assertEquals(4, ((List<?>) all.get("links")).size());
            assertEquals(0, namespaces());
        }
    }

    @Test
    void shouldLeaveALabThatIsUpWhole() throws Exception {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
        // given
        final Path script = folder.resolve("up.yaml");
        Files.writeString(
                script,
                """
                - {at: 200ms, pull: "x.0 of (0)"}
                - {at: 400ms, down: "x.1 of (1)", for: 200ms}
                - {at: 700ms, kill: "(1)"}
                """);
        lab("up", "--name", name, "--shape", "2", "--backend", "raw", "--processes");
        try {
            // when
            final Map<?, ?> report =
                    run(
                            "chaos",
                            "--name",
                            name,
                            "--warmup",
                            "0.5",
                            "--seconds",
                            "1.7",
                            "--script",
                            script.toString(),
                            "--json");
            // then
            assertNothingLost(report);
            assertEquals(List.of("pull", "down", "restore", "kill"), actions(report));
            run("lab", "exec", "--name", name, "0", "--", "true");
        } finally {
            lab("down", "--name", name);
        }
        assertEquals(0, namespaces());
    }

    /** Where nothing depends on the process of the command. */
    private void lab(final String... arguments) throws Exception {
        final List<String> command = new ArrayList<>(List.of("lab"));
        command.addAll(List.of(arguments));
        try (HxbProcess hxb = HxbProcess.run(folder, command.toArray(String[]::new))) {
            assertEquals(ExitStatus.OK, hxb.status(), hxb::errors);
        }
    }

    private Map<?, ?> run(final String... arguments) throws Exception {
        try (HxbProcess hxb = HxbProcess.start(folder, arguments)) {
            assertEquals(ExitStatus.OK, hxb.status(), hxb::errors);
            return arguments[arguments.length - 1].equals("--json") ? hxb.json() : Map.of();
        }
    }

    @Test
    void shouldKillNodesOverUdpAndRefuseToCutWhatIsNoCable() throws Exception {
        try (HxbProcess hxb =
                chaos(
                        "- {at: 200ms, kill: \"(1)\", for: 500ms}\n",
                        "--seconds",
                        "1.7",
                        "--shape",
                        "3",
                        "--to",
                        "2",
                        "--backend",
                        "udp")) {
            assertEquals(ExitStatus.OK, hxb.status(), hxb::errors);
            assertNothingLost(hxb.json());
        }
        try (HxbProcess hxb =
                chaos("- {at: 0s, pull: \"x.0 of (1)\"}\n", "--shape", "2", "--backend", "udp")) {
            assertEquals(ExitStatus.FAILED, hxb.status());
            assertTrue(hxb.errors().contains("there is no cable to pull"), hxb::errors);
            assertFalse(Files.exists(folder.resolve("run/labs/" + name + ".json")));
        }
    }

    @Test
    void shouldReportWhatIsWrongBeforeALabIsMade() throws Exception {
        try (HxbProcess hxb = chaos("- {at: 0s, smash: \"x.0 of (1)\"}\n", "--shape", "2")) {
            assertEquals(ExitStatus.USAGE, hxb.status());
            assertTrue(hxb.errors().contains("faults.yaml:1: 'smash' is not known"), hxb::errors);
            assertFalse(Files.exists(folder.resolve("run")), hxb::errors);
        }
    }

    private long namespaces() throws IOException {
        try (var files = Files.list(Path.of("/run/netns"))) {
            return files.map(file -> LabNames.labOf(file.getFileName().toString()))
                    .filter(lab -> lab.isPresent() && lab.get().equals(name))
                    .count();
        }
    }
}
