package io.hxb.bench.manycpus;

import io.hxb.bench.harness.Series;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The file of results, which is whole at any time. Used by one thread. */
final class Outcomes {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private final Path file;
    private final ObjectNode json = JSON.createObjectNode();
    private final ArrayNode experiments;

    Outcomes(final Path file) {
        this.file = file.toAbsolutePath();
        experiments = JSON.createArrayNode();
    }

    /** What stands before the experiments. */
    ObjectNode head() {
        return json;
    }

    /** Begins an experiment. */
    ObjectNode begin(final Stage stage) {
        return experiments
                .addObject()
                .put("name", stage.name())
                .put("command", "benchmarks/run lab " + String.join(" ", stage.arguments()));
    }

    /**
     * Takes what an experiment has measured so far.
     *
     * @param trials file of its measurements, which need not be there.
     * @return a line for each that is new.
     */
    List<String> take(final ObjectNode experiment, final Path trials) throws IOException {
        final List<JsonNode> all = new ArrayList<>();
        if (Files.exists(trials)) {
            for (final String line : Files.readAllLines(trials)) {
                // The last line may be half written.
                if (line.endsWith("}}") || line.endsWith("\"}")) {
                    all.add(JSON.readTree(line));
                }
            }
        }
        final Map<List<String>, List<JsonNode>> seen = new LinkedHashMap<>();
        for (final JsonNode trial : all) {
            final List<String> key =
                    List.of(trial.get("what").asString(), trial.get("name").asString());
            seen.computeIfAbsent(key, _ -> new ArrayList<>()).add(trial);
        }
        final ArrayNode results = experiment.putArray("results");
        seen.forEach((key, list) -> add(results.addObject(), key.getFirst(), key.getLast(), list));
        final int known = experiment.path("measurements").asInt(0);
        experiment.put("measurements", all.size());
        return all.subList(known, all.size()).stream().map(JsonNode::toString).toList();
    }

    private static void add(
            final ObjectNode result,
            final String what,
            final String name,
            final List<JsonNode> trials) {
        result.put("what", what).put("variant", name);
        final Map<String, List<Double>> samples = new LinkedHashMap<>();
        final List<String> failures = new ArrayList<>();
        int count = 0;
        for (final JsonNode trial : trials) {
            if (trial.has("failure")) {
                failures.add(trial.get("failure").asString());
                continue;
            }
            count++;
            trial.get("figures")
                    .forEachEntry(
                            (figure, value) ->
                                    samples.computeIfAbsent(figure, key -> new ArrayList<>())
                                            .add(value.asDouble()));
        }
        result.put("n", count);
        samples.forEach(
                (figure, values) -> {
                    final Series series =
                            new Series(values.stream().mapToDouble(Double::doubleValue).toArray());
                    result.putObject(figure)
                            .put("median", series.median())
                            .put("min", series.min())
                            .put("max", series.max());
                });
        if (!failures.isEmpty()) {
            result.set("failures", JSON.valueToTree(failures));
        }
    }

    /** Writes everything, in one step. */
    void write() throws IOException {
        json.set("experiments", experiments);
        final Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(fresh, JSON.writeValueAsString(json) + "\n");
        Files.move(
                fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
