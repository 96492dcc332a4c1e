package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.config.LoopConfig;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Round trips as users get them: programs that attach to running services, nothing pinned, the
 * first thousand apart from the later ones. One thread.
 */
@Command(
        name = "attached-rtt",
        mixinStandardHelpOptions = true,
        description =
                "Measure round trips between programs that are attached to nodes in processes of"
                        + " their own, beside plain sockets and Aeron with its driver in a process."
                        + " Under 'taskset -c 0' everything shares one CPU.")
final class AttachedRoundTrip implements Callable<Integer> {
    private static final String UDP = "C, UDP sockets, blocking";

    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--sizes",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "32",
            description =
                    "send messages of these sizes, at most 65000, separated by commas "
                            + "(default: ${DEFAULT-VALUE})")
    private List<Integer> sizes;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "3",
            description = "send for this long before each measurement (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Option(
            names = "--load",
            paramLabel = "N",
            description =
                    "run this many programs beside it that compute all the time (default: "
                            + "${DEFAULT-VALUE})",
            defaultValue = "0")
    private int load;

    @Mixin private LabExperiments.Chosen chosen;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "attached-rtt",
                                Map.of(
                                        "rounds",
                                        settings.rounds(),
                                        "seconds",
                                        settings.seconds(),
                                        "load",
                                        load,
                                        "sizes",
                                        sizes))
                        .columns(
                                "bytes",
                                "what",
                                "p50 us",
                                "ratio",
                                "p99 us",
                                "ratio",
                                "p99.9 us",
                                "first 1,000: p50 us",
                                "to the later ones",
                                "p99 us");
        final List<Process> others = new ArrayList<>();
        try (AttachedLine line = new AttachedLine("", warmUp, settings.seconds(), false);
                AttachedLines further =
                        new AttachedLines(chosen.loops(), warmUp, settings.seconds())) {
            for (int i = 0; i < load; i++) {
                others.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
            }
            for (final int size : sizes) {
                measure(report, size, line, further);
            }
        } finally {
            others.forEach(Process::destroyForcibly);
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private void measure(
            final Report report,
            final int size,
            final AttachedLine line,
            final AttachedLines further)
            throws Exception {
        final Contest contest = new Contest();
        for (final String protocol : List.of("udp", "tcp")) {
            final String name = "C, " + protocol.toUpperCase(Locale.ROOT) + " sockets, ";
            contest.add(name + "blocking", () -> line.sockets(protocol, false, size))
                    .add(name + "spinning", () -> line.sockets(protocol, true, size));
        }
        contest.add("C, pipes, blocking, one host", () -> line.pipes(false, size))
                .add("C, pipes, spinning, one host", () -> line.pipes(true, size));
        contest.add(
                "Aeron, driver in a process of its own",
                () -> line.aeronRoundTrip(AttachedLine.Place.TWO_HOSTS, size));
        contest.add(
                "Aeron IPC, one host",
                () -> line.aeronRoundTrip(AttachedLine.Place.ONE_HOST, size));
        if (settings.hasHxb()) {
            for (final LoopConfig.Waiting waiting : LoopConfig.Waiting.values()) {
                final String name = "HXB, " + waiting.name().toLowerCase(Locale.ROOT);
                contest.add(
                        name, () -> line.roundTrip(AttachedLine.Place.TWO_HOSTS, waiting, size));
                contest.add(
                        name + ", one host",
                        () -> line.roundTrip(AttachedLine.Place.ONE_HOST, waiting, size));
                final String ofC = name + ", in C";
                contest.add(
                        ofC, () -> line.roundTripOfC(AttachedLine.Place.TWO_HOSTS, waiting, size));
                contest.add(
                        ofC + ", one host",
                        () -> line.roundTripOfC(AttachedLine.Place.ONE_HOST, waiting, size));
            }
            contest.add(
                    "HXB, with an AOT cache",
                    () ->
                            line.cachedRoundTrip(
                                    AttachedLine.Place.TWO_HOSTS, LoopConfig.Waiting.HYBRID, size));
        }
        further.addRoundTrips(contest, size);
        final Contest.Results results =
                chosen.of(contest).run(settings.rounds(), Progress.of("attached-rtt " + size));
        report.keep(Integer.toString(size), results);
        for (final String name : results.series().keySet()) {
            report.line(
                    Integer.toString(size),
                    name,
                    results.of(name, "p50_us").format(),
                    ratio(results, name, "p50_us"),
                    results.of(name, "p99_us").format(),
                    ratio(results, name, "p99_us"),
                    results.of(name, "p999_us").format(),
                    results.of(name, "first_p50_us").format(),
                    results.of(name, "first_p50_us").dividedBy(results.of(name, "p50_us")).format(),
                    results.of(name, "first_p99_us").format());
        }
    }

    private static String ratio(
            final Contest.Results results, final String name, final String figure) {
        return results.series().containsKey(UDP) ? results.ratio(name, UDP, figure).format() : "";
    }
}
