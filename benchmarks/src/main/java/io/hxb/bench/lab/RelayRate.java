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

/** Frames a second through one relay between two veth pairs. One thread. */
@Command(
        name = "relay-rate",
        mixinStandardHelpOptions = true,
        description =
                "Measure frames a second through one relay: C programs and an HXB node in "
                        + "turns.")
final class RelayRate implements Callable<Integer> {
    private static final String FIRST = "C recvmmsg";
    private static final String SAME = "C TPACKET_V2";
    private static final String NODE = "HXB, the node relays";
    private static final String KERNEL = "HXB, the kernel relays";
    private static final double AGAIN_SECONDS = 3;

    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--sizes",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "64,1500,9000",
            description =
                    "send frames of these lengths of HXB header and body, separated by "
                            + "commas (default: ${DEFAULT-VALUE})")
    private List<Integer> sizes;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "15",
            description = "send for this long before the first round (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "relay-rate",
                                Map.of(
                                        "rounds",
                                        settings.rounds(),
                                        "seconds",
                                        settings.seconds(),
                                        "sizes",
                                        sizes))
                        .columns(
                                "bytes",
                                "relay",
                                "kframes/s",
                                "ratio to " + FIRST,
                                "ratio to " + SAME,
                                "CPU ns a frame: its process",
                                "CPU ns a frame: the machine, ends included");
        // Slots of a ring are as long as the MTU, so each size has NICs of the MTU that suits it.
        measure(report, 1500, sizes.stream().filter(size -> size <= 1500).toList());
        measure(report, 9000, sizes.stream().filter(size -> size > 1500).toList());
        report.finish(System.out, settings.results());
        return 0;
    }

    private void measure(final Report report, final int mtu, final List<Integer> chosen)
            throws Exception {
        final Map<String, RelayLine> lines = new LinkedHashMap<>();
        try {
            if (chosen.isEmpty()) {
                return;
            }
            lines.put(FIRST, line("cm", mtu, RelayLine.c(1, "recvmmsg", "block", "")));
            lines.put(SAME, line("c2", mtu, RelayLine.c(1, "v2", "block", "")));
            if (settings.hasHxb()) {
                lines.put(NODE, hxb("hx", mtu, SocketConfig.KernelRelay.OFF));
                lines.get(NODE).rate(chosen.getFirst(), warmUp);
                // What happens when the ends start again has to be compiled, too.
                lines.get(NODE).rate(chosen.getFirst(), AGAIN_SECONDS);
                lines.put(KERNEL, hxb("hk", mtu, SocketConfig.KernelRelay.ON));
                lines.get(KERNEL).rate(chosen.getFirst(), AGAIN_SECONDS);
            }
            for (final int size : chosen) {
                final Contest contest = new Contest();
                lines.forEach(
                        (name, line) ->
                                contest.add(name, () -> line.rate(size, settings.seconds())));
                final Contest.Results results =
                        contest.run(settings.rounds(), Progress.of("relay-rate " + size));
                report.keep(Integer.toString(size), results);
                lines.keySet().forEach(name -> addLine(report, size, name, results));
            }
        } finally {
            new ArrayList<>(lines.values()).reversed().forEach(RelayLine::close);
        }
    }

    private RelayLine hxb(
            final String label, final int mtu, final SocketConfig.KernelRelay kernelRelay)
            throws Exception {
        return line(label, mtu, RelayLine.hxb(1, "block", "", kernelRelay));
    }

    private RelayLine line(final String label, final int mtu, final RelayLine.Starter starter)
            throws Exception {
        return new RelayLine(label + mtu, 1, mtu, false, starter);
    }

    private static void addLine(
            final Report report, final int size, final String name, final Contest.Results results) {
        report.line(
                Integer.toString(size),
                name,
                results.of(name, "kfps").format(),
                results.ratio(name, FIRST, "kfps").format(),
                results.ratio(name, SAME, "kfps").format(),
                results.of(name, "cpu_ns").format(),
                results.of(name, "machine_ns").format());
    }
}
