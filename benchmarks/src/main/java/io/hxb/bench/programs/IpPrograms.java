package io.hxb.bench.programs;

import io.hxb.bench.harness.ProcessLab;
import io.hxb.bench.harness.Report;
import io.hxb.bench.harness.ResultsOption;
import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.config.Backend;
import io.hxb.tap.IpPrefix;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The command line of {@code benchmarks/run ip-programs}. One thread. */
@Command(
        name = "ip-programs",
        mixinStandardHelpOptions = true,
        description = {
            "Run programs that know nothing of HXB by the virtual NICs of a lab, from its first"
                    + " node to its last one, while a link is pulled and a relay is killed. A"
                    + " program that is not installed is skipped. Needs root. Ends with 0 if all"
                    + " programs that ran ended with success."
        })
public final class IpPrograms implements Callable<Integer> {
    private static final IpPrefix PREFIX = IpPrefix.parse("10.97.0.0/24");
    private static final List<NetworkProgram> PROGRAMS =
            List.of(
                    new Iperf3(),
                    new WebPages(),
                    new Browser(),
                    new Rsync(),
                    new Nfs(),
                    new Redis(),
                    new Postgres(),
                    new Prometheus(),
                    new OpenMpi(),
                    new Hpcc());

    private static final Pattern VERSION = Pattern.compile("[0-9]+(\\.[0-9]+)+");

    private static final String SHORT_SHAPE = "2x2";
    private static final double SHORT_SECONDS = 8;
    private static final double MIN_SECONDS = 1;
    private static final double MAX_SECONDS = 3_600;

    @Option(
            names = "--shape",
            paramLabel = "SHAPE",
            defaultValue = "2x2x2",
            description = "make a lab of this shape (default: ${DEFAULT-VALUE})")
    private String shape;

    @Option(
            names = "--links",
            paramLabel = "N",
            defaultValue = "2",
            description = "make this many links per dimension (default: ${DEFAULT-VALUE})")
    private int links;

