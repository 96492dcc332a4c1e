package io.hxb.bench.attack;

import io.hxb.bench.harness.KeyRollout;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.ProcessLab;
import io.hxb.bench.harness.RunReport;
import io.hxb.config.Backend;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterType;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/**
 * The command line of the attacker: {@code benchmarks/run attack}. One thread does everything; an
 * interrupt removes the lab and leaves no report.
 */
@Command(
        name = "attack",
        mixinStandardHelpOptions = true,
        description = {
            "Attacks a cluster of real nodes: sends frames that were seen on its lines once more,",
            "cut, with other bits, with parts of others, and forged ones, while programs at the",
            "nodes talk to one another and check every byte. Nothing may change, end, grow or get",
            "lost. Without security only from addresses that no node has; with authenticate the",
            "payload after the first 16 bytes of a data frame, which is not covered, is left as"
                    + " it",
            "is. Needs root. Ends with 0 if nothing did."
        })
public final class Attack implements Callable<Integer> {
    private static final long SECOND = 1_000_000_000L;
    private static final long LOOK_NS = 20_000_000L;
    private static final long START_NS = 10 * SECOND;
    private static final long GO_ON_NS = 3 * SECOND;
    private static final long SETTLE_NS = 3 * SECOND;
    private static final long REST_LIMIT_NS = 60 * SECOND;
    private static final long RECOVERY_LIMIT_MS = 1_000;
    private static final int TELL_ROUNDS = 10;
    private static final int MTU_BYTES = 9_000;
    private static final int MIN_SEEN_TYPES = 5;

    /**
     * Memory counts from this part of the attack on: by then, the code that the attack needs is
     * compiled.
     */
    private static final double WARM_SHARE = 0.2;

    @Option(
            names = "--frames",
            paramLabel = "N",
            defaultValue = "10000000",
            description =
                    "Attack a cluster of real nodes: send frames that were seen on its lines again,"
                        + " cut, with changed bits, with parts of other frames, and forged, while"
                        + " programs at the nodes exchange messages and check every byte. Nothing"
                        + " may change, end, grow or get lost. Without security the attacker uses"
                        + " only addresses that no node has; with authenticate it leaves the"
                        + " payload after the first 16 bytes of a data frame as it is, which is not"
                        + " covered. Needs root. The exit status is 0 if nothing did.")
    private long frames;

    @Option(
            names = "--backend",
            paramLabel = "KIND",
            defaultValue = "udp",
            description = "use links of this kind: udp or raw (default: ${DEFAULT-VALUE})")
    private Backend backend;

    @Option(
            names = "--security",
            paramLabel = "MODE",
            defaultValue = "authenticate",
            description =
                    "secure the cluster by none, authenticate or encrypt (default: "
                            + "${DEFAULT-VALUE})")
    private SecurityConfig.Mode security;

    @Option(
            names = "--rollout",
            paramLabel = "STEP",
            defaultValue = "none",
            description =
                    "leave the cluster in the middle of a change of its key, with half of the nodes"
                            + " changed: known, used or forgotten (default: ${DEFAULT-VALUE})")
    private KeyRollout rollout;

