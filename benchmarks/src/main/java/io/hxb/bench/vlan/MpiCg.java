package io.hxb.bench.vlan;

import io.hxb.bench.harness.Report;
import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.fabric.generate.Trees;
import io.hxb.tool.lab.switches.HostPlace;
import io.hxb.tool.lab.switches.SwitchLab;
import io.hxb.tool.machine.Shell;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The solver of {@link KernelCg} as an MPI program that knows nothing of paths, 16 ranks on as many
 * hosts: by the table of the plan, with chosen VLANs, and with libvfnprof, which chooses while the
 * program runs. One thread.
 */
@Command(
        name = "mpi-cg",
        mixinStandardHelpOptions = true,
        description =
                "Run the solver of kernel-cg as an MPI program (Open MPI): with VLANs in turn, with"
                        + " chosen VLANs, and with libvfnprof, which finds them as it runs.")
final class MpiCg implements Callable<Integer> {
    private static final String TURN = "VLANs in turn";
    private static final String CHOSEN = "VLANs chosen";
    private static final String PROFILED = "VLANs by libvfnprof";
    private static final Pattern ITERATION =
            Pattern.compile("iteration \\d+: ([0-9.]+) s, result ([-+0-9.e]+)");

    @Mixin private VlanSettings settings;

    @Option(
            names = "--numbers",
            paramLabel = "N",
            description = "solve for vectors of this length (default: 300000; with --short 8000)")
    private Integer numbers;

    @Option(
            names = "--iterations",
            paramLabel = "N",
            description = "repeat each program this often (default: 10; with --short 4)")
    private Integer iterations;

    @Option(
            names = "--inner",
            paramLabel = "N",
            description = "iterate the solver this often in each (default: 6; with --short 3)")
    private Integer inner;

    private int length;
    private int innerCount;
    private int count;

    @Override
    public Integer call() throws IOException, InterruptedException {
        length = or(numbers, 300_000, 8_000) / CgRank.SIDE;
        innerCount = or(inner, 6, 3);
        count = or(iterations, 10, 4);
        final Map<String, double[]> seconds = new LinkedHashMap<>();
        try (TemporaryFolder folder = new TemporaryFolder();
                SwitchLab lab = settings.start("vbft:4,4", Trees.vbft(4, 4, 4), false);
                Routes routes = Routes.open(lab)) {
            final Path root = Path.of(System.getProperty("hxb.root"));
            final Path program = folder.file("cg");
            Shell.check(
                    "",
                    List.of(
                            "mpicc",
                            "-std=gnu11",
                            "-O2",
                            "-o",
                            program.toString(),
                            root.resolve("benchmarks/src/main/mpi/cg.c").toString()));
            final Path built = folder.file("libvfn");
            Shell.check(
                    "",
                    List.of(
                            "make",
                            "-s",
                            "-C",
                            root.resolve("libvfn").toString(),
                            "OUT=" + built,
                            built + "/libvfnprof.so"));
            final Path idle = folder.file("idle.so");
            Shell.check(
                    "",
                    List.of(
                            "gcc",
                            "-O2",
                            "-shared",
                            "-fPIC",
                            "-o",
                            idle.toString(),
                            root.resolve("benchmarks/src/main/preload/idle.c").toString()));
            final Path agent = agent(lab, folder.file("agent"));
            final String preload = "-x LD_PRELOAD=" + idle;
            seconds.put(TURN, run(lab, agent, preload, program, TURN));
            final int[] chosen = KernelCg.chosen(lab.plan());
            KernelCg.set(routes, chosen);
            seconds.put(CHOSEN, run(lab, agent, preload, program, CHOSEN));
            KernelCg.reset(routes, chosen);
            final String profiled = preload + ":" + built.resolve("libvfnprof.so");
            seconds.put(
                    PROFILED, run(lab, agent, profiled + " -x VFN_VERBOSE=1", program, PROFILED));
        }
        return report(seconds) || settings.isShort() ? 0 : 1;
    }

    private int or(final Integer given, final int whole, final int brief) {
        final int value = given != null ? given : settings.isShort() ? brief : whole;
        if (value < 1) {
            throw new IllegalArgumentException("counts are 1 or more: " + value);
        }
        return value;
    }

