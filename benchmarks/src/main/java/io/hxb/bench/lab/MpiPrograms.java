package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.bench.harness.Subnets;
import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.bench.harness.Turn;
import io.hxb.config.Backend;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabSpec;
import io.hxb.topology.Shape;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Whole programs of MPI over HXB and over TCP, with and without a link that dies. One thread. */
@Command(
        name = "mpi-programs",
        mixinStandardHelpOptions = true,
        description =
                "Run CG, LAMMPS and HPCC on a lab: times and results over HXB and TCP, also "
                        + "while one link of one node is pulled for a while.")
final class MpiPrograms implements Callable<Integer> {
    private static final int MTU_BYTES = 9000;
    private static final long LIMIT_SECONDS = 180;

    private static final List<String> FAILED = List.of("has failed");

    /** A liquid of Lennard-Jones atoms, as LAMMPS has it among its benchmarks. */
    private static final String LIQUID =
            """
            units lj
            atom_style atomic
            lattice fcc 0.8442
            region box block 0 16 0 16 0 16
            create_box 1 box
            create_atoms 1 box
            mass 1 1.0
            velocity all create 1.44 87287 loop geom
            pair_style lj/cut 2.5
            pair_coeff 1 1 1.0 1.0 2.5
            neighbor 0.3 bin
            neigh_modify delay 0 every 20 check no
            fix 1 all nve
            thermo 100
            run STEPS
            """;

