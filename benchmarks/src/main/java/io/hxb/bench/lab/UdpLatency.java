package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/** One-way latency over UDP links against a plain UDP ping-pong, all blocking. One thread. */
@Command(
        name = "udp-latency",
        mixinStandardHelpOptions = true,
        description =
                "Measure one-way latency (half a round trip) of a small message over link.udp,"
                        + " blocking: PM API and stream beside a plain UDP ping-pong in C.")
final class UdpLatency implements Callable<Integer> {
    private static final String PLAIN = "C, UDP sockets";
    private static final String MESSAGES = "HXB messages, node on the same thread";
    private static final String STREAM = "HXB stream, node on the same thread";
    private static final String ATTACHED = "HXB stream, node in a process of its own";

    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "32",
            description = "send messages of this size (default: ${DEFAULT-VALUE})")
    private int size;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description =
                    "send for this long before each measurement of HXB (default: "
                            + "${DEFAULT-VALUE})")
    private double warmUp;

    @Option(
            names = "--placement",
            paramLabel = "PLACE",
            defaultValue = "apart",
            description =
                    "put each end on a CPU of its own, as on two hosts (apart), or both on "
                            + "one (together) (default: ${DEFAULT-VALUE})")
    private String placement;

    @Option(names = "--attached", description = "measure with nodes in processes of their own, too")
    private boolean isAttachedToo;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "udp-latency",
                                Map.of(
                                        "rounds",
                                        settings.rounds(),
                                        "seconds",
                                        settings.seconds(),
                                        "size",
                                        size,
                                        "placement",
                                        placement))
                        .columns("CPUs", "what", "one way p50 us", "p99 us", "ratio to C");
        final String left = placement.equals("apart") ? "0" : "1";
        try (UdpLine line = new UdpLine(size, warmUp, settings.seconds())) {
            final Contest contest = new Contest().add(PLAIN, () -> line.plain(left, "1"));
            if (settings.hasHxb()) {
                contest.add(MESSAGES, () -> line.embedded(false, left, "1"))
                        .add(STREAM, () -> line.embedded(true, left, "1"));
            }
            if (isAttachedToo) {
                contest.add(ATTACHED, line::attached);
            }
            final Contest.Results results =
                    contest.run(settings.rounds(), Progress.of("udp-latency " + placement));
            report.keep(placement, results);
            for (final String name : results.series().keySet()) {
                report.line(
                        placement,
                        name,
                        half(results, name, "p50_us"),
                        half(results, name, "p99_us"),
                        results.ratio(name, PLAIN, "p50_us").format());
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private static String half(
            final Contest.Results results, final String name, final String figure) {
        final var trips = results.of(name, figure);
        return String.format(
                Locale.ROOT,
                "%.1f (%.1f-%.1f)",
                trips.median() / 2,
                trips.min() / 2,
                trips.max() / 2);
    }
}
