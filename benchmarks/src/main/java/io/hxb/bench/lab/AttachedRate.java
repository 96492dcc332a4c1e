package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.config.LoopConfig;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/** Messages a second as users get them: programs that attach to running services. One thread. */
@Command(
        name = "attached-rate",
        mixinStandardHelpOptions = true,
        description =
                "Measure messages a second, in one direction, between programs that are attached to"
                    + " nodes in processes of their own, beside Aeron with its driver in a process,"
                    + " and an embedded node.")
final class AttachedRate implements Callable<Integer> {
    private static final String AERON = "Aeron, driver in a process of its own";
    private static final String AERON_IPC = "Aeron IPC, one host";
    private static final String ONE_HOST = ", one host";

    /** The program in C sends no messages of several frames. */
    private static final int LONGEST_IN_C = 8_192;

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

    @Option(
            names = "--whole",
            description = "copy every byte of a message from memory of the program and into it")
    private boolean isWhole;

    @Mixin private LabExperiments.Chosen chosen;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "attached-rate",
                                Map.of(
                                        "rounds",
                                        settings.rounds(),
                                        "seconds",
                                        settings.seconds(),
                                        "sizes",
                                        sizes,
                                        "whole",
                                        isWhole))
                        .columns(
                                "bytes",
                                "what",
                                "1000 messages/s",
                                "MB/s",
                                "ratio to Aeron",
                                "sender CPU ns",
                                "receiver CPU ns");
        try (AttachedLine line = new AttachedLine("", warmUp, settings.seconds(), isWhole);
                AttachedLines further =
                        new AttachedLines(chosen.loops(), warmUp, settings.seconds());
                MessageLine embedded =
                        new MessageLine("emb", warmUp, settings.seconds(), List.of())) {
            for (final int size : sizes) {
                measure(report, size, line, further, embedded);
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private void measure(
            final Report report,
            final int size,
            final AttachedLine line,
            final AttachedLines further,
            final MessageLine embedded)
            throws Exception {
        final Contest contest =
                new Contest()
                        .add(AERON, () -> line.aeronRate(AttachedLine.Place.TWO_HOSTS, size))
                        .add(AERON_IPC, () -> line.aeronRate(AttachedLine.Place.ONE_HOST, size));
        if (settings.hasHxb()) {
            for (final LoopConfig.Waiting waiting : LoopConfig.Waiting.values()) {
                final String name = "HXB, " + waiting.name().toLowerCase(Locale.ROOT);
                contest.add(name, () -> line.rate(AttachedLine.Place.TWO_HOSTS, waiting, size));
                contest.add(
                        name + ONE_HOST,
                        () -> line.rate(AttachedLine.Place.ONE_HOST, waiting, size));
            }
            if (size <= LONGEST_IN_C) {
                contest.add("HXB, in C", () -> line.rateOfC(AttachedLine.Place.TWO_HOSTS, size));
                contest.add(
                        "HXB, in C" + ONE_HOST,
                        () -> line.rateOfC(AttachedLine.Place.ONE_HOST, size));
            }
            if (!isWhole) {
                contest.add(
                        "HXB, embedded node",
                        () -> embedded.rate(MessageLine.Transport.HXB, size, 0));
            }
        }
        further.addRates(contest, size);
        final Contest.Results results =
                chosen.of(contest).run(settings.rounds(), Progress.of("attached-rate " + size));
        report.keep(Integer.toString(size), results);
        for (final String name : results.series().keySet()) {
            final String peer = name.endsWith(ONE_HOST) ? AERON_IPC : AERON;
            report.line(
                    Integer.toString(size),
                    name,
                    results.of(name, "kmsgps").format(),
                    results.of(name, "MBps").format(),
                    results.series().containsKey(peer)
                            ? results.ratio(name, peer, "kmsgps").format()
                            : "",
                    results.of(name, "sender_cpu_ns").format(),
                    results.of(name, "receiver_cpu_ns").format());
        }
    }
}
