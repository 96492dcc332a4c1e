package io.hxb.tool;

import io.hxb.config.ClusterConfig;
import io.hxb.config.FrameConfig;
import io.hxb.tool.chaos.ChaosCommand;
import io.hxb.tool.chaos.ChaosOptions;
import io.hxb.tool.chaos.ChaosRun;
import io.hxb.tool.lab.LabSession;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.measure.Cluster;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.option.CaptureOption;
import io.hxb.tool.option.LabOptions;
import io.hxb.tool.option.MeasureOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.WaitOptions;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code hxb lab run}: makes a lab, runs something in it, removes it. Picocli makes it. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = "Makes a lab, measures or runs a command in it, and removes it.",
        footer = {
            "",
            "WHAT is ping, perf, chaos, or any other command, after --, which finds the cluster by"
                    + " HXB_CONFIG.",
            "ping without --from and --to takes one node at each distance; perf goes to the"
                    + " farthest.",
            "Example: hxb lab run perf --shape 2x2x2 --rate 1gbit --size 8192 --seconds 3 --json"
        })
final class LabRunCommand implements Callable<Integer> {
    @Mixin private LabOptions lab;
    @Mixin private MeasureOptions measure;
    @Mixin private ChaosOptions chaos;
    @Mixin private WaitOptions waiting;
    @Mixin private CaptureOption capture;
    @Mixin private Output output;

    @Option(names = "--processes", description = "a process for each node, instead of all in one")
    private boolean isProcesses;

    @Option(names = "--from", paramLabel = "COORD", description = "sender (default: node 0)")
    private String from;

    @Option(names = "--to", paramLabel = "COORD", description = "receiver")
    private String to;

    @Parameters(
            index = "0..*",
            arity = "1..*",
            paramLabel = "WHAT",
            description = "ping, perf, chaos, or a command after --")
    private List<String> what;

    /** Picocli makes it. */
    LabRunCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        measure.check();
        final LabSpec spec = lab.spec();
        waiting.warnOfCrowding(spec.shape().nodeCount(), isProcesses);
        if (what.getFirst().equals("chaos")) {
            return chaos(spec);
        }
        if (chaos.isGiven()) {
            throw new UsageException("faults are for chaos: hxb lab run chaos ...");
        }
        final Shape shape = spec.shape();
        final int sender = from == null ? 0 : shape.node(shape.parseCoordinates(from));
        final int receiver = to == null ? -1 : shape.node(shape.parseCoordinates(to));
        try (LabSession session =
                LabSession.start(spec, isProcesses, capture.capture(), this::configure)) {
            return switch (what.getFirst()) {
                case "ping" ->
                        PingCommand.ping(
                                session.cluster(),
                                pingPairs(shape, sender, receiver),
                                measure,
                                output);
                case "perf" ->
                        PerfCommand.perf(
                                session.cluster(),
                                perfPairs(shape, sender, receiver),
                                measure,
                                output);
                default -> run(session);
            };
        }
    }

    private int chaos(final LabSpec spec) throws IOException {
        final ChaosRun run =
                new ChaosRun(
                        spec, ChaosCommand.pairs(spec.shape(), from, to, measure), chaos, measure);
        final boolean isSplit = isProcesses || run.needsProcesses();
        try (LabSession session =
                LabSession.start(
                        spec,
                        isSplit,
                        capture.capture(),
                        config ->
                                run.needsCrc() ? withCrc(configure(config)) : configure(config))) {
            return run.run(session.cluster(), false, output) ? Hxb.OK : Hxb.FAILED;
        }
    }

    private static ClusterConfig withCrc(final ClusterConfig config) {
        final FrameConfig frame = config.frame();
        return config.withFrame(
                new FrameConfig(
                        true,
                        frame.hopLimit(),
                        frame.etherType(),
                        frame.relayEtherType(),
                        frame.helloIntervalNs(),
                        frame.vlanTags()));
    }

    private ClusterConfig configure(final ClusterConfig config) {
        return waiting.apply(config);
    }

    private List<Pair> pingPairs(final Shape shape, final int sender, final int receiver) {
        return receiver >= 0
                ? measure.pairs(shape, sender, receiver)
                : Pair.oneOfEachDistance(shape, sender);
    }

    private List<Pair> perfPairs(final Shape shape, final int sender, final int receiver) {
        return measure.pairs(
                shape,
                sender,
                receiver >= 0 ? receiver : Pair.oneOfEachDistance(shape, sender).getLast().to());
    }

    private int run(final LabSession session) throws InterruptedException {
        final Cluster cluster = session.cluster();
        final ProcessBuilder builder = new ProcessBuilder(what).inheritIO();
        builder.environment()
                .put("HXB_CONFIG", session.folder().resolve("cluster.yaml").toString());
        builder.environment().put("HXB_NODE", Integer.toString(0));
        builder.environment().put("HXB_SOCKET", cluster.config().socketPath(0).toString());
        try {
            final Process process = builder.start();
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(process::destroy, "hxb-lab-command-stop"));
            return process.waitFor();
        } catch (final IOException e) {
            throw new ToolException(
                    "cannot run '"
                            + what.getFirst()
                            + "' in lab "
                            + cluster.config().name()
                            + ": is it installed and in the PATH?",
                    e);
        }
    }
}
