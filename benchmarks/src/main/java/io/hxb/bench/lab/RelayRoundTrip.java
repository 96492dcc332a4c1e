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

/** What one relay adds to a round trip, blocking and spinning. One thread. */
@Command(
        name = "relay-rtt",
        mixinStandardHelpOptions = true,
        description =
                "Measure round trips through one relay, crossed twice: C programs and an HXB"
                        + " node.")
final class RelayRoundTrip implements Callable<Integer> {
    private static final String NONE = "no relay";
    private static final String FIRST = "C recvmmsg";
    private static final String SAME = "C TPACKET_V2";
    private static final String NODE = "HXB, the node relays";
    private static final String KERNEL = "HXB, the kernel relays";

    private static final double AGAIN_SECONDS = 3;

    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--waits",
            paramLabel = "WAIT",
            split = ",",
            defaultValue = "block,spin",
            description =
                    "have everything wait by these of block, spin and hybrid, separated by "
                            + "commas (default: ${DEFAULT-VALUE})")
    private List<String> waits;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "64",
            description =
                    "send frames of this length of HXB header and body (default: "
                            + "${DEFAULT-VALUE})")
    private int size;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "25",
            description =
                    "make round trips for this long before the first round (default: "
                            + "${DEFAULT-VALUE})")
    private double warmUp;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "relay-rtt",
                                Map.of(
                                        "rounds",
                                        settings.rounds(),
                                        "seconds",
                                        settings.seconds(),
                                        "size",
                                        size))
                        .columns(
                                "waiting",
                                "relay",
                                "p50 us",
                                "added p50 us",
                                "p99 us",
                                "p99.9 us",
                                "max us",
                                "p99.9 to " + FIRST);
        for (final String wait : waits) {
            measure(report, wait);
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private void measure(final Report report, final String wait) throws Exception {
        final boolean isSpinning = wait.equals("spin");
        final Map<String, RelayLine> lines = new LinkedHashMap<>();
        try (DirectLine direct = new DirectLine(wait)) {
            lines.put(FIRST, line(wait, "cm", RelayLine.c(1, "recvmmsg", wait, "1")));
            lines.put(SAME, line(wait, "c2", RelayLine.c(1, "v2", wait, "1")));
            if (settings.hasHxb()) {
                lines.put(NODE, hxb(wait, "hx", SocketConfig.KernelRelay.OFF));
                lines.get(NODE).roundTrip(size, warmUp);
                lines.put(KERNEL, hxb(wait, "hk", SocketConfig.KernelRelay.ON));
                lines.get(KERNEL).roundTrip(size, AGAIN_SECONDS);
            }
            final Contest contest = new Contest();
            contest.add(NONE, () -> direct.roundTrip(size, settings.seconds(), 1));
            lines.forEach(
                    (name, line) ->
                            contest.add(name, () -> line.roundTrip(size, settings.seconds())));
            final Contest.Results results =
                    contest.run(settings.rounds(), Progress.of("relay-rtt " + wait));
            report.keep(isSpinning ? "spinning" : "blocking", results);
            results.series().keySet().forEach(name -> addLine(report, wait, name, results));
        } finally {
            new ArrayList<>(lines.values()).reversed().forEach(RelayLine::close);
        }
    }

    private static RelayLine hxb(
            final String wait, final String label, final SocketConfig.KernelRelay kernelRelay)
            throws Exception {
        return line(wait, label, RelayLine.hxb(1, wait, "1", kernelRelay));
    }

    private static RelayLine line(
            final String wait, final String label, final RelayLine.Starter starter)
            throws Exception {
        return new RelayLine(label + wait, 1, 1500, wait.equals("spin"), starter);
    }

    private static void addLine(
            final Report report,
            final String wait,
            final String name,
            final Contest.Results results) {
        final double added =
                results.of(name, "p50_us").median() - results.of(NONE, "p50_us").median();
        report.line(
                wait,
                name,
                results.of(name, "p50_us").format(),
                String.format(java.util.Locale.ROOT, "%.1f", added),
                results.of(name, "p99_us").format(),
                results.of(name, "p999_us").format(),
                results.of(name, "max_us").format(),
                results.ratio(name, FIRST, "p999_us").format());
    }
}