    @Option(
            names = "--spoof",
            description =
                    "send from the addresses of nodes without a key: messages, flows and links may"
                        + " then fail; nodes must survive, bounded, and recover within a second")
    private boolean isSpoofing;

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
            names = "--pace",
            paramLabel = "N",
            defaultValue = "60000",
            description =
                    "send this many frames a second as the attacker; 0: as many as "
                            + "possible, which floods nodes rather than tests what they accept "
                            + "(default: ${DEFAULT-VALUE})")
    private long pace;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "1000",
            description =
                    "have the program at each node send this many messages a second "
                            + "(default: ${DEFAULT-VALUE})")
    private int messagesPerSecond;

    @Option(
            names = "--baseline",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description =
                    "measure for this long without attack, to compare with (default: "
                            + "${DEFAULT-VALUE})")
    private int baselineSeconds;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "seed everything random with this number (default: a new seed)")
    private long seed = System.nanoTime() & 0xFFFF_FFFFL;

    @Spec private CommandLine.Model.CommandSpec command;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description =
                    "write the results to this folder (default: "
                            + "benchmarks/results/attack-TIME)")
    private Path out;

    private final RunReport report =
            new RunReport("attack", "nothing changed, ended, grew or got lost");
    private long startNs;

    private Attack() {}

    /** Runs one; ends with 0, 1 if something is wrong, 2 for wrong usage. */
    public static void main(final String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Attack())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(
                        (thrown, command, parsed) -> {
                            if (Boolean.getBoolean("hxb.trace")) {
                                thrown.printStackTrace();
                            }
                            System.err.println("attack: " + thrown.getMessage());
                            return 1;
                        });
    }

    @Override
    public Integer call() throws IOException {
        final LabSpec spec = spec();
        if (!Privileges.isRoot()) {
            throw new IOException("raw sockets need root: use sudo");
        }
        final Path folder =
                out != null
                        ? out.toAbsolutePath()
                        : Peers.results().toAbsolutePath().resolve("attack-" + Instant.now());
        Files.createDirectories(folder);
        System.out.println("seed " + seed + ", files in " + folder);
        startNs = System.nanoTime();
        final ProcessLab lab =
                new ProcessLab(folder, spec, security, rollout, UnaryOperator.identity());
        Runtime.getRuntime().addShutdownHook(new Thread(lab::close, "attack-lab"));
        try (lab) {
            try {
                run(lab, folder);
            } finally {
                lab.keepLogs(folder);
            }
        }
        lab.leftovers().forEach(left -> problem("warning: not removed: " + left));
        report.finish(System.out, folder);
        return report.isOk() ? 0 : 1;
    }

    private LabSpec spec() {
        require(frames >= 1, "--frames must be 1 or more: " + frames);
        require(pace >= 0, "--pace must be 0 or more: " + pace);
        require(messagesPerSecond >= 1, "--rate must be 1 or more: " + messagesPerSecond);
        require(baselineSeconds >= 1, "--baseline must be 1 or more: " + baselineSeconds);
        final boolean isOpen = security == SecurityConfig.Mode.NONE;
        require(isOpen || !isSpoofing, "--spoof is for --security none");
        require(
                !isOpen || rollout == KeyRollout.NONE,
                "--rollout needs --security authenticate or encrypt");
        try {
            return new LabSpec(
                    "attack" + ProcessHandle.current().pid(),
                    Shape.parse(shape),
                    links,
                    backend,
                    0,
                    MTU_BYTES);
        } catch (final IllegalArgumentException | ToolException e) {
            throw wrongUsage(e.getMessage());
        }
    }

    private void require(final boolean isRight, final String otherwise) {
        if (!isRight) {
            throw wrongUsage(otherwise);
        }
    }

    private CommandLine.ParameterException wrongUsage(final String what) {
        return new CommandLine.ParameterException(command.commandLine(), what);
    }

    private void run(final ProcessLab lab, final Path folder) throws IOException {
        final SplittableRandom random = new SplittableRandom(seed);
        final AttackWire wire = backend.usesNics() ? new RawWire(lab) : new UdpWire(lab);
        try (Attacker attacker = new Attacker(wire, lab.config(), links, isSpoofing, random);
                Recovery recovery = new Recovery(lab);
                AttackTraffic traffic = new AttackTraffic(lab, folder, messagesPerSecond)) {
            watch(attacker, START_NS);
            final Victims victims = new Victims(lab);
            final Victims.Moment resting = rest(victims, traffic);
            traffic.goOn();
            watch(attacker, GO_ON_NS);
            final Victims.Moment quiet = victims.look();
            final Flow before = new Flow(traffic);
            recovery.beginBefore();
            watch(attacker, baselineSeconds * SECOND);
            recovery.endBefore();
            final Victims.Moment start = victims.look();
            before.end(traffic);
            System.out.println("without an attack: " + victims.changes(quiet, start, false));
            final Flow during = new Flow(traffic);
            final Victims.Moment warm = attack(attacker, victims, traffic);
            final Victims.Moment end = victims.look();
            during.end(traffic);
            judge(recovery.awaitMs());
            victims.changes(start, end, isSpoofing).forEach(this::problem);
            victims.growth(warm, end).forEach(this::problem);
            victims.missingBuffers(resting, rest(victims, traffic)).forEach(this::problem);
            judge(traffic);
            sumUp(attacker, traffic, before, during);
            sumUp(start, warm, end);
            if (attacker.seenTypes() < MIN_SEEN_TYPES) {
                problem("the attacker saw " + attacker.seenTypes() + " types of frames only");
            }
        }
    }

    private void judge(final long recoveredMs) {
        report.fact("recovered_after_ms", recoveredMs);
        if (recoveredMs < 0 || recoveredMs > RECOVERY_LIMIT_MS) {
            problem(
                    recoveredMs < 0
                            ? "10 s after the last frame, nodes do not receive what they did"
                            : "nodes received what they did " + recoveredMs + " ms afterwards");
        }
    }

    // What forged frames with addresses of nodes do to messages is reported, and no problem.
    private void judge(final AttackTraffic traffic) {
        traffic.ends().forEach(this::problem);
        for (final String name : AttackTraffic.FAULTS) {
            report.fact(name, traffic.total(name));
            if (traffic.total(name) > 0 && !isSpoofing) {
                problem(name + ": " + traffic.total(name));
            }
        }
    }

    private static void watch(final Attacker attacker, final long forNs) {
        final long beginNs = System.nanoTime();
        while (System.nanoTime() - beginNs < forNs) {
            attacker.look();
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    // All programs finish what is under way: nothing may be missing then.
    private Victims.Moment rest(final Victims victims, final AttackTraffic traffic)
            throws IOException {
        traffic.pause();
        final long limitNs = System.nanoTime() + REST_LIMIT_NS;
        while (!traffic.isQuiet() && System.nanoTime() - limitNs < 0) {
            LockSupport.parkNanos(LOOK_NS);
        }
        if (!traffic.isQuiet()) {
            problem("messages are under way after a minute of rest");
        }
        LockSupport.parkNanos(SETTLE_NS);
        if (traffic.total("unexplained_messages") > 0 && !isSpoofing) {
            problem(traffic.total("unexplained_messages") + " messages are missing at rest");
        }
        return victims.look();
    }

    /** Attacks; returns what nodes use of the machine once they have met all of the attack. */
    private Victims.Moment attack(
            final Attacker attacker, final Victims victims, final AttackTraffic traffic)
            throws IOException {
        Victims.Moment warm = victims.look();
        long left = frames;
        boolean isWarm = false;
        for (int round = 1; left > 0; round++) {
            left -= attacker.send(left, pace, SECOND);
            if (!isWarm && frames - left >= WARM_SHARE * frames) {
                isWarm = true;
                warm = victims.look();
            }
            if (round % TELL_ROUNDS == 0) {
                System.out.printf(
                        "%.0f s: %d frames sent, %d messages arrived%n",
                        (System.nanoTime() - startNs) / 1e9,
                        frames - left,
                        traffic.total("received_messages"));
            }
        }
        return warm;
    }

    private void problem(final String text) {
        System.out.println("problem: " + text);
        report.problem((System.nanoTime() - startNs) / 1e9, text);
    }

    private void sumUp(
            final Attacker attacker,
            final AttackTraffic traffic,
            final Flow before,
            final Flow during) {
        report.fact("backend", backend.name().toLowerCase(Locale.ROOT));
        report.fact("security", security.name().toLowerCase(Locale.ROOT));
        report.fact("rollout", rollout.name().toLowerCase(Locale.ROOT));
        report.fact("spoof", isSpoofing);
        report.fact("shape", shape);
        report.fact("links", links);
        report.fact("seed", seed);
        report.fact("attack_frames", attacker.sent());
        for (final Forger.Kind kind : Forger.Kind.values()) {
            report.fact("attack_" + kind.name().toLowerCase(Locale.ROOT), attacker.made(kind));
        }
        report.fact("attack_from_foreign_addresses", attacker.foreign());
        report.fact("attack_refused_by_kernel", attacker.refused());
        report.fact("attack_seconds", during.seconds());
        report.fact("types_of_frames_seen", attacker.seenTypes());
        report.fact("messages_received", traffic.total("received_messages"));
        report.fact("bytes_checked", traffic.total("received_bytes"));
        report.fact("messages_a_second_before", before.messagesASecond());
        report.fact("messages_a_second_attacked", during.messagesASecond());
        report.fact("mb_a_second_before", before.mbASecond());
        report.fact("mb_a_second_attacked", during.mbASecond());
    }

    private void sumUp(
            final Victims.Moment start, final Victims.Moment warm, final Victims.Moment end) {
        for (final CounterType type : CounterType.values()) {
            final boolean isReported =
                    type.name().startsWith("FORWARD_")
                            || type.name().startsWith("MISCONFIGURATION_")
                            || type == CounterType.LINK_KERNEL_DROPPED_FRAMES
                            || type == CounterType.LINK_HELLO_SENT_FRAMES
                            || type == CounterType.LINK_STATUS_BAD_FRAMES
                            || type == CounterType.FLOW_RESENT_FRAMES
                            || type == CounterType.NODE_LOOP_LONG_TURNS_EVENTS;
            final long count = end.sum(type) - start.sum(type);
            if (isReported && count != 0) {
                report.fact(type.exportName(), count);
            }
        }
        for (int node = 0; node < end.processes().size(); node++) {
            report.fact(
                    "node_" + node,
                    String.format(
                            Locale.ROOT,
                            "own memory %.1f, %.1f, %.1f MB; descriptors %d, %d, %d; log %d bytes",
                            start.processes().get(node).ownMb(),
                            warm.processes().get(node).ownMb(),
                            end.processes().get(node).ownMb(),
                            start.processes().get(node).descriptors(),
                            warm.processes().get(node).descriptors(),
                            end.processes().get(node).descriptors(),
                            end.logBytes().get(node) - start.logBytes().get(node)));
        }
    }

    /** What arrived in a time. Used by one thread. */
    private static final class Flow {
        private final long beginNs = System.nanoTime();
        private final long messages;
        private final long bytes;
        private double seconds;
        private double messageRate;
        private double mbRate;

        Flow(final AttackTraffic traffic) {
            messages = traffic.total("received_messages");
            bytes = traffic.total("received_bytes");
        }

        void end(final AttackTraffic traffic) {
            seconds = (System.nanoTime() - beginNs) / 1e9;
            messageRate = (traffic.total("received_messages") - messages) / seconds;
            mbRate = (traffic.total("received_bytes") - bytes) / seconds / 1e6;
        }

        String seconds() {
            return text(seconds);
        }

        String messagesASecond() {
            return text(messageRate);
        }

        String mbASecond() {
            return text(mbRate);
        }

        private static String text(final double value) {
            return String.format(Locale.ROOT, "%.1f", value);
        }
    }
}
