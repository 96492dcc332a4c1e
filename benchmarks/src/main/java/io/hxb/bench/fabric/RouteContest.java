package io.hxb.bench.fabric;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.fabric.SwitchGraph;
import io.hxb.tool.graph.GraphFile;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** Route computation by HXB and OpenSM on one graph, in turns. One thread. */
@Command(
        name = "routes",
        mixinStandardHelpOptions = true,
        description = {
            "Time for the routes of one graph: HXB in a fresh JVM (cold: the first computation) and"
                    + " after warming up, OpenSM's updn and lash (by its log; simulated by ibsim,"
                    + " same root, same hosts).",
            "Needs opensm and ibsim-utils of Debian."
        })
final class RouteContest implements Callable<Integer> {
    private static final String UPDN = "OpenSM updn";
    private static final String LASH = "OpenSM lash";

    /** Name in the table, algorithm, path selection. */
    private static final List<List<String>> OURS =
            List.of(
                    List.of("Up*/Down*", "updown-bfs", "low-port"),
                    List.of("Up*/Down*, high-physical", "updown-bfs", "high-physical"),
                    List.of("L-turn/alpha", "l-turn-alpha", "low-port"),
                    List.of("L-turn/alpha, high-physical", "l-turn-alpha", "high-physical"),
                    List.of("DL mutual, sancho", "dl-mutual", "sancho"),
                    List.of("DL mutual, high-physical", "dl-mutual", "high-physical"),
                    List.of("LASH", "lash", "low-port"));

    @Mixin private FabricBench.Settings settings;

    @Option(
            names = "--graph",
            paramLabel = "FILE|WORDS",
            defaultValue = "random:64,4,1",
            description =
                    "Measure the time for the routes of one graph: HXB in a fresh JVM (cold: the"
                        + " first computation) and after warming up, OpenSM's updn and lash (by its"
                        + " log; simulated by ibsim, with the same root and hosts). Needs opensm"
                        + " and ibsim-utils of Debian.")
    private String graph;

    @Option(
            names = "--hosts-per-switch",
            paramLabel = "N",
            defaultValue = "1",
            description = "connect this many hosts to each switch (default: ${DEFAULT-VALUE})")
    private int hostsPerSwitch;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "1.5",
            description = "warm up for this long (default: ${DEFAULT-VALUE})")
    private double warmUpSeconds;

    @Override
    public Integer call() throws Exception {
        final String missing = OpenSm.missing();
        if (missing != null) {
            System.err.println(
                    "fabric: OPENSM IS LEFT OUT: "
                            + missing
                            + "; install Debian's opensm and ibsim-utils");
        }
        final SwitchGraph switches = GraphFile.read(graph, hostsPerSwitch);
        final Path folder = Files.createTempDirectory("hxb-opensm");
        try {
            final Contest contest = new Contest();
            if (missing == null) {
                final OpenSm manager = new OpenSm(switches, folder);
                contest.add(UPDN, () -> measure(manager, "updn"));
                contest.add(LASH, () -> measure(manager, "lash"));
            }
            OURS.forEach(row -> contest.add(row.getFirst(), () -> measure(row)));
            report(contest.run(settings.rounds(), Progress.of(graph)), missing == null);
            return missing == null ? 0 : 1;
        } finally {
            delete(folder);
        }
    }

    private static Map<String, Double> measure(final OpenSm manager, final String engine)
            throws IOException, InterruptedException {
        final OpenSm.Run run = manager.run(engine);
        return Map.of("cold", run.ms(), "warm", run.ms(), "layers", (double) run.lanes());
    }

    private Map<String, Double> measure(final List<String> row) throws Exception {
        final List<String> command =
                Peers.java(
                        RouteTimes.class,
                        graph,
                        row.get(1),
                        row.get(2),
                        Double.toString(warmUpSeconds),
                        "21");
        try (Program child = Program.start("", "", command)) {
            final JsonNode times = child.last(60);
            if (!times.path("ok").asBoolean()) {
                throw new IOException(row + " made routes that can deadlock");
            }
            final Map<String, Double> figures = new TreeMap<>();
            for (final String name : List.of("cold", "warm", "layers", "busiest")) {
                figures.put(name, times.path(name).asDouble());
            }
            return figures;
        }
    }

    private void report(final Contest.Results results, final boolean hasPeers) throws IOException {
        final Report report =
                new Report(
                                "routes",
                                Map.of(
                                        "graph", graph,
                                        "hosts", hostsPerSwitch,
                                        "rounds", settings.rounds()))
                        .columns(
                                "routes",
                                "ms, cold",
                                "ms, warm",
                                "warm by updn",
                                "warm by lash",
                                "layers");
        report.keep(graph, results);
        for (final String name : results.series().keySet()) {
            report.line(
                    name,
                    results.of(name, "cold").format(),
                    results.of(name, "warm").format(),
                    hasPeers ? results.ratio(name, UPDN, "warm").format() : "-",
                    hasPeers ? results.ratio(name, LASH, "warm").format() : "-",
                    Long.toString((long) results.of(name, "layers").median()));
        }
        report.finish(System.out, settings.results());
    }

    private static void delete(final Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            for (final Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
