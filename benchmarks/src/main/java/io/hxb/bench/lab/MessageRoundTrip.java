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

/** Round trips of messages, one hop: HXB against Aeron, and blocking against C. One thread. */
@Command(
        name = "message-rtt",
        mixinStandardHelpOptions = true,
        description =
                "Round trips of messages over one veth: HXB and Aeron UDP, both in their invoker"
                        + " layout and spinning; HXB blocking and a raw C ping-pong.")
final class MessageRoundTrip implements Callable<Integer> {
    private static final String AERON = "Aeron UDP, invoker, spinning";
    private static final String HXB = "HXB, invoker, spinning";
    private static final String C_BLOCKING = "C raw sockets, blocking";
    private static final String C_EPOLL = "C raw sockets, blocking, the calls of a node";
    private static final String JAVA_BLOCKING = "Java, bare frames, blocking";
    private static final String HXB_BLOCKING = "HXB, invoker, blocking";

    @Mixin private Lab.Settings settings;

    @Option(
            names = "--sizes",
            split = ",",
            defaultValue = "32,8192",
            description = "bytes of a message (default ${DEFAULT-VALUE})")
    private List<Integer> sizes;

    @Option(
            names = "--warm-up",
            defaultValue = "8",
            description = "seconds before each measurement (default ${DEFAULT-VALUE})")
    private double warmUp;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "message-rtt",
                                Map.of(
                                        "rounds", settings.rounds(),
                                        "seconds", settings.seconds(),
                                        "sizes", sizes))
                        .columns("bytes", "transport", "p50 us", "p99 us", "p99.9 us", "p50 ratio");
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
        final int frameBytes = size + MessageLine.FRAME_OVERHEAD_BYTES;
        final Contest contest =
                new Contest()
                        .add(AERON, () -> line.roundTrip(MessageLine.Transport.AERON, size))
                        .add(C_BLOCKING, () -> direct.roundTrip(frameBytes, settings.seconds()))
                        .add(C_EPOLL, () -> epoll.roundTrip(frameBytes, settings.seconds()))
                        .add(
                                JAVA_BLOCKING,
                                () -> line.blockingRoundTrip(MessageLine.Transport.RAW, size));
        if (settings.hasHxb()) {
            contest.add(HXB, () -> line.roundTrip(MessageLine.Transport.HXB, size))
                    .add(
                            HXB_BLOCKING,
                            () -> line.blockingRoundTrip(MessageLine.Transport.HXB, size));
        }
        final Contest.Standing standing =
                contest.run(settings.rounds(), Progress.of("message-rtt " + size));
        report.keep(Integer.toString(size), standing);
        for (final String name : standing.series().keySet()) {
            final String base = name.endsWith("spinning") ? AERON : C_BLOCKING;
            report.line(
                    Integer.toString(size),
                    name,
                    standing.of(name, "p50_us").format(),
                    standing.of(name, "p99_us").format(),
                    standing.of(name, "p999_us").format(),
                    standing.ratio(name, base, "p50_us").format());
        }
    }
}
