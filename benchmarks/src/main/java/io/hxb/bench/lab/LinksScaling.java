package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.config.SocketConfig;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** What a frame costs a relay with few and with many links. One thread. */
@Command(
        name = "links-scaling",
        mixinStandardHelpOptions = true,
        description = "Measure the CPU time per relayed frame of a node with 2, 6 and 16 NICs.")
final class LinksScaling implements Callable<Integer> {
    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--nics",
            paramLabel = "N",
            split = ",",
            defaultValue = "2,6,16",
            description =
                    "give the node these numbers of NICs, half of them to each side, "
                            + "separated by commas (default: ${DEFAULT-VALUE})")
    private List<Integer> nics;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "1500",
            description =
                    "send frames of this length of HXB header and body (default: "
                            + "${DEFAULT-VALUE})")
    private int size;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description = "send for this long before the first round (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Override
    public Integer call() throws Exception {
        final Map<String, RelayLine> lines = new LinkedHashMap<>();
        final Contest contest = new Contest();
        try {
            for (final int count : nics) {
                add("C TPACKET_V2, " + count, RelayLine.c(count / 2, "v2", "block", ""), lines);
                if (settings.hasHxb()) {
                    final String name = "HXB, " + count;
                    add(
                            name,
                            RelayLine.hxb(count / 2, "block", "", SocketConfig.KernelRelay.OFF),
                            lines);
                    lines.get(name).rate(size, warmUp);
                }
            }
            lines.forEach(
                    (name, line) -> contest.add(name, () -> line.rate(size, settings.seconds())));
            report(contest.run(settings.rounds(), Progress.of("links-scaling")));
        } finally {
            new ArrayList<>(lines.values()).reversed().forEach(RelayLine::close);
        }
        return 0;
    }

    private static void add(
            final String name, final RelayLine.Starter starter, final Map<String, RelayLine> lines)
            throws Exception {
        final int links = Integer.parseInt(name.substring(name.indexOf(", ") + 2)) / 2;
        lines.put(name, new RelayLine("l" + lines.size(), links, 1500, false, starter));
    }

    private void report(final Contest.Results results) throws Exception {
        final Report report =
                new Report(
                                "links-scaling",
                                Map.of(
                                        "rounds", settings.rounds(),
                                        "seconds", settings.seconds(),
                                        "size", size))
                        .columns(
                                "relay, NICs", "kframes/s", "CPU ns a frame", "CPU to fewest NICs");
        report.keep(Integer.toString(size), results);
        for (final String name : results.series().keySet()) {
            final String fewest = name.substring(0, name.indexOf(", ") + 2) + nics.getFirst();
            report.line(
                    name,
                    results.of(name, "kfps").format(),
                    results.of(name, "cpu_ns").format(),
                    results.ratio(name, fewest, "cpu_ns").format());
        }
        report.finish(System.out, settings.results());
    }
}
