package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/** Messages through relays over UDP on loopback, where there can be no namespaces. One thread. */
@Command(
        name = "udp-relay",
        mixinStandardHelpOptions = true,
        description =
                "Measure messages a second over UDP on loopback to a neighbour, and through one and"
                    + " two nodes that relay, each node in a process of its own. Needs no root.")
final class UdpRelay implements Callable<Integer> {
    private static final double LIMIT_SECONDS = 60;
    private static final List<String> PATHS = List.of("no relay", "one relay", "two relays");
    private static final List<String> SHAPES = List.of("2", "2x2", "2x2x2");

    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--sizes",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "32,8192",
            description =
                    "send messages of these sizes, separated by commas (default: "
                            + "${DEFAULT-VALUE})")
    private List<Integer> sizes;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "3",
            description = "send for this long before each measurement (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "udp-relay",
                                Map.of("rounds", settings.rounds(), "seconds", settings.seconds()))
                        .columns("bytes", "path", "1000 messages/s", "MB/s", "CPU us a frame");
        for (final int size : sizes) {
            final Contest contest = new Contest();
            for (int relays = 0; relays < PATHS.size(); relays++) {
                final String shape = SHAPES.get(relays);
                contest.add(PATHS.get(relays), () -> run(shape, size));
            }
            final Contest.Results results =
                    contest.run(settings.rounds(), Progress.of("udp-relay " + size));
            report.keep(Integer.toString(size), results);
            for (final String name : results.series().keySet()) {
                report.line(
                        Integer.toString(size),
                        name,
                        results.of(name, "kmsgps").format(),
                        results.of(name, "MBps").format(),
                        results.of(name, "cpu_us").format());
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private Map<String, Double> run(final String shape, final int size) throws Exception {
        final List<String> command =
                Peers.hxb(
                        "lab",
                        "run",
                        "perf",
                        "--name",
                        "u" + ProcessHandle.current().pid(),
                        "--shape",
                        shape,
                        "--backend",
                        "udp",
                        "--processes",
                        "--size",
                        Integer.toString(size),
                        "--warmup",
                        String.format(Locale.ROOT, "%.1f", warmUp),
                        "--seconds",
                        String.format(Locale.ROOT, "%.1f", settings.seconds()),
                        "--json");
        try (Program perf = Program.start("", "", command)) {
            final JsonNode result = perf.last(LIMIT_SECONDS + warmUp + settings.seconds());
            if (!result.path("ok").asBoolean(false)) {
                throw new IllegalStateException("hxb lab run perf failed: " + result);
            }
            final Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("kmsgps", result.get("messages_per_s").asDouble() / 1e3);
            figures.put("MBps", result.get("bandwidth_MBps").asDouble());
            figures.put("cpu_us", result.path("cpu_us_per_frame").asDouble());
            return figures;
        }
    }
}
