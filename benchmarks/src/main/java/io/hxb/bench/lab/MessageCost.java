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

/** Measures the CPU time of a 4-byte message and its part beyond the system calls. One thread. */
@Command(
        name = "message-cost",
        mixinStandardHelpOptions = true,
        description =
                "Measure the CPU time of a 4-byte message: alone in its frame (blocking ping-pong,"
                        + " against C programs that only make the system calls) and at full speed.")
final class MessageCost implements Callable<Integer> {
    private static final String C = "C, system calls only";
    private static final String HXB = "HXB";
    private static final String FULL_SPEED = "HXB at full speed";
    private static final int SIZE = 4;
    private static final int FRAME_BYTES = SIZE + MessageLine.FRAME_OVERHEAD_BYTES;

    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "4",
            description = "send for this long before each measurement (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "message-cost",
                                Map.of("rounds", settings.rounds(), "seconds", settings.seconds()))
                        .columns("what", "CPU ns", "beyond system calls, ns");
        try (MessageLine line = new MessageLine("cost", warmUp, settings.seconds(), List.of());
                DirectLine direct = new DirectLine("block")) {
            final Contest.Results results =
                    new Contest()
                            .add(C, () -> direct.roundTrip(FRAME_BYTES, settings.seconds(), 1))
                            .add(
                                    HXB,
                                    () ->
                                            line.roundTrip(
                                                    MessageLine.Transport.HXB,
                                                    SIZE,
                                                    LoopConfig.Waiting.BLOCK,
                                                    true))
                            .add(FULL_SPEED, () -> line.rate(MessageLine.Transport.HXB, SIZE, 0))
                            .run(settings.rounds(), Progress.of("message-cost"));
            report.keep("4", results);
            final double kernel = results.of(C, "cpu_ns").median();
            report.line("one sent + one received: " + C, results.of(C, "cpu_ns").format(), "");
            report.line(
                    "one sent + one received: " + HXB,
                    results.of(HXB, "cpu_ns").format(),
                    String.format(
                            Locale.ROOT, "%.0f", results.of(HXB, "cpu_ns").median() - kernel));
            report.line(
                    FULL_SPEED + ", sender, kernel included",
                    results.of(FULL_SPEED, "sender_cpu_ns").format(),
                    "");
            report.line(
                    FULL_SPEED + ", receiver, kernel included",
                    results.of(FULL_SPEED, "receiver_cpu_ns").format(),
                    "");
        }
        report.finish(System.out, settings.results());
        return 0;
    }
}
