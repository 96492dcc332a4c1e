package io.hxb.tool.sim;

import io.hxb.config.yaml.OptionsYaml;
import io.hxb.sim.run.Experiment;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A file with the options of {@code hxb sim run} as keys. Every key may have a list; then all
 * combinations are simulated, and the loads of one combination make one curve. Immutable.
 *
 * <pre>{@code
 * graph: random:64,4,1
 * algorithm: [updown-bfs, l-turn-alpha]
 * load: [0.01, 0.02, 0.04]      # or auto: find the saturation
 * cycles: 100000
 * }</pre>
 */
final class ExperimentFile {
    /** Series of one file: the product of the lengths of its lists. */
    private static final int MAX_SERIES = 10_000;

    private static final String LOAD = "load";

    /** The option has a longer name. */
    private static final String HOSTS = "hosts";

    private final List<Series> series;
    private final List<Double> loads;
    private final Map<String, List<String>> values;

    /**
     * One combination of everything but the load.
     *
     * @param name what distinguishes it from the others.
     */
    record Series(String name, Experiment experiment) {}

    private ExperimentFile(
            final List<Series> series,
            final List<Double> loads,
            final Map<String, List<String>> values) {
        this.series = series;
        this.loads = loads;
        this.values = values;
    }

    /**
     * Reads a file and everything it names, and checks all of it.
     *
     * @throws UsageException, ConfigException or another message for people.
     */
    static ExperimentFile read(final Path file) throws IOException {
        final List<String> known = new ArrayList<>();
        for (final OptionSpec option :
                CommandLine.Model.CommandSpec.forAnnotatedObject(new RunOptions()).options()) {
            known.add(option.longestName().substring(2));
        }
        known.add(HOSTS);
        known.add(LOAD);
        final String text = GraphFile.text(file.toString());
        final Map<String, List<String>> values = OptionsYaml.parse(text, file.toString(), known);
        final List<Series> series = new ArrayList<>();
        for (final Map<String, String> combination : combinations(values)) {
            series.add(new Series(name(combination, values), experiment(file, combination)));
        }
        return new ExperimentFile(List.copyOf(series), loads(file, values.get(LOAD)), values);
    }

    private static List<Map<String, String>> combinations(final Map<String, List<String>> values) {
        List<Map<String, String>> combinations = List.of(Map.of());
        for (final Map.Entry<String, List<String>> entry : values.entrySet()) {
            if (entry.getKey().equals(LOAD)) {
                continue;
            }
            final long count = (long) combinations.size() * entry.getValue().size();
            if (count > MAX_SERIES) {
                throw new ToolException(
                        "the lists of the experiment combine to more than "
                                + MAX_SERIES
                                + " series; make them shorter, or several files");
            }
            final List<Map<String, String>> longer = new ArrayList<>();
            for (final Map<String, String> start : combinations) {
                for (final String value : entry.getValue()) {
                    final Map<String, String> with = new LinkedHashMap<>(start);
                    with.put(entry.getKey(), value);
                    longer.add(with);
                }
            }
            combinations = longer;
        }
        return combinations;
    }

    private static String name(
            final Map<String, String> combination, final Map<String, List<String>> values) {
        final List<String> parts = new ArrayList<>();
        combination.forEach(
                (key, value) -> {
                    if (values.get(key).size() > 1) {
                        parts.add(value);
                    }
                });
        return parts.isEmpty()
                ? combination.getOrDefault("algorithm", "updown-bfs")
                : String.join(" ", parts);
    }

    private static Experiment experiment(final Path file, final Map<String, String> values)
            throws IOException {
        final List<String> arguments = new ArrayList<>();
        values.forEach(
                (key, value) -> arguments.add(option(key) + "=" + inPlace(file, key, value)));
        final RunOptions options = new RunOptions();
        try {
            new CommandLine(options).parseArgs(arguments.toArray(String[]::new));
        } catch (final CommandLine.ParameterException e) {
            throw new UsageException(file + ": " + e.getMessage(), e);
        }
        return options.experiment();
    }

    private static String option(final String key) {
        return key.equals(HOSTS) ? "--hosts-per-switch" : "--" + key;
    }

    /** Files are looked for beside the experiment's file first. */
    private static String inPlace(final Path file, final String key, final String value) {
        if (key.equals("graph") || key.equals("traffic")) {
            final Path beside = file.toAbsolutePath().resolveSibling(value);
            return Files.isRegularFile(beside) ? beside.toString() : value;
        }
        return value;
    }

    private static List<Double> loads(final Path file, final List<String> words) {
        if (words == null || words.equals(List.of("auto"))) {
            return List.of();
        }
        return words.stream().map(word -> OfferedLoads.parseOne(file + ": load", word)).toList();
    }

    List<Series> series() {
        return series;
    }

    /** The loads, none to find the saturation. */
    List<Double> loads() {
        return loads;
    }

    /** The names of the options that the file gives, such as {@code --osf}. */
    Set<String> given() {
        return values.keySet().stream().map(ExperimentFile::option).collect(Collectors.toSet());
    }

    /** The contents of the file, for the record. */
    Map<String, List<String>> values() {
        return values;
    }
}
