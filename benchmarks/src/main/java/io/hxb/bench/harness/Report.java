package io.hxb.bench.harness;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Collects the results of one experiment, prints them as a Markdown table and keeps every sample as
 * one line of JSON. Used by one thread.
 */
public final class Report {
    private static final JsonMapper JSON = new JsonMapper();

    private final String experiment;
    private final ObjectNode json = JSON.createObjectNode();
    private final ArrayNode rows;
    private final List<String[]> table = new ArrayList<>();

    /**
     * Begins a report.
     *
     * @param experiment its name, which is also the name of its file of results.
     * @param settings what was chosen: sizes, seconds, rounds.
     */
    public Report(final String experiment, final Map<String, ?> settings) {
        this.experiment = experiment;
        json.put("experiment", experiment);
        json.put("time", Instant.now().toString());
        json.put("machine", machine());
        json.set("settings", JSON.valueToTree(settings));
        rows = json.putArray("rows");
    }

    /** Adds the header of the table. */
    public Report columns(final String... names) {
        table.add(names);
        return this;
    }

    /** Adds one line of the table. */
    public void line(final String... cells) {
        table.add(cells);
    }

    /** Keeps a row that is no contest: values by name. */
    public void keep(final Map<String, ?> row) {
        rows.add(JSON.<JsonNode>valueToTree(row));
    }

    /** Keeps all samples of a contest under a name. */
    public void keep(final String what, final Contest.Results results) {
        final ObjectNode row = rows.addObject();
        row.put("what", what);
        results.series()
                .forEach(
                        (name, figures) -> {
                            final ObjectNode node = row.putObject(name);
                            figures.forEach(
                                    (figure, series) ->
                                            node.set(figure, JSON.valueToTree(series.samples())));
                        });
    }

    /**
     * Prints the table and appends the JSON line to the experiment's file.
     *
     * @param folder folder of results; null to keep nothing.
     * @throws IllegalStateException if there is nothing to print.
     */
    public void finish(final PrintStream out, final Path folder) throws IOException {
        if (table.size() < 2) {
            throw new IllegalStateException(
                    experiment + ": nothing was measured; nothing has the name that --only gives");
        }
        for (int i = 0; i < table.size(); i++) {
            out.println("| " + String.join(" | ", table.get(i)) + " |");
            if (i == 0) {
                out.println("|" + " --- |".repeat(table.get(i).length));
            }
        }
        if (folder != null) {
            Files.createDirectories(folder);
            Files.writeString(
                    folder.resolve(experiment + ".json"),
                    JSON.writeValueAsString(json) + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
        out.println(JSON.writeValueAsString(json));
    }

    private static String machine() {
        return String.format(
                Locale.ROOT,
                "%d CPUs, Linux %s, Java %s",
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.version"),
                Runtime.version());
    }
}
