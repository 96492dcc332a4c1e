package io.hxb.bench.booksim;

import io.hxb.tool.report.Json;
import io.hxb.tool.report.ToolException;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;

/**
 * {@code benchmarks/run booksim}: both simulators in turns, each in a fresh process, on one machine
 * in one session. Used by the main thread.
 */
@Command(
        name = "run booksim",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        header = "Compare latency and speed with BookSim 2, in turns.",
        description = {
            "Needs a BookSim 2 program (github.com/booksim/booksim2, compiled as described in its"
                    + " README). Write one JSON object a case, and the same as rows of a table."
        })
public final class BookSimBench implements Callable<Integer> {
    @Option(
            names = "--program",
            paramLabel = "FILE",
            required = true,
            description = "run this BookSim 2 program")
    private Path program;

    @Option(
            names = "--hxb",
            paramLabel = "FILE",
            description = "compare this hxb (default: deploy/hxb of this repository)")
    private Path hxb;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "run each this many times, in turns (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(
            names = "--sample",
            paramLabel = "CYCLES",
            defaultValue = "20000",
            description =
                    "measure for this many cycles, after twice as many (default: "
                            + "${DEFAULT-VALUE})")
    private long sample;

    @Option(
            names = "--only",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "run only cases whose name has this text, such as 'mesh 8x8 at 0.05'")
    private String only;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description =
                    "write JSON lines to this file, and a table to the file of the same "
                            + "name with .md (default: benchmarks/results/booksim.json)")
    private Path out;

    private final Path root = Path.of(System.getProperty("hxb.root", "."));
    private Path folder;

    /** Picocli makes it. */
    BookSimBench() {}

    /** Runs the comparison and ends the process with its exit status. */
    public static void main(final String[] arguments) {
        final CommandLine line = new CommandLine(new BookSimBench());
        line.setExecutionExceptionHandler(
                (thrown, command, parsed) -> {
                    System.err.println("run booksim: " + thrown.getMessage());
                    return 1;
                });
        System.exit(line.execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!Files.isExecutable(program)) {
            throw new ToolException(
                    program
                            + " is not a program; compile BookSim 2 (github.com/booksim/booksim2)"
                            + " and give its path with --program");
        }
        final Path json =
                out == null ? root.resolve("benchmarks").resolve("results/booksim.json") : out;
        folder = Files.createTempDirectory("hxb-booksim");
        final List<String> objects = new ArrayList<>();
        final List<String> rows = new ArrayList<>(Rows.HEAD);
        // The first call builds what it runs.
        start(hxbCommand(List.of("--version")));
        for (final Case one : Case.all()) {
            if (one.title().contains(only)) {
                final Map<String, Object> result = compare(one);
                objects.add(Json.line(result));
                rows.add(Rows.of(result));
                System.out.println(rows.getLast());
                Files.write(json, objects);
                Files.write(table(json), rows);
            }
        }
        clean();
        return 0;
    }

    private static Path table(final Path json) {
        final String name = json.getFileName().toString().replaceFirst("[.]json$", "");
        return json.resolveSibling(name + ".md");
    }

    private void clean() throws IOException {
        try (var files = Files.list(folder)) {
            for (final Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    /** Every round has a seed of its own, and starts with the other program. */
    private Map<String, Object> compare(final Case one) throws IOException, InterruptedException {
        final List<Measured> theirs = new ArrayList<>();
        final List<Measured> ours = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            final boolean isOursFirst = round % 2 == 1;
            if (isOursFirst) {
                ours.add(ours(one, round + 1));
            }
            theirs.add(theirs(one, round + 1));
            if (!isOursFirst) {
                ours.add(ours(one, round + 1));
            }
        }
        final Map<String, Object> result = new LinkedHashMap<>();
        result.put("case", one.title());
        result.put("hxb", String.join(" ", one.hxbArguments(Path.of(""), sample, 1)));
        result.put("rounds", rounds);
        result.put("cycles", 3 * sample);
        result.put("booksim_latency", all(theirs, Measured::latency));
        result.put("hxb_latency", all(ours, Measured::latency));
        result.put("booksim_accepted", all(theirs, Measured::accepted));
        result.put("hxb_accepted", all(ours, Measured::accepted));
        result.put("booksim_seconds", all(theirs, Measured::seconds));
        result.put("hxb_seconds", all(ours, Measured::seconds));
        result.put("booksim_process_seconds", all(theirs, Measured::wholeSeconds));
        result.put("hxb_process_seconds", all(ours, Measured::wholeSeconds));
        return result;
    }

    private static List<Double> all(
            final List<Measured> rounds, final ToDoubleFunction<Measured> column) {
        return rounds.stream().map(column::applyAsDouble).toList();
    }

    private Measured theirs(final Case one, final long seed)
            throws IOException, InterruptedException {
        final Path config = one.bookSimConfig(folder, graphs(), sample, seed);
        final long started = System.nanoTime();
        final String output = start(List.of(program.toAbsolutePath().toString(), "" + config));
        return Measured.ofBookSim(output, (System.nanoTime() - started) / 1e9);
    }

    private Measured ours(final Case one, final long seed)
            throws IOException, InterruptedException {
        final List<String> command = hxbCommand(one.hxbArguments(graphs(), sample, seed));
        final long started = System.nanoTime();
        final String output = start(command);
        return Measured.ofHxb(output, (System.nanoTime() - started) / 1e9);
    }

    private Path graphs() {
        return root.resolve("router/fabric/src/test/resources/graphs").toAbsolutePath();
    }

    private List<String> hxbCommand(final List<String> arguments) {
        final List<String> command = new ArrayList<>();
        command.add((hxb == null ? root.resolve("deploy/hxb") : hxb).toAbsolutePath().toString());
        command.addAll(arguments);
        return command;
    }

    /** Runs a program to its end; standard output, the rest goes to a file. */
    private String start(final List<String> command) throws IOException, InterruptedException {
        final Path errors = folder.resolve("errors");
        final Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectError(errors.toFile())
                        .start();
        final String output =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        final int status = process.waitFor();
        // BookSim's status tells whether it considers itself converged, which it never does after
        // three samples.
        if (status != 0 && !command.getFirst().equals(program.toAbsolutePath().toString())) {
            throw new ToolException(
                    String.join(" ", command)
                            + " ended with status "
                            + status
                            + ": "
                            + Files.readString(errors).strip());
        }
        return output;
    }

    /** Rows of the table in RESULTS.md. */
    static final class Rows {
        static final List<String> HEAD =
                List.of(
                        "| case | latency, BookSim | ours | difference | cycles/s, BookSim | ours |"
                                + " ratio, median (worst) | with the start of the process |",
                        "| --- | --- | --- | --- | --- | --- | --- | --- |");

        private Rows() {}

        /** One row, medians of the rounds. */
        static String of(final Map<String, Object> result) {
            final double cycles = ((Number) result.get("cycles")).doubleValue();
            final double[] theirs = values(result, "booksim_seconds");
            final double[] ours = values(result, "hxb_seconds");
            final double theirLatency = median(values(result, "booksim_latency"));
            final double latency = median(values(result, "hxb_latency"));
            final double[] ratios = ratios(theirs, ours);
            final double[] whole =
                    ratios(
                            values(result, "booksim_process_seconds"),
                            values(result, "hxb_process_seconds"));
            return String.format(
                    Locale.ROOT,
                    "| %s | %.1f | %.1f | %+.1f %% | %,.0f | %,.0f | %.1f (%.1f) | %.1f (%.1f) |",
                    result.get("case"),
                    theirLatency,
                    latency,
                    100 * (latency / theirLatency - 1),
                    cycles / median(theirs),
                    cycles / median(ours),
                    median(ratios),
                    Arrays.stream(ratios).min().orElseThrow(),
                    median(whole),
                    Arrays.stream(whole).min().orElseThrow());
        }

        /** How many times ours is as fast, round by round. */
        private static double[] ratios(final double[] theirs, final double[] ours) {
            final double[] ratios = new double[ours.length];
            Arrays.setAll(ratios, i -> theirs[i] / ours[i]);
            return ratios;
        }

        private static double[] values(final Map<String, Object> result, final String key) {
            return ((List<?>) result.get(key))
                    .stream().mapToDouble(value -> ((Number) value).doubleValue()).toArray();
        }

        private static double median(final double[] values) {
            final double[] sorted = values.clone();
            Arrays.sort(sorted);
            final int half = sorted.length / 2;
            return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
        }
    }
}
