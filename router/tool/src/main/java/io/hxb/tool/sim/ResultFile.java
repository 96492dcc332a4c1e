package io.hxb.tool.sim;

import io.hxb.fabric.generate.GraphSpec;
import io.hxb.tool.chart.LatencyChart;
import io.hxb.tool.option.OutputFiles;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.UsageException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Rows of results, written as JSON, CSV or a plot by the ending of the file's name. */
public final class ResultFile {
    private final Map<String, Object> about;
    private final List<Map<String, Object>> rows = new ArrayList<>();

    /**
     * Starts without rows.
     *
     * @param about what it takes to repeat the runs: version, options, seed.
     */
    public ResultFile(final Map<String, Object> about) {
        this.about = about;
    }

    /** Adds the words that made the graph, if all experiments have the same. */
    static void addGraph(
            final Map<String, Object> about, final List<ExperimentFile.Series> experiments) {
        final Set<String> graphs =
                experiments.stream()
                        .map(one -> one.experiment().graphName())
                        .collect(Collectors.toSet());
        if (graphs.size() == 1 && graphs.stream().allMatch(GraphSpec::isSpec)) {
            about.put("graph", graphs.iterator().next());
        }
    }

    /** Adds a row. */
    public void add(final String series, final Map<String, Object> fields) {
        final Map<String, Object> row = new LinkedHashMap<>();
        row.put("series", series);
        row.putAll(fields);
        rows.add(row);
    }

    /**
     * Refuses files that cannot be written, before anything is simulated.
     *
     * @throws UsageException with the file and the reason.
     */
    public static void check(final Path file) {
        if (!file.toString().matches("(?s).*\\.(json|csv|svg|png)")) {
            throw new UsageException(
                    "--out " + file + ": its name must end in .json, .csv, .svg or .png");
        }
        OutputFiles.check("--out", file);
    }

    /** Writes all rows. */
    public void write(final Path file, final String title) throws IOException {
        final String name = file.toString();
        if (name.endsWith(".json")) {
            final Map<String, Object> whole = new LinkedHashMap<>(about);
            whole.put("runs", rows);
            Files.writeString(file, Json.line(whole) + "\n");
        } else if (name.endsWith(".csv")) {
            Files.writeString(file, csv());
        } else {
            LatencyChart.draw(file, title, curves());
        }
    }

    private String csv() {
        final Set<String> keys = new LinkedHashSet<>();
        rows.forEach(row -> keys.addAll(row.keySet()));
        final StringBuilder text = new StringBuilder();
        about.forEach(
                (key, value) ->
                        text.append("# ").append(key).append(": ").append(value).append('\n'));
        text.append(String.join(",", keys)).append('\n');
        for (final Map<String, Object> row : rows) {
            String separator = "";
            for (final String key : keys) {
                text.append(separator).append(cell(row.get(key)));
                separator = ",";
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static String cell(final Object value) {
        if (value == null) {
            return "";
        }
        final String text =
                switch (value) {
                    case Map<?, ?> map ->
                            map.entrySet().stream()
                                    .map(entry -> entry.getKey() + "=" + entry.getValue())
                                    .collect(Collectors.joining(" "));
                    case List<?> list ->
                            list.stream().map(String::valueOf).collect(Collectors.joining(" "));
                    default -> value.toString();
                };
        return text.matches("[^,\"\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    private Map<String, LatencyChart.Curve> curves() {
        final Map<String, List<Map<String, Object>>> series = new LinkedHashMap<>();
        for (final Map<String, Object> row : rows) {
            series.computeIfAbsent((String) row.get("series"), key -> new ArrayList<>()).add(row);
        }
        final Map<String, LatencyChart.Curve> curves = new LinkedHashMap<>();
        series.forEach(
                (name, points) ->
                        curves.put(
                                name,
                                new LatencyChart.Curve(
                                        column(points, "accepted"),
                                        column(points, "latency_mean"))));
        return curves;
    }

    private static List<Double> column(final List<Map<String, Object>> rows, final String key) {
        return rows.stream().map(row -> ((Number) row.get(key)).doubleValue()).toList();
    }
}
