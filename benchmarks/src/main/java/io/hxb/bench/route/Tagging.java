package io.hxb.bench.route;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * What tags cost: TCP streams between two hosts whose frames nobody tags, the kernel tags, a TAP
 * device's thread tags, or the kernel tags behind the device that stands for two NICs, in turns.
 * One thread.
 */
@Command(
        name = "tagging",
        mixinStandardHelpOptions = true,
        description =
                "TCP streams between two namespaces joined by a veth pair, without tags, tagged in"
                        + " the kernel, tagged by a TAP device, and tagged in the kernel where the"
                        + " host has two NICs, in turns. Needs root.")
public final class Tagging implements Callable<Integer> {
    private static final String NONE = "no tags";
    private static final List<String> WAYS = List.of("kernel", "tap");
    private static final String TWO_NICS = "kernel, two NICs";

    /** The path is not probed: what is left is what tags cost. */
    private static final String NO_PROBES = "kernel, no probes";

    /** What two pairs of hosts without tags differ by is no cost of tags. */
    private static final String CONTROL = "no tags, other hosts";

    private static final String RATE = "MB/s";
    private static final String CPU = "CPU ms/GB";
    private static final String MACHINE = "machine's CPU ms/GB";
    private static final String PORT = "7171";
    private static final long CLOCK_TICK_NS = 10_000_000;
    private static final int TIME_LIMIT_S = 60;

    @Option(
            names = "--rounds",
            defaultValue = "7",
            description = "measurements of each way (default ${DEFAULT-VALUE})")
    private int rounds;

    @Option(
            names = "--seconds",
            defaultValue = "2",
            description = "length of one measurement (default ${DEFAULT-VALUE})")
    private double seconds;

    @Option(
            names = "--streams",
            defaultValue = "6",
            description = "TCP connections at once (default ${DEFAULT-VALUE})")
    private int streams;

    @Option(
            names = "--mtu",
            defaultValue = "1500",
            description = "MTU of the NICs (default ${DEFAULT-VALUE})")
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
                                        "rounds", rounds, "seconds", seconds, "streams", streams,
                                        "mtu", mtuBytes))
                        .columns("way", RATE, "ratio", CPU, "ratio", MACHINE, "ratio");
        final List<AutoCloseable> opened = new ArrayList<>();
        try {
            final Contest contest = new Contest();
            add(contest, NONE, ManagedPair.plain("tag-none", mtuBytes), opened);
            add(contest, CONTROL, ManagedPair.plain("tag-other", mtuBytes), opened);
            for (final String way : WAYS) {
                add(contest, way, ManagedPair.managed("tag-" + way, mtuBytes, way), opened);
            }
            add(contest, NO_PROBES, ManagedPair.withoutProbes("tag-alone", mtuBytes), opened);
            add(contest, TWO_NICS, ManagedPair.ofTwoNics("tag-two", mtuBytes), opened);
            final Contest.Standing standing = contest.run(rounds, Progress.of("tagging"));
            report.keep("streams", standing);
            standing.series().keySet().forEach(way -> line(report, standing, way));
        } finally {
            for (final AutoCloseable one : opened.reversed()) {
                one.close();
            }
        }
        report.finish(System.out, results.folder());
        return 0;
    }

    private static void line(
            final Report report, final Contest.Standing standing, final String way) {
        final List<String> cells = new ArrayList<>(List.of(way));
        for (final String figure : List.of(RATE, CPU, MACHINE)) {
            cells.add(standing.of(way, figure).format());
            cells.add(way.equals(NONE) ? "" : standing.ratio(way, NONE, figure).format());
        }
        report.line(cells.toArray(String[]::new));
    }

    private void add(
            final Contest contest,
            final String way,
            final ManagedPair pair,
            final List<AutoCloseable> opened)
            throws IOException, InterruptedException {
        opened.add(pair);
        final Program server =
                Program.start(
                        pair.second(),
                        "",
                        Peers.c("tcp_streams", "-m", "server", ManagedPair.SECOND, PORT));
        opened.add(server);
        server.ready();
        // The thread of the TAP device is compiled while it works.
        measure(pair, server);
        contest.add(way, () -> measure(pair, server));
    }

    private Map<String, Double> measure(final ManagedPair pair, final Program server)
            throws IOException, InterruptedException {
        final long cpuNs = pair.managersCpuNs() + server.cpuNs();
        final long busyNs = busyNs();
        final JsonNode sent;
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
                                Double.toString(seconds),
                                ManagedPair.SECOND,
                                PORT))) {
            sent = client.last(seconds + TIME_LIMIT_S);
        }
        final double bytes = sent.path("bytes").asDouble();
        final double usedNs =
                pair.managersCpuNs() + server.cpuNs() - cpuNs + sent.path("cpu_ns").asDouble();
        return Map.of(
                RATE,
                bytes / 1e6 / sent.path("seconds").asDouble(),
                CPU,
                usedNs / 1e6 / (bytes / 1e9),
                MACHINE,
                (busyNs() - busyNs) / 1e6 / (bytes / 1e9));
    }

    /** Time in which CPUs were not idle: ticks that count work miss what ends between two. */
    private static long busyNs() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            final String[] fields = lines.findFirst().orElseThrow().trim().split(" +", -1);
            // Source: proc_stat(5): cpu, user, nice, system, idle, iowait.
            final long idleNs =
                    (Long.parseLong(fields[4]) + Long.parseLong(fields[5])) * CLOCK_TICK_NS;
            return System.nanoTime() * Runtime.getRuntime().availableProcessors() - idleNs;
        }
    }
}
