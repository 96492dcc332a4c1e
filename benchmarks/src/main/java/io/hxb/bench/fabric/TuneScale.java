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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** What a decision of {@code hxb optimise} costs, each in a fresh JVM. One thread. */
@Command(
        name = "tune",
        mixinStandardHelpOptions = true,
        description =
                "Measure seconds and memory for one decision of hxb optimise, and for optimising"
                        + " the whole table, each network in a fresh JVM with nothing warmed up.")
final class TuneScale implements Callable<Integer> {
    private static final List<String> FIGURES =
            List.of(
                    "pairs",
                    "decide_s",
                    "decide_cpu_s",
                    "changes",
                    "optimise_s",
                    "optimise_cpu_s",
                    "heap_mb");

    @Mixin private FabricBench.Settings settings;

    @Option(
            names = "--networks",
            paramLabel = "LIST",
            split = ";",
            defaultValue = "4,4,4,0;32,16,32,16;32,16,32,0;128,32,32,64",
            description =
                    "optimise these networks, separated by semicolons: leaf switches, top "
                            + "switches, hosts of a leaf, and peers of a host (0: all hosts) "
                            + "(default: ${DEFAULT-VALUE})")
    private List<String> networks;

    @Override
    public Integer call() throws Exception {
        final Contest contest = new Contest();
        networks.forEach(name -> contest.add(name, () -> measure(name)));
        final Contest.Results results = contest.run(settings.rounds(), Progress.of("tune"));
        final Report report =
                new Report("tune", Map.of("rounds", settings.rounds()))
                        .columns(
                                "leaves, tops, hosts, peers",
                                "pairs",
                                "s for a decision",
                                "of it CPU",
                                "changes",
                                "s for the whole table",
                                "of it CPU",
                                "MB of heap");
        report.keep("tune", results);
        for (final String name : networks) {
            final List<String> line = new ArrayList<>(List.of(name));
            FIGURES.forEach(figure -> line.add(results.of(name, figure).format()));
            report.line(line.toArray(String[]::new));
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private static Map<String, Double> measure(final String name) throws Exception {
        final List<String> arguments = new ArrayList<>(List.of(name.split(",", -1)));
        arguments.add("true");
        final List<String> command = Peers.java(TuneTimes.class, arguments.toArray(String[]::new));
        try (Program child = Program.start("", "", command)) {
            final JsonNode times = child.last(600);
            final Map<String, Double> figures = new TreeMap<>();
            FIGURES.forEach(figure -> figures.put(figure, times.path(figure).asDouble()));
            return figures;
        }
    }
}