    /**
     * A program and what it computes.
     *
     * @param name for the table.
     * @param ranks how many.
     * @param command that each rank runs.
     * @param resultFile where the results are; empty for standard output.
     * @param result of which lines, as a regular expression, whose groups are compared.
     */
    private record Plan(
            String name, int ranks, List<String> command, String resultFile, String result) {
        /** The nodes of its ranks, which are dealt to them in turn. */
        List<Integer> nodes(final int count) {
            return IntStream.range(0, ranks).mapToObj(rank -> rank % count).toList();
        }
    }

    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--mbit",
            paramLabel = "MBIT/S",
            defaultValue = "250",
            description = "shape each link to this rate (default: ${DEFAULT-VALUE})")
    private int mbit;

    @Option(
            names = "--length",
            paramLabel = "N",
            defaultValue = "1",
            description = "make programs take this many times as long (default: ${DEFAULT-VALUE})")
    private int length;

    @Option(
            names = "--only",
            paramLabel = "TEXT",
            description = "run only programs whose name has this text")
    private String only = "";

    @Option(
            names = "--shape",
            paramLabel = "SHAPE",
            defaultValue = "2x2",
            description = "make a lab of this shape (default: ${DEFAULT-VALUE})")
    private String shape;

    @Option(
            names = "--links",
            paramLabel = "N",
            defaultValue = "2",
            description = "make this many links per dimension (default: ${DEFAULT-VALUE})")
    private int links;

    @Option(
            names = "--ranks",
            paramLabel = "N",
            split = ",",
            defaultValue = "4,8",
            description =
                    "run each program with these numbers of ranks, separated by commas; CG "
                            + "takes 4, 8 or 16 (default: ${DEFAULT-VALUE})")
    private List<Integer> rankCounts;

    @Option(names = "--together", description = "run all nodes in one process, as hxb lab up does")
    private boolean isTogether;

    @Option(
            names = "--hpcc-size",
            paramLabel = "N",
            defaultValue = "800",
            description =
                    "give HPCC's matrix this order, times --length (default: "
                            + "${DEFAULT-VALUE})")
    private int hpccSize;

    @Option(names = "--without-faults", description = "leave out runs in which a link is pulled")
    private boolean isWithoutFaults;

    @Option(
            names = "--lock",
            paramLabel = "FILE",
            description =
                    "hold the lock of this file during each run, as flock(1) does, to take "
                            + "turns with others that measure on this machine")
    private Path lock;

    private final Map<String, Double> lastSeconds = new TreeMap<>();
    private final Map<String, List<List<String>>> results = new TreeMap<>();

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "mpi-programs",
                                Map.of(
                                        "rounds",
                                        settings.rounds(),
                                        "mbit",
                                        mbit,
                                        "length",
                                        length,
                                        "shape",
                                        shape,
                                        "links",
                                        links,
                                        "hpcc size",
                                        hpccSize,
                                        "together",
                                        isTogether))
                        .columns(
                                "program",
                                "over",
                                "s",
                                "results",
                                "s, a link pulled",
                                "results",
                                "ratio");
        try (TemporaryFolder folder = new TemporaryFolder();
                MpiRanks ranks = startNodes()) {
            Files.writeString(
                    folder.file("in.lj"), LIQUID.replace("STEPS", Integer.toString(200 * length)));
            for (final Plan plan : plans()) {
                if (plan.name.contains(only)) {
                    writeHpcc(folder.file("hpccinf.txt"), plan.ranks);
                    measure(report, ranks, folder.path(), plan);
                }
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    /** What HPCC reads; it comes with no other default than for four ranks. */
    private void writeHpcc(final Path file, final int ranks) throws IOException {
        final Path example = Path.of("/usr/share/doc/hpcc/examples/_hpccinf.txt");
        if (Files.exists(example)) {
            final int rows = rows(ranks);
            Files.writeString(
                    file,
                    Files.readString(example)
                            .replaceFirst("(?m)^1000 ", hpccSize * length + " ")
                            .replaceFirst("(?m)^2 ( *Ps)$", rows + " $1")
                            .replaceFirst("(?m)^2 ( *Qs)$", ranks / rows + " $1"));
        }
    }

    private List<Plan> plans() {
        final List<String> lammps = List.of("lmp", "-in", "in.lj", "-log", "none");
        final String step = "^ *(\\d+ +\\S+ +\\S+ +\\S+ +\\S+ +\\S+) *$";
        final List<String> solver = Peers.c("cg", "60000", "25", Integer.toString(10 * length));
        final List<Plan> plans = new ArrayList<>();
        for (final int count : rankCounts) {
            final String ranks = ", " + count + " ranks";
            if (Set.of(4, 8, 16).contains(count)) {
                plans.add(new Plan("CG" + ranks, count, solver, "", ".*result (.*)"));
            }
            plans.add(new Plan("LAMMPS" + ranks, count, lammps, "", step));
            plans.add(
                    new Plan(
                            "HPCC" + ranks,
                            count,
                            List.of("hpcc"),
                            "hpccoutf.txt",
                            "^(Success=.*)"));
        }
        return plans;
    }

    /** Rows of HPCC's grid of ranks: as many as columns, or fewer. */
    private static int rows(final int ranks) {
        int rows = (int) Math.sqrt(ranks);
        while (ranks % rows != 0) {
            rows--;
        }
        return rows;
    }

    private MpiRanks startNodes() throws Exception {
        try (Turn turn = Turn.take(lock)) {
            assert turn != null;
            return isTogether ? MpiRanks.together(spec()) : MpiRanks.apart(spec());
        }
    }

    private LabSpec spec() {
        return new LabSpec(
                "mq" + ProcessHandle.current().pid(),
                Shape.parse(shape),
                links,
                Backend.RAW,
                mbit * 1_000_000L,
                MTU_BYTES);
    }

    private void measure(
            final Report report, final MpiRanks ranks, final Path folder, final Plan plan)
            throws Exception {
        final Contest contest = new Contest();
        for (final boolean isHxb : new boolean[] {true, false}) {
            for (final boolean isPulled :
                    isWithoutFaults ? new boolean[1] : new boolean[] {false, true}) {
                contest.add(
                        name(isHxb, isPulled),
                        () -> {
                            try (Turn turn = Turn.take(lock)) {
                                assert turn != null;
                                return run(ranks, folder, plan, isHxb, isPulled);
                            }
                        });
            }
        }
        lastSeconds.clear();
        results.clear();
        final Contest.Results results = contest.run(settings.rounds(), Progress.of(plan.name));
        report.keep(plan.name, results);
        for (final boolean isHxb : new boolean[] {true, false}) {
            report.line(
                    plan.name,
                    isHxb ? "HXB" : "TCP",
                    results.of(name(isHxb, false), "seconds").format(),
                    verdict(name(isHxb, false)),
                    isWithoutFaults ? "-" : results.of(name(isHxb, true), "seconds").format(),
                    isWithoutFaults ? "-" : verdict(name(isHxb, true)),
                    isWithoutFaults
                            ? "-"
                            : results.ratio(name(isHxb, true), name(isHxb, false), "seconds")
                                    .format());
        }
    }

    private static String name(final boolean isHxb, final boolean isPulled) {
        return (isHxb ? "HXB" : "TCP") + (isPulled ? ", a link pulled" : "");
    }

    /** Whether all its runs have computed what HXB has at first. */
    private String verdict(final String name) {
        final List<String> expected = results.get(name(true, false)).getFirst();
        final List<List<String>> computed = results.get(name);
        final long failed = computed.stream().filter(FAILED::equals).count();
        if (failed > 0) {
            return failed + " of " + computed.size() + " failed";
        }
        return computed.stream().allMatch(expected::equals) ? "same" : "OTHERS";
    }

    private void keep(final String name, final List<String> result) {
        results.computeIfAbsent(name, key -> new ArrayList<>()).add(result);
    }

    /** Runs it; the link is pulled after a third of the time that it took without that. */
    private Map<String, Double> run(
            final MpiRanks ranks,
            final Path folder,
            final Plan plan,
            final boolean isHxb,
            final boolean isPulled)
            throws Exception {
        final Path output = folder.resolve("output");
        final int nodeCount = ranks.spec().shape().nodeCount();
        final List<String> command =
                isHxb
                        ? ranks.hxbCommand(plan.nodes(nodeCount), plan.command)
                        : ranks.tcpCommand(plan.nodes(nodeCount), plan.command);
        Files.deleteIfExists(folder.resolve("hpccoutf.txt"));
        final long startNs = System.nanoTime();
        final Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        if (isPulled) {
            final double usual = lastSeconds.get(name(isHxb, false));
            process.waitFor((long) (usual * 1e9 / 3), TimeUnit.NANOSECONDS);
            link(ranks.spec(), "down");
            process.waitFor((long) (usual * 1e9 / 3), TimeUnit.NANOSECONDS);
            link(ranks.spec(), "up");
        }
        final boolean hasEnded = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        final double seconds = (System.nanoTime() - startNs) / 1e9;
        if (!hasEnded) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        final boolean hasFailed = !hasEnded || process.exitValue() != 0;
        if (hasFailed) {
            System.err.println(Files.readString(output));
            keep(name(isHxb, isPulled), FAILED);
        } else {
            keep(name(isHxb, isPulled), result(plan, folder, output));
        }
        lastSeconds.put(name(isHxb, isPulled), seconds);
        return Map.of("seconds", seconds, "failed", hasFailed ? 1.0 : 0.0);
    }

    private static List<String> result(final Plan plan, final Path folder, final Path output)
            throws IOException {
        final Path file = plan.resultFile.isEmpty() ? output : folder.resolve(plan.resultFile);
        final List<String> found =
                Files.readAllLines(file).stream()
                        .filter(line -> line.matches(plan.result))
                        .map(line -> line.replaceFirst(plan.result, "$1").strip())
                        .collect(Collectors.toList());
        if (found.isEmpty()) {
            throw new IllegalStateException(
                    plan.name + " has printed no result:\n" + Files.readString(output));
        }
        return found;
    }

    /** The first link in X of node 1. */
    private static void link(final LabSpec spec, final String state) {
        Subnets.ip(spec, 1, "link set " + LabNames.nic(0, 0) + " " + state + "\n");
    }
}