    /** What mpirun takes for ssh: runs a command on a host, under a host name of its own. */
    private static Path agent(final SwitchLab lab, final Path file) throws IOException {
        final StringBuilder script = new StringBuilder("#!/bin/sh\ncase \"$1\" in\n");
        for (int host = 0; host < CgRank.RANKS; host++) {
            script.append(
                    "%s) run=%s space=%s name=h%d ;;\n"
                            .formatted(
                                    HostPlace.address(host),
                                    lab.socket(host).getParent(),
                                    lab.network().host(host).namespace(),
                                    host));
        }
        script.append("*) exit 1 ;;\nesac\nshift\n")
                .append("exec env HXB_RUN=$run nice -n 19 ip netns exec $space unshare -u")
                .append(" sh -c \"hostname $name; $*\"\n");
        Files.writeString(file, script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        return file;
    }

    /** Seconds of each iteration, {@code [count]}. */
    private double[] run(
            final SwitchLab lab,
            final Path agent,
            final String options,
            final Path program,
            final String name)
            throws IOException, InterruptedException {
        final String hosts =
                IntStream.range(0, CgRank.RANKS)
                        .mapToObj(host -> HostPlace.address(host) + ":1")
                        .collect(Collectors.joining(","));
        final String command =
                String.format(
                        Locale.ROOT,
                        "hostname h0; exec mpirun --allow-run-as-root --bind-to none --mca"
                                + " plm_rsh_agent %s --mca plm_rsh_no_tree_spawn 1"
                                + " --leave-session-attached --mca"
                                + " oob_tcp_if_include eth0 --mca pml ob1 --mca btl tcp,self --mca"
                                + " btl_tcp_if_include eth0 --mca mpi_yield_when_idle 1 --host %s"
                                + " -n %d %s %s %d %d %d",
                        agent,
                        hosts,
                        CgRank.RANKS,
                        options,
                        program,
                        length,
                        innerCount,
                        count);
        final ProcessBuilder builder =
                // The switches come first, which elsewhere are machines of their own; and ranks
                // that wait sleep in between (idle.c).
                new ProcessBuilder(
                        "nice",
                        "-n",
                        "19",
                        "ip",
                        "netns",
                        "exec",
                        lab.network().host(0).namespace(),
                        "unshare",
                        "-u",
                        "sh",
                        "-c",
                        command);
        builder.environment().put("HXB_RUN", lab.socket(0).getParent().toString());
        final Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process), "mpirun-end"));
        final double expected = CgRank.alone(length, innerCount);
        final List<Double> times = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                System.err.println(name + ": " + line);
                final Matcher matcher = ITERATION.matcher(line);
                if (matcher.matches()) {
                    times.add(Double.parseDouble(matcher.group(1)));
                    final double result = Double.parseDouble(matcher.group(2));
                    if (!(Math.abs(result - expected) <= 1e-9 * Math.abs(expected))) {
                        throw new IOException("computed " + result + " instead of " + expected);
                    }
                }
            }
            if (process.waitFor() != 0 || times.size() != count) {
                throw new IOException(name + ": the program has failed");
            }
        } finally {
            end(process);
        }
        return times.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /**
     * Ranks on hosts of the lab would go on without mpirun, and look for messages all the time.
     * They are its descendants, since what starts them stays attached to it.
     */
    private static void end(final Process process) {
        final List<ProcessHandle> all = process.descendants().toList();
        process.destroy();
        all.forEach(ProcessHandle::destroy);
    }

    private boolean report(final Map<String, double[]> seconds) throws IOException {
        final double chosen = KernelCg.median(seconds.get(CHOSEN));
        final Report report =
                new Report(
                                "vlan-mpi-cg",
                                Map.of(
                                        "rate",
                                        settings.rate(),
                                        "numbers",
                                        length * CgRank.SIDE,
                                        "inner",
                                        innerCount,
                                        "seconds",
                                        seconds))
                        .columns("paths", "s an iteration, median", "range", "last", "of chosen");
        seconds.forEach(
                (name, times) ->
                        report.line(
                                name,
                                two(KernelCg.median(times)),
                                two(Arrays.stream(times).min().orElse(0))
                                        + " to "
                                        + two(Arrays.stream(times).max().orElse(0)),
                                two(times[times.length - 1]),
                                two(chosen / times[times.length - 1])));
        report.finish(System.out, settings.results());
        final double[] profiled = seconds.get(PROFILED);
        final boolean isReached = 0.95 * profiled[profiled.length - 1] < chosen;
        System.out.println(
                (isReached ? "holds:  " : "FAILS:  ")
                        + "libvfnprof is within 0.95 of the chosen VLANs at the end");
        return isReached;
    }

    private static String two(final double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
