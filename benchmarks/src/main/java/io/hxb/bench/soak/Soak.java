package io.hxb.bench.soak;

import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.ProcessLab;
import io.hxb.bench.harness.RunReport;
import io.hxb.config.Backend;
import io.hxb.config.SecurityConfig;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The command line of long runs: {@code benchmarks/run soak --hours N}. One thread does everything;
 * an interrupt has it stop and report.
 */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        description = {
            "Runs a cluster of real nodes for hours while links are cut, nodes and programs are"
                    + " killed,",
            "strangers send rubbish and greedy programs take all they get; checks every byte and",
            "reports everything that grows. Needs root. Ends with 0 if nothing was lost and nothing"
                    + " grew."
        })
public final class Soak implements Callable<Integer> {
    private static final long SECOND = 1_000_000_000L;
    private static final long TURN_NS = 20_000_000L;
    private static final long SAMPLE_NS = 5 * SECOND;
    private static final long TELL_NS = 60 * SECOND;
    private static final long REST_LIMIT_NS = 60 * SECOND;
    private static final long SETTLE_NS = 4 * SECOND;
    private static final int RESTS = 12;
    private static final long MIN_REST_NS = 60 * SECOND;
    private static final long END_LIMIT_S = 240;
    private static final int MTU_BYTES = 9_000;

    @Option(
            names = "--hours",
            paramLabel = "HOURS",
            description =
                    "Run a cluster of real nodes for hours while links are cut, nodes and programs"
                        + " are killed, strangers send rubbish and greedy programs take all they"
                        + " get; check every byte and report everything that grows. Needs root. The"
                        + " exit status is 0 if nothing was lost and nothing grew.")
    private double hours;

    @Option(names = "--minutes", paramLabel = "MINUTES", description = "run for this long instead")
    private double minutes;

    @Option(
            names = "--shape",
            paramLabel = "SHAPE",
            defaultValue = "2x2",
            description = "make a cluster of this shape (default: ${DEFAULT-VALUE})")
    private String shape;

