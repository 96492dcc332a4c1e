package io.hxb.bench.fabric;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/**
 * Routes and their proof for a large graph: seconds and memory, each in a fresh JVM. One thread.
 */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        description =
                "Measure seconds and memory for the routes of a large graph and for their "
                        + "proof, each algorithm in a fresh JVM, with nothing warmed up.")
final class RouteScale implements Callable<Integer> {
    @Mixin private FabricBench.Settings settings;

    @Option(
            names = "--graph",
            paramLabel = "FILE|WORDS",
            defaultValue = "random:1024,4,1",
            description =
                    "read a file or take words, as 'hxb plan routes' does (default: "
                            + "${DEFAULT-VALUE})")
    private String graph;

    @Option(
            names = "--algorithms",
            paramLabel = "NAME",
            split = ",",
            defaultValue =
                    "minimal,updown-bfs,updown-dfs,l-turn-alpha,r-turn-alpha,dl-mutual,multi-tree,"
                            + "lash,structured,silla,in-transit",
            description =
                    "measure these algorithms, separated by commas; a slash and a path "
                            + "selection may follow each (default: ${DEFAULT-VALUE})")
    private List<String> algorithms;

    @Override
    public Integer call() throws Exception {
        final Contest contest = new Contest();
        algorithms.forEach(name -> contest.add(name, () -> measure(name)));
        final Contest.Results results = contest.run(settings.rounds(), Progress.of(graph));
        final Report report =
                new Report("scale", Map.of("graph", graph, "rounds", settings.rounds()))
                        .columns(
                                "routes",
                                "s for the routes",
                                "s for the proof",
                                "MB of paths",
                                "MB of the process at most",
                                "virtual channels",
                                "busiest channel");
        report.keep(graph, results);
        for (final String name : algorithms) {
            report.line(
                    name,
                    results.of(name, "seconds").format(),
                    results.of(name, "proof").format(),
                    results.of(name, "paths").format(),
                    results.of(name, "peak").format(),
                    Long.toString((long) results.of(name, "layers").median()),
                    Long.toString((long) results.of(name, "busiest").median()));
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private Map<String, Double> measure(final String name) throws Exception {
        final String[] parts = name.split("/", -1);
        final List<String> command =
                Peers.java(
                        RouteTimes.class,
                        graph,
                        parts[0],
                        parts.length == 1 ? "low-port" : parts[1],
                        "0",
                        "0");
        try (Program child = Program.start("", "", command)) {
            final JsonNode times = child.last(600);
            final Map<String, Double> figures = new TreeMap<>();
            figures.put("seconds", times.path("cold").asDouble() / 1e3);
            figures.put("proof", times.path("verify").asDouble() / 1e3);
            figures.put("paths", times.path("routes").asDouble() / 1e6);
            figures.put("peak", times.path("peak").asDouble() / 1e6);
            figures.put("layers", times.path("layers").asDouble());
            figures.put("busiest", times.path("busiest").asDouble());
            return figures;
        }
    }
}
