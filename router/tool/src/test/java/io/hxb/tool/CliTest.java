package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Wrong input to the command line: a clear message and the right exit status. */
@Tag("unit")
class CliTest {
    @TempDir private Path folder;

    private record Outcome(int status, String errors) {}

    @Test
    void shouldCallAnUnknownOptionWrongUsage() {
        assertEquals(ExitStatus.USAGE, run("lab", "up", "--shap", "2x2").status());
        assertEquals(ExitStatus.USAGE, run("nonsense").status());
        assertEquals(ExitStatus.USAGE, run("lab").status());
    }

    @Test
    void shouldCallAnImpossibleLabWrongUsage() {
        for (final List<String> options :
                List.of(
                        List.of("--shape", "2x300"),
                        List.of("--shape", "0x2"),
                        List.of("--shape", "1x1"),
                        List.of("--links", "9"),
                        List.of("--mtu", "12"),
                        List.of("--rate", "fast"),
                        List.of("--name", "Not a name"),
                        List.of("--backend", "tin"))) {
            final String[] arguments = {"lab", "up", options.getFirst(), options.getLast()};

            assertEquals(ExitStatus.USAGE, run(arguments).status(), options::toString);
        }
    }

    @Test
    void shouldRefuseImpossibleMeasurementsBeforeALabIsMade() {
        for (final List<String> options :
                List.of(
                        List.of("--size", "0"),
                        List.of("--count", "0"),
                        List.of("--seconds", "0"),
                        List.of("--warmup", "-1"),
                        List.of("--check", "0"),
                        List.of("--interval", "-5"))) {
            final Outcome outcome =
                    run("lab", "run", "perf", options.getFirst(), options.getLast());

            assertEquals(ExitStatus.USAGE, outcome.status(), options::toString);
            assertTrue(outcome.errors().contains(options.getFirst()), outcome::errors);
        }
    }

    @Test
    void shouldRefuseImpossibleFaultsBeforeALabIsMade() {
        for (final List<String> options :
                List.of(
                        List.of("chaos"),
                        List.of("chaos", "--random", "--script", "faults.yaml"),
                        List.of("chaos", "--random", "--faults", "0"),
                        List.of("chaos", "--random", "--sample", "1us"),
                        List.of("chaos", "--random", "--out", "picture.bmp"),
                        List.of("chaos", "--random", "--backend", "udp"),
                        List.of("perf", "--random"))) {
            final List<String> arguments = new ArrayList<>(List.of("lab", "run"));
            arguments.addAll(options);

            final Outcome outcome = run(arguments.toArray(String[]::new));

            assertEquals(ExitStatus.USAGE, outcome.status(), () -> options + outcome.errors());
        }
    }

    @Test
    void shouldReportWhereAClusterFileIsWrong() throws IOException {
        // given
        final Path file = folder.resolve("cluster.yaml");
        Files.writeString(
                file,
                """
                name: x
                shape: 2x2
                backend: udp
                links: {x: 1, y: 1}
                colour: blue
                pool: {buffers: 1}
                """);

        // when
        final Outcome outcome = run("node", "--config", file.toString(), "--node", "0,0");

        // then
        assertEquals(ExitStatus.USAGE, outcome.status());
        assertTrue(outcome.errors().contains("cluster.yaml:5"), outcome.errors());
        assertTrue(outcome.errors().contains("colour"), outcome.errors());
        assertTrue(outcome.errors().contains("cluster.yaml:6"), outcome.errors());
    }

    @Test
    void shouldReportThatAFileIsNoYaml() throws IOException {
        final Path file = folder.resolve("cluster.yaml");
        Files.writeString(file, "name: [x\nshape: }\n");

        final Outcome outcome = run("node", "--config", file.toString());

        assertEquals(ExitStatus.USAGE, outcome.status());
        assertTrue(outcome.errors().contains("cluster.yaml:"), outcome.errors());
    }

    @Test
    void shouldReportThatAClusterFileIsNotThere() {
        final Outcome outcome = run("doctor", "--config", folder.resolve("none.yaml").toString());

        assertEquals(ExitStatus.FAILED, outcome.status());
    }

    @Test
    void shouldOfferJsonWithEveryCommandThatReports() {
        // 'exec' prints what a command of the user's prints, 'cat' what the peer sends,
        // 'slurm' a script, 'mpirun' what the ranks print.
        final List<String> without = new ArrayList<>();
        collectWithoutJson(Hxb.commandLine(), without);
        assertEquals(List.of("cat", "exec", "mpirun", "slurm"), without.stream().sorted().toList());
    }

    private static void collectWithoutJson(final CommandLine command, final List<String> found) {
        command.getSubcommands().values().forEach(inner -> collectWithoutJson(inner, found));
        final CommandLine.Model.CommandSpec spec = command.getCommandSpec();
        if (command.getSubcommands().isEmpty()
                && !spec.usageMessage().hidden()
                && spec.findOption("--json") == null) {
            found.add(spec.name());
        }
    }

    @Test
    void shouldReportThatACounterFileIsNone() throws IOException {
        final Path file =
                Files.writeString(folder.resolve("a.counters"), "this is not a counter file");

        final Outcome outcome = run("stat", file.toString());

        assertEquals(ExitStatus.FAILED, outcome.status());
        assertTrue(outcome.errors().contains("is not a counter file"), outcome.errors());
    }

    private static Outcome run(final String... arguments) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final int status = Hxb.run(arguments, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return new Outcome(status, bytes.toString(StandardCharsets.UTF_8));
    }
}
