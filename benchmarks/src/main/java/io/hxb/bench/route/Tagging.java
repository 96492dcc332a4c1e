package io.hxb.bench.route;

import io.hxb.bench.harness.BusyTime;
import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.bench.harness.ResultsOption;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * What tags cost: TCP streams between two hosts whose frames nobody tags, the kernel tags, or a TAP
 * device's thread tags, all on the same NICs, where managers come and go; and on hosts with two
 * NICs, without tags and with them. One thread.
 */
@Command(
        name = "tagging",
        mixinStandardHelpOptions = true,
        description =
                "Measure TCP streams between two namespaces joined by a veth pair, without tags,"
                    + " tagged in the kernel, and tagged by a TAP device, in turns; and the same"
                    + " where hosts have two NICs. Needs root.")
public final class Tagging implements Callable<Integer> {
    private static final String NONE = "no tags";

    /** The same again: what it differs by is no cost of tags. */
    private static final String CONTROL = "no tags, again";

    /** The path is not probed: what is left is what tags cost. */
    private static final String NO_PROBES = "kernel, no probes";

    private static final String KERNEL = "kernel";
    private static final String TAP = "tap";
    private static final String NONE_OF_TWO_NICS = "two NICs, no tags";
    private static final String TWO_NICS = "two NICs, kernel";

    private static final String RATE = "MB/s";
    private static final String CPU = "CPU ms/GB";
    private static final String MACHINE = "machine's CPU ms/GB";
    private static final String PORT = "7171";
    private static final int TIME_LIMIT_S = 60;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "7",
            description = "measure each way this many times (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "measure for this long each time (default: ${DEFAULT-VALUE})")
    private double seconds;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "4",
            description =
                    "send this long after managers start, before measuring (default: "
                            + "${DEFAULT-VALUE})")
    private double warmUpSeconds;

    @Option(
            names = "--streams",
            paramLabel = "N",
            defaultValue = "6",
            description = "send by this many TCP connections at once (default: ${DEFAULT-VALUE})")
    private int streams;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            defaultValue = "1500",
            description = "set this MTU at the NICs (default: ${DEFAULT-VALUE})")
    private int mtuBytes;

    @Mixin private ResultsOption results;

    private Tagging() {}

    /** Runs it; ends with 0, 1 if it failed, 2 for wrong usage. */
    public static void main(final String[] arguments) {
        final CommandLine line = new CommandLine(new Tagging());
        line.setExecutionExceptionHandler(
                (thrown, command, parsed) -> {
                    System.err.println("tagging: " + thrown.getMessage());
                    return 1;
                });
        System.exit(line.execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "tagging",
                                Map.of(
                                        "rounds",
                                        rounds,
                                        "seconds",
                                        seconds,
                                        "warmUp",
                                        warmUpSeconds,
                                        "streams",
                                        streams,
                                        "mtu",
                                        mtuBytes))
                        .columns("way", RATE, "ratio", CPU, "ratio", MACHINE, "ratio");
        try (ManagedPair pair = ManagedPair.plain("tag-one", mtuBytes);
                Program server = serve(pair);
                ManagedPair twoNics = ManagedPair.ofTwoNics("tag-two", mtuBytes);
                Program serverOfTwo = serve(twoNics)) {
            final Contest contest =
                    new Contest()
                            .add(NONE, () -> measure(pair, server))
                            .add(NO_PROBES, () -> managed(pair, server, KERNEL, "--no-health"))
                            .add(CONTROL, () -> measure(pair, server))
                            .add(KERNEL, () -> managed(pair, server, KERNEL))
                            .add(TAP, () -> managed(pair, server, TAP))
                            .add(NONE_OF_TWO_NICS, () -> measure(twoNics, serverOfTwo))
                            .add(TWO_NICS, () -> managed(twoNics, serverOfTwo, KERNEL));
            final Contest.Results results = contest.run(rounds, Progress.of("tagging"));
            report.keep("streams", results);
            results.series().keySet().forEach(way -> line(report, results, way));
        }
        report.finish(System.out, results.folder());
        return 0;
    }

    private static void line(final Report report, final Contest.Results results, final String way) {
        final List<String> cells = new ArrayList<>(List.of(way));
        for (final String figure : List.of(RATE, CPU, MACHINE)) {
            cells.add(results.of(way, figure).format());
            final String other = way.equals(TWO_NICS) ? NONE_OF_TWO_NICS : NONE;
            cells.add(way.equals(other) ? "" : results.ratio(way, other, figure).format());
        }
        report.line(cells.toArray(String[]::new));
    }

    private Program serve(final ManagedPair pair) throws IOException, InterruptedException {
        final Program server =
                Program.start(
                        pair.second(),
                        "",
                        Peers.c("tcp_streams", "-m", "server", ManagedPair.SECOND, PORT));
        server.ready();
        send(pair, seconds);
        return server;
    }

    private Map<String, Double> managed(
            final ManagedPair pair, final Program server, final String tagger, final String... more)
            throws IOException, InterruptedException {
        pair.manage(tagger, more);
        try {
            // Managers are compiled while they work.
            send(pair, warmUpSeconds);
            return measure(pair, server);
        } finally {
            pair.leaveAlone();
        }
    }

    private JsonNode send(final ManagedPair pair, final double forSeconds)
            throws IOException, InterruptedException {
        try (Program client =
                Program.start(
                        pair.first(),
                        "",
                        Peers.c(
                                "tcp_streams",
                                "-m",
                                "client",
                                "-n",
                                Integer.toString(streams),
                                "-S",
                                Double.toString(forSeconds),
                                ManagedPair.SECOND,
                                PORT))) {
            return client.last(forSeconds + TIME_LIMIT_S);
        }
    }

    private Map<String, Double> measure(final ManagedPair pair, final Program server)
            throws IOException, InterruptedException {
        final long cpuNs = pair.managersCpuNs() + server.cpuNs();
        final BusyTime start = BusyTime.now();
        final JsonNode sent = send(pair, seconds);
        final double bytes = sent.path("bytes").asDouble();
        final double usedNs =
                pair.managersCpuNs() + server.cpuNs() - cpuNs + sent.path("cpu_ns").asDouble();
        return Map.of(
                RATE,
                bytes / 1e6 / sent.path("seconds").asDouble(),
                CPU,
                usedNs / 1e6 / (bytes / 1e9),
                MACHINE,
                BusyTime.now().cpuSecondsSince(start) * 1e3 / (bytes / 1e9));
    }
}
