package io.hxb.bench.harness;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Report of a run that checks a cluster: a verdict, totals, and what grew. Owned by one thread. */
public final class RunReport {
    private static final int MAX_PROBLEMS = 200;
    private static final JsonMapper JSON = new JsonMapper();

    private final Map<String, Object> facts = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final List<Growth> growths = new ArrayList<>();
    private final String name;
    private final String verdict;
    private long problemCount;

    /**
     * Makes a report without problems.
     *
     * @param name of the run, and of its files.
     * @param verdict text if there are no problems.
     */
    public RunReport(final String name, final String verdict) {
        this.name = name;
        this.verdict = verdict;
    }

    /** Adds a figure. */
    public void fact(final String what, final Object value) {
        facts.put(what, value);
    }

    /** Adds a problem; the first 200 are kept, all are counted. */
    public void problem(final double seconds, final String text) {
        problemCount++;
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(String.format(Locale.ROOT, "%.0f s: %s", seconds, text));
        }
    }

    /** Adds a quantity that must not grow. */
    public void growth(final Growth growth) {
        growths.add(growth);
    }

    /** True if there are no problems and nothing grows. */
    public boolean isOk() {
        return problemCount == 0 && growths.stream().noneMatch(Growth::isGrowing);
    }

    /** Prints it, and writes it as Markdown and JSON. */
    public void finish(final PrintStream out, final Path folder) throws IOException {
        final String text = markdown();
        out.print(text);
        Files.writeString(folder.resolve(name + ".md"), text);
        final Map<String, Object> all = new LinkedHashMap<>();
        all.put("ok", isOk());
        all.putAll(facts);
        all.put("problem_count", problemCount);
        all.put("problems", problems);
        all.put("growth", growths.stream().map(Growth::fields).toList());
        Files.writeString(folder.resolve(name + ".json"), JSON.writeValueAsString(all) + "\n");
        out.println(
                "written: " + folder.resolve(name + ".md") + ", " + folder.resolve(name + ".json"));
    }

    private String markdown() {
        final StringBuilder text = new StringBuilder("# ");
        text.append(name).append(": ");
        text.append(isOk() ? verdict : "problems found").append("\n\n");
        text.append("| what | figure |\n| --- | --- |\n");
        facts.forEach(
                (what, value) ->
                        text.append("| ")
                                .append(what.replace('_', ' '))
                                .append(" | ")
                                .append(value)
                                .append(" |\n"));
        if (!growths.isEmpty()) {
            text.append("\n| over time | first | last | max | an hour adds | verdict |\n");
            text.append("| --- | --- | --- | --- | --- | --- |\n");
        }
        for (final Growth growth : growths) {
            text.append("| ").append(String.join(" | ", growth.row())).append(" |\n");
        }
        text.append('\n');
        problems.forEach(problem -> text.append("- ").append(problem).append('\n'));
        return text.toString();
    }
}