    @Option(
            names = "--links",
            paramLabel = "N",
            defaultValue = "2",
            description = "make this many links per dimension (default: ${DEFAULT-VALUE})")
    private int links;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "1000",
            description =
                    "have the program at each node send this many messages a second "
                            + "(default: ${DEFAULT-VALUE})")
    private int messagesPerSecond;

    @Option(
            names = "--strangers",
            paramLabel = "N",
            defaultValue = "200",
            description =
                    "send this many frames a second from outside the cluster (default: "
                            + "${DEFAULT-VALUE})")
    private int strangerFrames;

    @Option(
            names = "--security",
            paramLabel = "MODE",
            defaultValue = "none",
            description =
                    "secure the cluster by none, authenticate or encrypt; with a key, strangers"
                        + " forge hellos of the cluster, and with encrypt faults change bits, too"
                        + " (default: ${DEFAULT-VALUE})")
    private SecurityConfig.Mode security;

    @Option(names = "--without-fuzzing", description = "leave out fuzzing")
    private boolean isWithoutFuzzing;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "seed everything random with this number (default: a new seed)")
    private long seed = System.nanoTime() & 0xFFFF_FFFFL;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description =
                    "write the results to this folder (default: " + "benchmarks/results/soak-TIME)")
    private Path out;

    private final RunReport report = new RunReport("soak", "nothing lost, nothing grows");
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean isEnding;
    private long startNs;

    private Soak() {}

    /** Runs one; ends with 0, 1 if something is wrong, 2 for wrong usage. */
    public static void main(final String[] arguments) {
        System.exit(
                new CommandLine(new Soak())
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        final long lengthNs = (long) ((hours * 60 + minutes) * 60 * SECOND);
        if (lengthNs <= 0) {
            throw new CommandLine.ParameterException(
                    new CommandLine(this), "no duration is given: give --hours or --minutes");
        }
        final LabSpec spec = spec();
        final Path folder =
                out != null
                        ? out.toAbsolutePath()
                        : Peers.results().toAbsolutePath().resolve("soak-" + Instant.now());
        Files.createDirectories(folder);
        Runtime.getRuntime().addShutdownHook(new Thread(this::awaitReport, "soak-report"));
        System.out.println("seed " + seed + ", files in " + folder);
        try {
            run(folder, spec, lengthNs);
            report.finish(System.out, folder);
        } finally {
            ended.countDown();
        }
        return report.isOk() ? 0 : 1;
    }

    // An interrupt ends the run early; the report is made as usual.
    private void awaitReport() {
        isEnding = true;
        try {
            ended.await(END_LIMIT_S, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private LabSpec spec() {
        try {
            return new LabSpec(
                    "soak" + ProcessHandle.current().pid(),
                    Shape.parse(shape),
                    links,
                    Backend.RAW,
                    0,
                    MTU_BYTES);
        } catch (final IllegalArgumentException | ToolException e) {
            throw new CommandLine.ParameterException(new CommandLine(this), e.getMessage());
        }
    }

    private void run(final Path folder, final LabSpec spec, final long lengthNs)
            throws IOException {
        final SplittableRandom random = new SplittableRandom(seed);
        final ProcessLab lab = new ProcessLab(folder, spec, security);
        try (lab;
                Crowd crowd = new Crowd(lab, folder, random.split(), messagesPerSecond);
                SoakStrangers strangers =
                        new SoakStrangers(lab.spec(), lab.config(), random.split());
                SocketRubbish rubbish = new SocketRubbish(lab.config(), random.split());
                Fuzzers fuzzers = new Fuzzers(folder);
                Turmoil turmoil = new Turmoil(lab, seed, security)) {
            startNs = System.nanoTime();
            final SoakWatch watch = new SoakWatch(lab, crowd, startNs);
            work(lengthNs, new Parts(crowd, strangers, fuzzers, turmoil, watch));
            sumUp(crowd, strangers, rubbish, turmoil, watch);
        }
        lab.leftovers().forEach(left -> problem("warning: not removed: " + left));
    }

    /** What is done in each turn. */
    private record Parts(
            Crowd crowd,
            SoakStrangers strangers,
            Fuzzers fuzzers,
            Turmoil turmoil,
            SoakWatch watch) {}

    private void work(final long lengthNs, final Parts parts) throws IOException {
        final long restNs = Math.max(MIN_REST_NS, lengthNs / RESTS);
        final long endNs = startNs + lengthNs;
        long sampleNs = startNs + SAMPLE_NS;
        long tellNs = startNs + TELL_NS;
        long nextRestNs = startNs + restNs;
        long strangersNs = startNs;
        long nowNs = startNs;
        while (!isEnding && nowNs - endNs < 0) {
            parts.turmoil().turn(nowNs);
            parts.crowd().turn(nowNs);
            if (!isWithoutFuzzing) {
                parts.fuzzers().turn();
            }
            final int due = (int) ((nowNs - strangersNs) * strangerFrames / SECOND);
            parts.strangers().send(due);
            strangersNs += strangerFrames == 0 ? 0 : due * SECOND / strangerFrames;
            if (nowNs - sampleNs >= 0) {
                sampleNs = nowNs + SAMPLE_NS;
                parts.watch().sample(nowNs);
                look(parts);
            }
            if (nowNs - tellNs >= 0) {
                tellNs = nowNs + TELL_NS;
                report(parts);
            }
            if (nowNs - nextRestNs >= 0) {
                rest(parts);
                parts.crowd().goOn();
                nextRestNs = System.nanoTime() + restNs;
                strangersNs = System.nanoTime();
            }
            LockSupport.parkNanos(TURN_NS);
            nowNs = System.nanoTime();
        }
        rest(parts);
    }

    // All faults are repaired and all programs finish what is under way: nothing may be missing
    // then.
    private void rest(final Parts parts) throws IOException {
        parts.turmoil().rest();
        parts.crowd().rest();
        final long limitNs = System.nanoTime() + REST_LIMIT_NS;
        while (!parts.crowd().isQuiet() && System.nanoTime() - limitNs < 0) {
            LockSupport.parkNanos(TURN_NS);
        }
        if (!parts.crowd().isQuiet()) {
            problem("no rest within a minute:" + parts.crowd().restless());
        }
        LockSupport.parkNanos(SETTLE_NS);
        final long unexplained = parts.crowd().now("unexplained_messages");
        if (unexplained > 0) {
            problem(unexplained + " messages are missing at rest, and no sender was notified");
        }
        parts.watch().sampleRest(System.nanoTime());
        look(parts);
    }

    private void look(final Parts parts) {
        parts.crowd().takeProblems().forEach(this::problem);
        parts.watch().takeProblems().forEach(this::problem);
        parts.fuzzers().takeProblems().forEach(this::problem);
    }

    private void problem(final String text) {
        System.out.println("problem: " + text);
        report.problem((System.nanoTime() - startNs) / 1e9, text);
    }

    private void report(final Parts parts) {
        System.out.printf(
                "%.0f s: %d messages, %.1f MB checked, lost %d, repeated %d, corrupt %d; faults"
                        + " %s%n",
                (System.nanoTime() - startNs) / 1e9,
                parts.crowd().total("received_messages"),
                parts.crowd().total("received_bytes") / 1e6,
                parts.crowd().total("lost_messages"),
                parts.crowd().total("repeated_messages"),
                parts.crowd().total("corrupt_messages"),
                parts.turmoil().counts());
    }

    private void sumUp(
            final Crowd crowd,
            final SoakStrangers strangers,
            final SocketRubbish rubbish,
            final Turmoil turmoil,
            final SoakWatch watch) {
        report.fact("seconds", Math.round((System.nanoTime() - startNs) / 1e9));
        report.fact("seed", seed);
        report.fact("shape", shape);
        report.fact("links", links);
        report.fact("security", security.name().toLowerCase(Locale.ROOT));
        for (final String name : Crowd.TOTALS) {
            report.fact(name, crowd.total(name));
        }
        for (final String name :
                List.of("corrupt_messages", "repeated_messages", "lost_messages")) {
            if (crowd.total(name) > 0) {
                problem(name + ": " + crowd.total(name));
            }
        }
        report.fact("programs_killed", crowd.kills());
        report.fact("greedy_programs", crowd.hogCount());
        report.fact("faults", turmoil.counts());
        report.fact("frames_dropped_by_faults", turmoil.dropped());
        report.fact("frames_of_strangers", strangers.sent());
        report.fact("connections_with_rubbish", rubbish.connections());
        report.fact("longest_heartbeat_ms", watch.maxHeartbeatMs());
        watch.growths().forEach(report::growth);
    }
}
