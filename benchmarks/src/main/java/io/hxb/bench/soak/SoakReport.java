package io.hxb.bench.soak;

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

/** What a long run has found: a verdict, totals, and how everything grew. Owned by one thread. */
final class SoakReport {
    private static final int MAX_PROBLEMS = 200;
    private static final JsonMapper JSON = new JsonMapper();

    private final Map<String, Object> facts = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final List<Growth> growths = new ArrayList<>();
    private long problemCount;

    void fact(final String name, final Object value) {
        facts.put(name, value);
    }

    void problem(final double seconds, final String text) {
        problemCount++;
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(String.format(Locale.ROOT, "%.0f s: %s", seconds, text));
        }
    }

    void growth(final Growth growth) {
        growths.add(growth);
    }

    /** True if nothing went wrong and nothing grows. */
    boolean isOk() {
        return problemCount == 0 && growths.stream().noneMatch(Growth::isGrowing);
    }

    /** Prints it, and writes it as {@code soak.md} and {@code soak.json}. */
    void finish(final PrintStream out, final Path folder) throws IOException {
        final String text = markdown();
        out.print(text);
        Files.writeString(folder.resolve("soak.md"), text);
        final Map<String, Object> all = new LinkedHashMap<>();
        all.put("ok", isOk());
        all.putAll(facts);
        all.put("problem_count", problemCount);
        all.put("problems", problems);
        all.put("growth", growths.stream().map(Growth::fields).toList());
        Files.writeString(folder.resolve("soak.json"), JSON.writeValueAsString(all) + "\n");
        out.println("written: " + folder.resolve("soak.md") + ", " + folder.resolve("soak.json"));
    }

    private String markdown() {
        final StringBuilder text = new StringBuilder("# Soak: ");
        text.append(isOk() ? "nothing lost, nothing grows" : "something is wrong").append("\n\n");
        text.append("| what | figure |\n| --- | --- |\n");
        facts.forEach(
                (name, value) ->
                        text.append("| ")
                                .append(name.replace('_', ' '))
                                .append(" | ")
                                .append(value)
                                .append(" |\n"));
        text.append("\n| over time | first | last | max | an hour adds | verdict |\n");
        text.append("| --- | --- | --- | --- | --- | --- |\n");
        for (final Growth growth : growths) {
            text.append("| ").append(String.join(" | ", growth.row())).append(" |\n");
        }
        text.append('\n');
        problems.forEach(problem -> text.append("- ").append(problem).append('\n'));
        return text.toString();
    }
}
