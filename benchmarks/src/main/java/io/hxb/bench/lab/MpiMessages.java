package io.hxb.bench.lab;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.bench.harness.Series;
import io.hxb.config.Backend;
import io.hxb.tool.lab.LabSpec;
import io.hxb.topology.Shape;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What messages and collective operations of MPI cost over HXB and over TCP. One thread. */
@Command(
        name = "mpi",
        mixinStandardHelpOptions = true,
        description =
                "Measure programs of Open MPI over HXB, and over TCP on the same wires. "
                        + "Ranks and nodes are processes of their own; ranks yield their CPU while "
                        + "they wait.")
final class MpiMessages implements Callable<Integer> {
    /**
     * The nodes of one table.
     *
     * @param shape of the lab.
     * @param links in each dimension.
     */
    private record Wires(String shape, int links) {}

    /**
     * One measurement.
     *
     * @param name for the table.
     * @param wires on which.
     * @param nodes of the ranks.
     * @param test of mpi_perf.
     * @param size bytes of a message; -1 if it has none.
     * @param window of messages; 0 for the test's own.
     */
    private record Plan(
            String name, Wires wires, List<Integer> nodes, String test, int size, int window) {
        List<String> program(final double warmUp, final double seconds) {
            final List<String> program =
                    new java.util.ArrayList<>(Peers.c("mpi_perf", test, "--json"));
            program.addAll(List.of("--warmup", decimal(warmUp), "--seconds", decimal(seconds)));
            if (size >= 0) {
                program.addAll(List.of("--sizes", Integer.toString(size)));
            }
            if (window > 0) {
                program.addAll(List.of("--window", Integer.toString(window)));
            }
            return program;
        }

        private static String decimal(final double value) {
            return String.format(Locale.ROOT, "%.2f", value);
        }

        boolean isBandwidth() {
            return test.equals("bandwidth");
        }
    }

    private static final String HXB = "HXB";
    private static final String TCP = "TCP";
    private static final int MTU_BYTES = 9000;
    private static final int MEGA = 1 << 20;
    private static final Wires TWO = new Wires("2", 2);
    private static final Wires SIX = new Wires("2", 6);
    private static final Wires RELAY = new Wires("2x2", 2);
    private static final Wires CUBE = new Wires("2x2x2", 2);
    private static final List<Integer> PAIR = List.of(0, 1);
    private static final List<Integer> FOUR_PAIRS = List.of(0, 0, 0, 0, 1, 1, 1, 1);
    private static final List<Integer> EIGHT = IntStream.range(0, 8).boxed().toList();

