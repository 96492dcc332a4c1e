package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Every command that reports, as a program would use it: {@code --json} prints one object a line
 * and nothing else, {@code ok} agrees with the exit status, jq reads it, and what cannot be written
 * is not a success.
 */
@Tag("system")
class ReportingSystemTest {
    /** Tested where their networks, processes and files are made. */
    private static final Set<String> ELSEWHERE =
            Set.of(
                    "node",
                    "capture",
                    "chaos",
                    "init",
                    "help",
                    "lab host",
                    "lab perf",
                    "lab ping",
                    "lab run",
                    "lab up",
                    "lab down",
                    "perf",
                    "sim",
                    "demo",
                    "key",
                    "optimise",
                    "manager",
                    "map",
                    "route",
                    "expose",
                    "forward",
                    "socks",
                    "web");

    /** Commands that run together. */
    private static final int AT_ONCE = 3;

    @TempDir private Path folder;
    private final String lab = "reporting-" + ProcessHandle.current().pid();

    private Map<String, List<String>> commands() throws IOException {
        final Path graph = Files.writeString(folder.resolve("g.edges"), "0 1\n1 2\n2 0\n");
        final Map<String, List<String>> commands = new LinkedHashMap<>();
        commands.put("lab status", List.of());
        commands.put("ping", words("1 --count 5 --interval 0.1 --name " + lab));
        commands.put("trace", words("1 --count 5 --name " + lab));
        commands.put("stat", words("--name " + lab));
        commands.put("flows", words("--name " + lab));
        commands.put("top", words("--count 1 --interval 0.1 --name " + lab));
        commands.put("doctor", words("--name " + lab));
        commands.put("events", words("--name " + lab));
        commands.put("report", words("--out " + folder.resolve("report.zip") + " --name " + lab));
        commands.put("plan compare", words("--graph " + graph + " --algorithms updown-bfs"));
        commands.put("plan routes", words("--graph " + graph + " --algorithm updown-bfs"));
        commands.put("plan vlan", words("--graph " + graph));
        final Path cluster =
                Files.writeString(
                        folder.resolve("ip.yaml"),
                        "shape: 2\nlinks: 1\nip: {prefix: 10.77.0.0/16}\n");
        commands.put("ip", words("--hosts --config " + cluster));
        commands.put("plan check", words("--lfts " + graph + " --topology " + graph));
        return commands;
    }

    private static List<String> words(final String text) {
        return Arrays.asList(text.split(" ", -1));
    }

    private HxbProcess hxb(final String command, final List<String> more, final String... options)
            throws IOException {
        final List<String> arguments = new ArrayList<>(words(command));
        arguments.addAll(more);
        arguments.addAll(List.of(options));
        return HxbProcess.start(folder, arguments.toArray(String[]::new));
    }

    @Test
    void shouldKnowEveryCommandThatReports() throws IOException {
        final Set<String> found = new TreeSet<>();
        collect(Hxb.commandLine(), found);
        final Set<String> known = new TreeSet<>(commands().keySet());
        known.addAll(ELSEWHERE);

        found.removeIf(
                name ->
                        known.contains(name)
                                || known.stream().anyMatch(k -> name.startsWith(k + " ")));
        assertEquals(Set.of(), found, "give these commands a line above");
    }

    private static void collect(final CommandLine command, final Set<String> found) {
        command.getSubcommands().values().forEach(inner -> collect(inner, found));
        if (command.getSubcommands().isEmpty()
                && command.getCommandSpec().findOption("--json") != null) {
            found.add(command.getCommandSpec().qualifiedName().substring("hxb ".length()));
        }
    }

    @Test
    void shouldPrintObjectsForProgramsAndFailWhereNothingCanBeWritten() throws Exception {
        final List<String> options =
                words("--shape 2 --links 1 --backend udp --processes --name " + lab);
        try (HxbProcess up = hxb("lab up", options, "--json")) {
            assertObjects("lab up", up);
            final List<String> names = List.copyOf(commands().keySet());
            for (int first = 0; first < names.size(); first += AT_ONCE) {
                assertObjects(names.subList(first, Math.min(first + AT_ONCE, names.size())));
            }
            assertFullDevicesFail();
        } finally {
            try (HxbProcess down = hxb("lab down", List.of("--name", lab), "--json")) {
                assertObjects("lab down", down);
            }
        }
    }

    private void assertObjects(final List<String> names) throws Exception {
        final List<HxbProcess> runs = new ArrayList<>();
        try {
            for (final String name : names) {
                runs.add(hxb(name, commands().get(name), "--json"));
            }
            for (int i = 0; i < names.size(); i++) {
                assertObjects(names.get(i), runs.get(i));
            }
        } finally {
            runs.forEach(HxbProcess::close);
        }
    }

    /** Ends with a command that has been started with {@code --json}. */
    static void assertObjects(final String name, final HxbProcess run) throws Exception {
        final int status = run.status();
        final List<String> lines = run.output().lines().toList();
        assertFalse(lines.isEmpty(), () -> name + " printed nothing: " + run.errors());
        for (final String line : lines) {
            final Map<?, ?> object = Json.parse(line, Map.class, name);
            assertTrue(object.get("ok") instanceof Boolean, () -> name + ": " + line);
        }
        assertEquals(
                status == ExitStatus.OK,
                run.json().get("ok"),
                () -> name + " ended with " + status);
        assertJqReads(name, run);
    }

    private static void assertJqReads(final String name, final HxbProcess run) throws Exception {
        if (!Files.isExecutable(Path.of("/usr/bin/jq"))) {
            return;
        }
        final Process jq =
                new ProcessBuilder("/usr/bin/jq", "-e", ".ok | type == \"boolean\"")
                        .redirectInput(run.outputFile())
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        assertEquals(0, jq.waitFor(), name);
    }

    /** One command of each kind: tables, measurements, plans, JSON and text. */
    private void assertFullDevicesFail() throws Exception {
        final Map<String, Process> runs = new LinkedHashMap<>();
        final Map<String, Path> errors = new LinkedHashMap<>();
        for (final String command :
                List.of("lab status", "lab status --json", "plan compare", "stat", "ping --json")) {
            final String name = command.replace(" --json", "");
            final List<String> arguments = new ArrayList<>(words(name));
            arguments.addAll(commands().get(name));
            arguments.addAll(command.equals(name) ? List.of() : List.of("--json"));
            errors.put(command, Files.createTempFile(folder, "full", ".txt"));
            final ProcessBuilder builder =
                    new ProcessBuilder(FastStart.command(arguments.toArray(String[]::new)))
                            .redirectInput(new File("/dev/null"))
                            .redirectOutput(new File("/dev/full"))
                            .redirectError(errors.get(command).toFile());
            builder.environment().put("HXB_RUN", folder.resolve("run").toString());
            runs.put(command, builder.start());
        }
        for (final String command : runs.keySet()) {
            final Process run = runs.get(command);
            assertTrue(run.waitFor(60, TimeUnit.SECONDS), command);
            assertEquals(ExitStatus.FAILED, run.exitValue(), command);
            assertEquals(
                    "hxb: cannot write to standard output: No space left on device",
                    Files.readString(errors.get(command)).strip(),
                    command);
        }
    }
}
