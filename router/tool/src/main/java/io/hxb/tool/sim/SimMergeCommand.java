package io.hxb.tool.sim;

import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.ToolException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb sim merge}: the results of an array job's tasks as one. Picocli makes it. */
@Command(
        name = "merge",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        header = "Join files of results into one.",
        description =
                "Join .json files of results, such as those of an array job's tasks, "
                        + "in the order given, into one .json, .csv, .svg or .png.")
final class SimMergeCommand implements Callable<Integer> {
    private static final String RUNS = "runs";

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "join these .json files of results")
    private List<Path> parts;

    @Option(
            names = "--out",
            required = true,
            paramLabel = "FILE",
            description = "write the results to this file; may be repeated")
    private List<Path> files;

    @Mixin private Output output;

    /** Picocli makes it. */
    SimMergeCommand() {}

    @Override
    public Integer call() throws IOException {
        files.forEach(ResultFile::check);
        ResultFile whole = null;
        int count = 0;
        for (final Path part : parts) {
            final Map<String, Object> content = read(part);
            final List<?> runs = runs(part, content);
            if (whole == null) {
                content.remove(RUNS);
                whole = new ResultFile(content);
            }
            for (final Object run : runs) {
                add(whole, part, run);
                count++;
            }
        }
        for (final Path file : files) {
            whole.write(file, "Latency and accepted traffic");
        }
        output.text().println(count + " runs of " + parts.size() + " files");
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("runs", count);
        report.put("files", parts.size());
        output.report(report);
        return 0;
    }

    private static Map<String, Object> read(final Path part) throws IOException {
        if (!Files.isRegularFile(part)) {
            throw new ToolException(
                    "there is no file " + part + "; run its task, or wait until it has ended");
        }
        final Map<String, Object> content = new LinkedHashMap<>();
        final Map<?, ?> raw =
                Json.parse(GraphFile.text(part.toString()), Map.class, part.toString());
        raw.forEach((key, value) -> content.put(String.valueOf(key), value));
        return content;
    }

    private static List<?> runs(final Path part, final Map<String, Object> content) {
        if (content.get(RUNS) instanceof List<?> runs) {
            return runs;
        }
        throw new ToolException(part + " has no results of 'hxb sim run --out' or 'sweep --out'");
    }

    private static void add(final ResultFile whole, final Path part, final Object run) {
        if (!(run instanceof Map<?, ?> row) || !(row.get("series") instanceof String series)) {
            throw new ToolException(part + " has a run without a series");
        }
        final Map<String, Object> fields = new LinkedHashMap<>();
        row.forEach((key, value) -> fields.put(String.valueOf(key), value));
        fields.remove("series");
        whole.add(series, fields);
    }
}
