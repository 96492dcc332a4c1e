package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** More than a billion bytes through two nodes whose heaps are never collected. One thread. */
@Command(
        name = "no-garbage",
        mixinStandardHelpOptions = true,
        description =
                "Send messages between two nodes under Epsilon GC with heaps of 256 MB, and "
                        + "count bytes that the loops allocate while they are measured.")
final class NoGarbage implements Callable<Integer> {
    private static final int SIZE = 8192;
    private static final double WARM_UP = 3;
    private static final double SECONDS = 6;
    private static final String HXB = "HXB, Epsilon GC, 256 MB";
    private static final List<String> FLAGS =
            List.of(
                    "-XX:-UseSerialGC",
                    "-XX:+UnlockExperimentalVMOptions",
                    "-XX:+UseEpsilonGC",
                    "-Xmx256m");

    @Mixin private LabExperiments.Settings settings;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report("no-garbage", Map.of("rounds", settings.rounds(), "seconds", SECONDS))
                        .columns(
                                "run",
                                "messages of " + SIZE + " bytes",
                                "MB/s",
                                "bytes allocated by both loops");
        try (MessageLine line = new MessageLine("gc", WARM_UP, SECONDS, FLAGS)) {
            final Contest.Results results =
                    new Contest()
                            .add(HXB, () -> line.rate(MessageLine.Transport.HXB, SIZE, 0))
                            .run(settings.rounds(), Progress.of("no-garbage"));
            report.keep(Integer.toString(SIZE), results);
            report.line(
                    HXB,
                    results.of(HXB, "messages").format(),
                    results.of(HXB, "MBps").format(),
                    results.of(HXB, "allocated").format());
        }
        report.finish(System.out, settings.results());
        return 0;
    }
}