    private static final List<Plan> PLANS =
            List.of(
                    new Plan("two links, 1 MB", TWO, PAIR, "bandwidth", MEGA, 16),
                    new Plan("two links, 8 B round trip", TWO, PAIR, "latency", 8, 0),
                    new Plan("two links, 4 KB round trip", TWO, PAIR, "latency", 4096, 0),
                    new Plan("two links, 32 B, one pair", TWO, PAIR, "rate", 32, 0),
                    new Plan("two links, 32 B, four pairs", TWO, FOUR_PAIRS, "rate", 32, 0),
                    new Plan("two links, 8 B put", TWO, PAIR, "put", 8, 0),
                    new Plan("six links, 1 MB", SIX, PAIR, "bandwidth", MEGA, 16),
                    new Plan("one relay, 1 MB", RELAY, List.of(0, 3), "bandwidth", MEGA, 16),
                    new Plan("one relay, 8 B round trip", RELAY, List.of(0, 3), "latency", 8, 0),
                    new Plan("eight ranks, allreduce of 8 B", CUBE, EIGHT, "allreduce", 8, 0),
                    new Plan("eight ranks, allreduce of 4 KB", CUBE, EIGHT, "allreduce", 4096, 0),
                    new Plan("eight ranks, barrier", CUBE, EIGHT, "barrier", -1, 0),
                    new Plan("eight ranks, alltoall of 1 KB", CUBE, EIGHT, "alltoall", 1024, 0));

    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--mbit",
            paramLabel = "MBIT/S",
            defaultValue = "1000",
            description = "shape each link to this rate (default: ${DEFAULT-VALUE})")
    private int mbit;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "3",
            description = "send for this long before each measurement (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Mixin private LabExperiments.Chosen chosen;

    @Option(
            names = "--collectives",
            description = "measure the collective operations that nodes carry out, too")
    private boolean hasCollectives;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "mpi",
                                Map.of(
                                        "rounds",
                                        settings.rounds(),
                                        "seconds",
                                        settings.seconds(),
                                        "warm-up",
                                        warmUp,
                                        "mbit",
                                        mbit))
                        .columns(
                                "what",
                                "HXB: p50 us",
                                "p99 us",
                                "MB/s",
                                "a second",
                                "share of the links' bits %",
                                "TCP: p50 us",
                                "p99 us",
                                "MB/s",
                                "a second",
                                "share %",
                                "HXB / TCP");
        final Map<Wires, List<Plan>> byWires =
                PLANS.stream()
                        .filter(plan -> chosen.includes(plan.name))
                        .collect(
                                Collectors.groupingBy(
                                        Plan::wires, LinkedHashMap::new, Collectors.toList()));
        for (final Map.Entry<Wires, List<Plan>> entry : byWires.entrySet()) {
            try (MpiRanks ranks = MpiRanks.apart(spec(entry.getKey()));
                    Further further = new Further(entry.getKey())) {
                for (final Plan plan : entry.getValue()) {
                    measure(report, ranks, further, plan);
                }
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private LabSpec spec(final Wires wires) {
        return spec(wires, "");
    }

    private LabSpec spec(final Wires wires, final String suffix) {
        final boolean isLoopback = BenchNetwork.isLoopback();
        return new LabSpec(
                "mp" + ProcessHandle.current().pid() + suffix,
                Shape.parse(wires.shape),
                wires.links,
                isLoopback ? Backend.UDP : Backend.RAW,
                isLoopback ? 0 : mbit * 1_000_000L,
                MTU_BYTES);
    }

    /** Labs of the same wires whose nodes have other loops. */
    private final class Further implements AutoCloseable {
        private final Map<String, MpiRanks> labs = new LinkedHashMap<>();

        Further(final Wires wires) throws Exception {
            try {
                for (final String loop : chosen.loops()) {
                    final LabSpec spec = spec(wires, "-" + labs.size());
                    labs.put(loop, MpiRanks.apart(spec, LabExperiments.loop(loop)));
                }
            } catch (final Exception e) {
                close();
                throw e;
            }
        }

        @Override
        public void close() {
            labs.values().forEach(MpiRanks::close);
        }
    }

    private void measure(
            final Report report, final MpiRanks ranks, final Further further, final Plan plan)
            throws Exception {
        final Contest contest = new Contest();
        final double seconds = warmUp + settings.seconds();
        final List<String> program = plan.program(warmUp, settings.seconds());
        if (settings.hasHxb()) {
            contest.add(HXB, () -> figures(plan, ranks.overHxb(plan.nodes, seconds, program)));
            if (hasCollectives) {
                contest.add(
                        "HXB, --collectives",
                        () -> figures(plan, ranks.overCollectives(plan.nodes, seconds, program)));
            }
            further.labs.forEach(
                    (loop, lab) ->
                            contest.add(
                                    "HXB, nodes " + loop,
                                    () ->
                                            figures(
                                                    plan,
                                                    lab.overHxb(plan.nodes, seconds, program))));
        }
        contest.add(TCP, () -> figures(plan, ranks.overTcp(plan.nodes, seconds, program)));
        final Contest.Results results = contest.run(settings.rounds(), Progress.of(plan.name));
        report.keep(plan.name, results);
        report.line(
                plan.name,
                cell(results, HXB, "p50_us"),
                cell(results, HXB, "p99_us"),
                cell(results, HXB, "MBps"),
                cell(results, HXB, "rate"),
                plan.isBandwidth() ? cell(results, HXB, "share") : "-",
                cell(results, TCP, "p50_us"),
                cell(results, TCP, "p99_us"),
                cell(results, TCP, "MBps"),
                cell(results, TCP, "rate"),
                plan.isBandwidth() ? cell(results, TCP, "share") : "-",
                results.series().keySet().containsAll(List.of(HXB, TCP))
                        ? ratio(results, plan).format()
                        : "-");
    }

    private static String cell(
            final Contest.Results results, final String name, final String figure) {
        return results.series().getOrDefault(name, Map.of()).containsKey(figure)
                ? results.of(name, figure).format()
                : "-";
    }

    /** Of bandwidths and rates the more the better, of times the less. */
    private static Series ratio(final Contest.Results results, final Plan plan) {
        return results.ratio(
                HXB,
                TCP,
                switch (plan.test) {
                    case "bandwidth" -> "MBps";
                    case "rate" -> "rate";
                    default -> "p50_us";
                });
    }

    private Map<String, Double> figures(final Plan plan, final JsonNode node) {
        final Map<String, Double> figures = new LinkedHashMap<>();
        for (final String name : List.of("p50_us", "p99_us", "p999_us", "max_us", "MBps", "rate")) {
            figures.put(name, node.get(name).asDouble());
        }
        if (mbit > 0 && !BenchNetwork.isLoopback()) {
            figures.put("share", 100 * figures.get("MBps") / (plan.wires.links * mbit / 8.0));
        }
        return figures;
    }
}
