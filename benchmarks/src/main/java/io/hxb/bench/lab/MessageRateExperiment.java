package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Messages a second in one direction, one hop: HXB against Aeron. One thread. */
@Command(
        name = "message-rate",
        mixinStandardHelpOptions = true,
        description =
                "Measure messages a second over one veth: HXB and Aeron UDP, both in their "
                        + "invoker layout.")
final class MessageRateExperiment implements Callable<Integer> {
    private static final String AERON = "Aeron UDP, invoker";
    private static final String WIDE = "Aeron UDP, invoker, window 1 MiB";
    private static final String HXB = "HXB, invoker";

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
            defaultValue = "8",
            description = "send for this long before each measurement (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "message-rate",
                                Map.of(
                                        "rounds", settings.rounds(),
                                        "seconds", settings.seconds(),
                                        "sizes", sizes))
                        .columns(
                                "bytes",
                                "transport",
                                "1000 messages/s",
                                "MB/s",
                                "ratio",
                                "sender CPU ns",
                                "receiver CPU ns");
        try (MessageLine line = new MessageLine("msg", warmUp, settings.seconds(), List.of())) {
            for (final int size : sizes) {
                measure(report, size, line);
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private void measure(final Report report, final int size, final MessageLine line)
            throws Exception {
        final Contest contest =
                new Contest()
                        .add(AERON, () -> line.rate(MessageLine.Transport.AERON, size, 0))
                        .add(WIDE, () -> line.rate(MessageLine.Transport.AERON_WIDE, size, 0));
        if (settings.hasHxb()) {
            contest.add(HXB, () -> line.rate(MessageLine.Transport.HXB, size, 0));
        }
        final Contest.Results results =
                contest.run(settings.rounds(), Progress.of("message-rate " + size));
        report.keep(Integer.toString(size), results);
        for (final String name : results.series().keySet()) {
            report.line(
                    Integer.toString(size),
                    name,
                    results.of(name, "kmsgps").format(),
                    results.of(name, "MBps").format(),
                    results.ratio(name, AERON, "kmsgps").format(),
                    results.of(name, "sender_cpu_ns").format(),
                    results.of(name, "receiver_cpu_ns").format());
        }
    }
}
