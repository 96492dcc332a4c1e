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

/**
 * Round trips of messages, one hop: HXB against Aeron, both spinning, and against C that blocks.
 * Ends that block share one CPU, where the other end's work is all they wait for, or have one each,
 * as on two machines, where a CPU has to be woken.
 */
@Command(
        name = "message-rtt",
        mixinStandardHelpOptions = true,
        description =
                "Measure round trips of messages over one veth: HXB and Aeron UDP, both in their"
                        + " invoker layout and spinning; HXB blocking, and waiting as it does by"
                        + " default, and a raw C ping-pong.")
final class MessageRoundTrip implements Callable<Integer> {
    private static final String AERON = "Aeron UDP, invoker, spinning";
    private static final String HXB = "HXB, invoker, spinning";
    private static final String C_BLOCKING = "C raw sockets, blocking";
    private static final String C_EPOLL = "C raw sockets, blocking, the calls of a node";
    private static final String JAVA_BLOCKING = "Java, bare frames, blocking";
    private static final String HXB_BLOCKING = "HXB, invoker, blocking";
    private static final String HXB_HYBRID = "HXB, invoker, as by default";
    private static final String ONE_CPU = ", one CPU";
    private static final String CPU_EACH = ", a CPU each";

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

    @Option(
            names = "--only",
            paramLabel = "TEXT",
            description = "measure only contestants whose name has this text")
    private String only = "";

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "message-rtt",
                                Map.of(
                                        "rounds", settings.rounds(),
                                        "seconds", settings.seconds(),
                                        "sizes", sizes))
                        .columns(
                                "bytes",
                                "transport",
                                "p50 us",
                                "p99 us",
                                "p99.9 us",
                                "p50 ratio",
                                "CPU us of the end that asks");
        try (MessageLine line = new MessageLine("msg", warmUp, settings.seconds(), List.of());
                DirectLine direct = new DirectLine("block");
                DirectLine epoll = new DirectLine("epoll")) {
            for (final int size : sizes) {
                measure(report, size, line, direct, epoll);
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private void measure(
            final Report report,
            final int size,
            final MessageLine line,
            final DirectLine direct,
            final DirectLine epoll)
            throws Exception {
        final Contest contest =
                new Contest().add(AERON, () -> line.roundTrip(MessageLine.Transport.AERON, size));
        if (settings.hasHxb()) {
            contest.add(HXB, () -> line.roundTrip(MessageLine.Transport.HXB, size));
        }
        for (final boolean isOnOneCpu : List.of(true, false)) {
            addBlocking(contest, size, isOnOneCpu, line, direct, epoll);
        }
        final Contest.Results results =
                contest.only(only).run(settings.rounds(), Progress.of("message-rtt " + size));
        report.keep(Integer.toString(size), results);
        for (final String name : results.series().keySet()) {
            report.line(
                    Integer.toString(size),
                    name,
                    results.of(name, "p50_us").format(),
                    results.of(name, "p99_us").format(),
                    results.of(name, "p999_us").format(),
                    results.series().containsKey(base(name))
                            ? results.ratio(name, base(name), "p50_us").format()
                            : "",
                    String.format(Locale.ROOT, "%.1f", results.of(name, "cpu_ns").median() / 1e3));
        }
    }

    private void addBlocking(
            final Contest contest,
            final int size,
            final boolean isOnOneCpu,
            final MessageLine line,
            final DirectLine direct,
            final DirectLine epoll) {
        final String where = isOnOneCpu ? ONE_CPU : CPU_EACH;
        final int frameBytes = size + MessageLine.FRAME_OVERHEAD_BYTES;
        final int cpu = isOnOneCpu ? 1 : 0;
        contest.add(C_BLOCKING + where, () -> direct.roundTrip(frameBytes, settings.seconds(), cpu))
                .add(C_EPOLL + where, () -> epoll.roundTrip(frameBytes, settings.seconds(), cpu))
                .add(
                        JAVA_BLOCKING + where,
                        () ->
                                line.roundTrip(
                                        MessageLine.Transport.RAW,
                                        size,
                                        LoopConfig.Waiting.BLOCK,
                                        isOnOneCpu));
        if (settings.hasHxb()) {
            for (final LoopConfig.Waiting waiting :
                    List.of(LoopConfig.Waiting.BLOCK, LoopConfig.Waiting.HYBRID)) {
                contest.add(
                        (waiting == LoopConfig.Waiting.BLOCK ? HXB_BLOCKING : HXB_HYBRID) + where,
                        () -> line.roundTrip(MessageLine.Transport.HXB, size, waiting, isOnOneCpu));
            }
        }
    }

    private static String base(final String name) {
        if (name.endsWith(ONE_CPU)) {
            return C_BLOCKING + ONE_CPU;
        }
        return name.endsWith(CPU_EACH) ? C_BLOCKING + CPU_EACH : AERON;
    }
}