    @Option(
            names = "--mbit",
            paramLabel = "MBIT/S",
            defaultValue = "1000",
            description = "shape each link to this rate; 0: not at all (default: ${DEFAULT-VALUE})")
    private int mbit;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            defaultValue = "9000",
            description = "set this MTU of the links (default: ${DEFAULT-VALUE})")
    private int mtu;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            defaultValue = "20",
            description = "run each program for about this long (default: ${DEFAULT-VALUE})")
    private double seconds;

    @Option(
            names = "--short",
            description = "run each program for " + SHORT_SECONDS + " s, in a " + SHORT_SHAPE)
    private boolean isShort;

    @Option(
            names = "--only",
            paramLabel = "TEXT",
            description = "run only programs whose name has this text; may be repeated")
    private List<String> only = List.of();

    @Option(
            names = "--max-pause",
            paramLabel = "MS",
            defaultValue = "60000",
            description =
                    "take a longer pause of a program for a failure (default: ${DEFAULT-VALUE})")
    private double maxPauseMs;

    @Mixin private ResultsOption results;
    @Spec private CommandSpec command;

    private final List<String> skipped = new ArrayList<>();
    private boolean hasFailed;

    /** Runs it; ends with 0, 1 if something failed, 2 for wrong usage. */
    public static void main(final String[] arguments) {
        System.exit(execute(arguments));
    }

    /** The same, and returns the status. */
    static int execute(final String... arguments) {
        final CommandLine line = new CommandLine(new IpPrograms());
        line.setExecutionExceptionHandler(
                (thrown, command, parsed) -> {
                    if (Boolean.getBoolean("hxb.trace")) {
                        thrown.printStackTrace();
                    }
                    System.err.println("ip-programs: " + thrown.getMessage());
                    return 1;
                });
        return line.execute(arguments);
    }

    @Override
    public Integer call() throws Exception {
        check();
        final List<NetworkProgram> chosen = chosen();
        if (isShort) {
            shape = SHORT_SHAPE;
            seconds = SHORT_SECONDS;
        }
        if (!Privileges.canMakeNamespaces()) {
            throw new ToolException("network namespaces need root");
        }
        final Report report =
                new Report(
                                "ip-programs",
                                Map.of(
                                        "shape", shape,
                                        "links", links,
                                        "mbit", mbit,
                                        "mtu", mtu,
                                        "seconds", seconds))
                        .columns(
                                "program",
                                "version",
                                "result",
                                "figure",
                                "longest pause ms",
                                "meanwhile");
        final List<NetworkProgram> present = new ArrayList<>();
        for (final NetworkProgram program : chosen) {
            if (isInstalled(report, program)) {
                present.add(program);
            }
        }
        if (!present.isEmpty()) {
            runAll(report, present);
        }
        report.finish(System.out, results.folder());
        System.err.println(skipped.isEmpty() ? "nothing was skipped" : "skipped:");
        skipped.forEach(line -> System.err.println("  " + line));
        return hasFailed ? 1 : 0;
    }

    private void check() {
        if (!(seconds >= MIN_SECONDS && seconds <= MAX_SECONDS)) {
            throw wrongUsage(
                    "--seconds must be " + MIN_SECONDS + ".." + MAX_SECONDS + ": " + seconds);
        }
        if (!(maxPauseMs >= 0)) {
            throw wrongUsage("--max-pause must not be negative: " + maxPauseMs);
        }
    }

    private CommandLine.ParameterException wrongUsage(final String what) {
        return new CommandLine.ParameterException(command.commandLine(), what);
    }

    private List<NetworkProgram> chosen() {
        final List<NetworkProgram> chosen =
                PROGRAMS.stream()
                        .filter(
                                program ->
                                        only.isEmpty()
                                                || only.stream().anyMatch(program.name()::contains))
                        .toList();
        if (chosen.isEmpty()) {
            throw wrongUsage(
                    "no program has the name that --only gives: "
                            + PROGRAMS.stream().map(NetworkProgram::name).toList());
        }
        return chosen;
    }

    private boolean isInstalled(final Report report, final NetworkProgram program) {
        final List<String> missing = missing(program.commands(), System.getenv("PATH"));
        if (missing.isEmpty()) {
            return true;
        }
        final String reason = "not installed (Debian: " + String.join(" ", missing) + ")";
        skipped.add(program.name() + ": " + reason);
        final Map<String, Object> row = new LinkedHashMap<>();
        row.put("program", program.name());
        row.put("skipped", reason);
        report.keep(row);
        report.line(program.name(), "-", "skipped: " + reason, "-", "-", "-");
        return false;
    }

    /**
     * Packages of the commands that are not there.
     *
     * @param commands names or paths, and the package of each.
     * @param path folders in which commands are looked for, separated by colons.
     */
    static List<String> missing(final Map<String, String> commands, final String path) {
        final TreeSet<String> packages = new TreeSet<>();
        commands.forEach(
                (command, where) -> {
                    if (!isCommand(command, path)) {
                        packages.add(where);
                    }
                });
        return List.copyOf(packages);
    }

    private static boolean isCommand(final String name, final String path) {
        return name.startsWith("/")
                ? Files.isExecutable(Path.of(name))
                : Stream.of(path.split(File.pathSeparator, -1))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }

    private void runAll(final Report report, final List<NetworkProgram> programs) throws Exception {
        final LabSpec spec =
                new LabSpec(
                        "ipp" + ProcessHandle.current().pid(),
                        Shape.parse(shape),
                        links,
                        Backend.RAW,
                        mbit * 1_000_000L,
                        mtu);
        try (TemporaryFolder folder = new TemporaryFolder();
                ProcessLab lab = ProcessLab.withIp(folder.path(), spec, PREFIX)) {
            final Thread hook = new Thread(lab::close);
            Runtime.getRuntime().addShutdownHook(hook);
            for (int node = 0; node < lab.nodes(); node++) {
                Shell.check(
                        "",
                        List.of(
                                "ip",
                                "-n",
                                LabNames.namespace(lab.name(), node),
                                "link",
                                "set",
                                "lo",
                                "up"));
            }
            for (final NetworkProgram program : programs) {
                run(report, lab, program);
            }
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    }

    private void run(final Report report, final ProcessLab lab, final NetworkProgram program)
            throws Exception {
        final String version = version(program);
        try (TemporaryFolder folder = new TemporaryFolder();
                Faults faults = new Faults(lab, seconds, !program.usesAllNodes());
                Site site = new Site(lab, PREFIX, faults, folder.path())) {
            final Outcome outcome = outcome(program, site, faults);
            faults.awaitRepair();
            hasFailed |= !outcome.isGood();
            report.line(
                    program.name(),
                    version,
                    outcome.isGood() ? "success" : "FAILED: " + outcome.problem(),
                    outcome.figure(),
                    Double.isNaN(outcome.pauseMs())
                            ? "-"
                            : String.format(Locale.ROOT, "%.0f", outcome.pauseMs()),
                    faults.summary());
            report.keep(row(program, version, outcome, faults.summary()));
            System.err.printf(
                    Locale.ROOT, "%s: %s%n", program.name(), row(program, version, outcome, ""));
        }
    }

    private Outcome outcome(final NetworkProgram program, final Site site, final Faults faults)
            throws InterruptedException {
        final Outcome outcome;
        try {
            outcome = program.run(site, seconds);
        } catch (final InterruptedException e) {
            throw e;
        } catch (final Exception e) {
            return Outcome.bad(e.toString());
        }
        if (outcome.isGood() && !faults.haveHappened()) {
            return Outcome.bad("no frame was lost, or no node was killed");
        }
        return outcome.within(maxPauseMs);
    }

    private static Map<String, Object> row(
            final NetworkProgram program,
            final String version,
            final Outcome outcome,
            final String meanwhile) {
        final Map<String, Object> row = new LinkedHashMap<>();
        row.put("program", program.name());
        row.put("version", version);
        row.put("ok", outcome.isGood());
        row.put("problem", outcome.problem());
        row.put("figure", outcome.figure());
        if (!Double.isNaN(outcome.pauseMs())) {
            row.put("longest_pause_ms", outcome.pauseMs());
        }
        if (!meanwhile.isEmpty()) {
            row.put("meanwhile", meanwhile);
        }
        return row;
    }

    private static String version(final NetworkProgram program) {
        return version(Shell.run("", program.versionCommand()).output());
    }

    /** The first number with a dot in what a program prints. */
    static String version(final String output) {
        final Matcher matcher = VERSION.matcher(output);
        return matcher.find() ? matcher.group() : "-";
    }
}
