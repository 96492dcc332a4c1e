package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.config.LoopConfig;
import io.hxb.config.SecurityConfig.Mode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/** What a cluster key costs, one hop: HXB beside itself without a key. One thread. */
@Command(
        name = "message-security",
        mixinStandardHelpOptions = true,
        description =
                "Measure messages a second and round trips over one veth, in turns without a"
                        + " key, with frames that are authenticated, and with encrypted ones.")
final class MessageSecurity implements Callable<Integer> {
    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--rate-sizes",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "32,8192",
            description =
                    "measure the rate of messages of these sizes, separated by commas "
                            + "(default: ${DEFAULT-VALUE})")
    private List<Integer> rateSizes;

    @Option(
            names = "--trip-sizes",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "32",
            description =
                    "measure the round trips of messages of these sizes, separated by "
                            + "commas (default: ${DEFAULT-VALUE})")
    private List<Integer> tripSizes;

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
                                "message-security",
                                Map.of(
                                        "rounds",
                                        settings.rounds(),
                                        "seconds",
                                        settings.seconds(),
                                        "rate_sizes",
                                        rateSizes,
                                        "trip_sizes",
                                        tripSizes))
                        .columns("what", "mode", "figure", "ratio", "bytes allocated");
        try (MessageLine line = new MessageLine("key", warmUp, settings.seconds(), List.of())) {
            for (final int size : rateSizes) {
                rate(report, size, line);
            }
            for (final int size : tripSizes) {
                for (final LoopConfig.Waiting waiting :
                        List.of(LoopConfig.Waiting.SPIN, LoopConfig.Waiting.HYBRID)) {
                    roundTrip(report, size, waiting, line);
                }
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private void rate(final Report report, final int size, final MessageLine line)
            throws Exception {
        final Contest contest = new Contest();
        for (final Mode mode : Mode.values()) {
            contest.add(name(mode), () -> line.rate(mode, size));
        }
        final String what = "MB/s of " + size + " bytes";
        final Contest.Results results = run(report, contest, what);
        for (final Mode mode : Mode.values()) {
            line(report, results, what, mode, "MBps", results.of(name(mode), "allocated").format());
        }
    }

    private void roundTrip(
            final Report report,
            final int size,
            final LoopConfig.Waiting waiting,
            final MessageLine line)
            throws Exception {
        final Contest contest = new Contest();
        for (final Mode mode : Mode.values()) {
            contest.add(name(mode), () -> line.roundTrip(mode, size, waiting));
        }
        final String what =
                "p50 us of "
                        + size
                        + " bytes, "
                        + (waiting == LoopConfig.Waiting.SPIN ? "spinning" : "as by default");
        final Contest.Results results = run(report, contest, what);
        for (final Mode mode : Mode.values()) {
            line(report, results, what, mode, "p50_us", "");
        }
    }

    private Contest.Results run(final Report report, final Contest contest, final String what)
            throws Exception {
        final Contest.Results results = contest.run(settings.rounds(), Progress.of(what));
        report.keep(what, results);
        return results;
    }

    private static void line(
            final Report report,
            final Contest.Results results,
            final String what,
            final Mode mode,
            final String figure,
            final String allocated) {
        final String name = name(mode);
        report.line(
                what,
                name,
                results.of(name, figure).format(),
                results.ratio(name, name(Mode.NONE), figure).format(),
                allocated);
    }

    private static String name(final Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }
}
