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

/** Frames a second through one relay of many links by the number of its loops. One thread. */
@Command(
        name = "relay-scaling",
        mixinStandardHelpOptions = true,
        description =
                "Measure frames a second through one relay of several links, each with a "
                        + "sender of its own: a C program, and HXB nodes with more and more loops. "
                        + "Needs a CPU for each loop and each sender.")
final class RelayScaling implements Callable<Integer> {
    private static final String SAME = "C TPACKET_V2, one thread";
    private static final String KERNEL = "HXB, the kernel relays";
    private static final int MTU = 1500;
    private static final double AGAIN_SECONDS = 1;

    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--links",
            paramLabel = "N",
            defaultValue = "6",
            description = "make this many links (default: ${DEFAULT-VALUE})")
    private int links;

    @Option(
            names = "--sizes",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "64,1500",
            description =
                    "send frames of these lengths of HXB header and body, at most 1500, "
                            + "separated by commas (default: ${DEFAULT-VALUE})")
    private List<Integer> sizes;

    @Option(
            names = "--loop",
            paramLabel = "LOOP",
            defaultValue = "loops: 1",
            description =
                    "measure a node with these loops, as the cluster file has them; may be "
                            + "repeated (default: ${DEFAULT-VALUE})")
    private List<String> loops;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "send for this long before the first round (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "relay-scaling",
                                Map.of(
                                        "rounds",
                                        settings.rounds(),
                                        "seconds",
                                        settings.seconds(),
                                        "links",
                                        links))
                        .columns(
                                "bytes",
                                "relay",
                                "kframes/s",
                                "ratio to " + SAME,
                                "CPU ns a frame: its process",
                                "CPU ns a frame: the machine, ends included");
        final Map<String, RelayLine> lines = new LinkedHashMap<>();
        try {
            lines.put(SAME, line("c2", RelayLine.c(links, "v2", "block", "")));
            if (settings.hasHxb()) {
                addNodes(lines);
            }
            for (final int size : sizes) {
                measure(report, size, lines);
            }
        } finally {
            new ArrayList<>(lines.values()).reversed().forEach(RelayLine::close);
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private void addNodes(final Map<String, RelayLine> lines) throws Exception {
        for (final String loop : loops) {
            final RelayLine line =
                    line(
                            "h" + lines.size(),
                            RelayLine.hxb(
                                    links,
                                    LabExperiments.loop(loop),
                                    "",
                                    SocketConfig.KernelRelay.OFF));
            lines.put("HXB, the node relays, " + loop, line);
            line.rateOfMany(sizes.getFirst(), warmUp);
            line.rateOfMany(sizes.getFirst(), AGAIN_SECONDS);
        }
        lines.put(
                KERNEL,
                line(
                        "hk",
                        RelayLine.hxb(
                                links, LabExperiments.loop(""), "", SocketConfig.KernelRelay.ON)));
    }

    private RelayLine line(final String label, final RelayLine.Starter starter) throws Exception {
        return new RelayLine("s" + label, links, MTU, false, starter);
    }

    private void measure(final Report report, final int size, final Map<String, RelayLine> lines)
            throws Exception {
        final Contest contest = new Contest();
        lines.forEach(
                (name, line) -> contest.add(name, () -> line.rateOfMany(size, settings.seconds())));
        final Contest.Results results =
                contest.run(settings.rounds(), Progress.of("relay-scaling " + size));
        report.keep(Integer.toString(size), results);
        for (final String name : results.series().keySet()) {
            report.line(
                    Integer.toString(size),
                    name,
                    results.of(name, "kfps").format(),
                    results.series().containsKey(SAME)
                            ? results.ratio(name, SAME, "kfps").format()
                            : "",
                    results.of(name, "cpu_ns").format(),
                    results.of(name, "machine_ns").format());
        }
    }
}
