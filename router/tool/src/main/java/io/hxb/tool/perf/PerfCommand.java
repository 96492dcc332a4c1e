package io.hxb.tool.perf;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.cluster.AttachedCluster;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.StopRequest;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.GivenOptions;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.WaitOptions;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

/** {@code hxb perf}: throughput to a node. Picocli makes it. */
@Command(
        name = "perf",
        mixinStandardHelpOptions = true,
        header = "Measure throughput to another node.",
        description = {
            "Send as fast as a receiver at the other node takes it, which checks every "
                    + "message. Both are programs attached to their nodes: the receiver is a "
                    + "process that this one starts if that node runs on this machine. On "
                    + "another machine it is the one that 'hxb perf --receive' has started "
                    + "there, otherwise the node itself.",
            "Lines report what is acknowledged meanwhile; Ctrl-C ends it with the result: what "
                    + "has arrived, and the CPU time of each end for it. The exit status is 0 "
                    + "only if every message arrived once, in order and intact.",
        },
        footer = {
            "",
            "Several nodes are measured one after the other. Both --both and --all need the "
                    + "sending nodes on this machine, as in a lab. On another machine, messages "
                    + "longer than a node takes as one need 'hxb perf --receive' there.",
            PerfCommand.SMALL_MESSAGES,
            "Examples: hxb perf 1,0,0 --size 1..1G --seconds 1 --warmup 1",
            "          hxb perf --receive"
        })
public final class PerfCommand implements Callable<Integer> {
    /** What the rate of small messages depends on. */
    public static final String SMALL_MESSAGES =
            "The README's rate of 32-byte messages is that of two processes with a thread and a CPU"
                    + " each: benchmarks/run lab message-rate. Here programs and nodes share the"
                    + " CPUs, and the receiver compares every byte: see --check.";

    /** Options with an effect on a process that receives. */
    private static final Set<String> OF_RECEIVER =
            Set.of(
                    "--receive",
                    "--attended",
                    "--config",
                    "--name",
                    "--node",
                    "--spin",
                    "--hybrid",
                    "--block",
                    "--json");

    @Spec private CommandSpec command;
    @Mixin private ClusterOptions cluster;
    @Mixin private PerfOptions options;
    @Mixin private WaitOptions waiting;
    @Mixin private Output output;

    @Option(
            names = "--receive",
            description =
                    "receive what others measure with this node, or the nodes named, until"
                            + " Ctrl-C")
    private boolean isReceiver;

    @Option(
            names = "--attended",
            hidden = true,
            description = "end when standard input ends, and leave Ctrl-C to who started it")
    private boolean isAttended;

    @Parameters(
            index = "0..*",
            arity = "0..*",
            paramLabel = "NODE",
            description =
                    "send to these nodes: host names of the cluster file, "
                            + "coordinates such as 1,0,0, or ids")
    private List<String> targets = List.of();

    /** Picocli makes it. */
    PerfCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        checkMode();
        options.loads();
        options.intervalNs(false);
        final ClusterConfig config = waiting.apply(cluster.config());
        final NodeNames names = new NodeNames(config);
        final List<Integer> nodes = targets.stream().map(target -> names.node(target)).toList();
        return isReceiver ? receive(config, nodes) : send(config, nodes);
    }

    private void checkMode() {
        if (isReceiver) {
            GivenOptions.refuse(
                    GivenOptions.except(command, OF_RECEIVER),
                    "not with --receive, which sends nothing; give them to the hxb perf that"
                            + " sends");
        } else if (options.isForAll() && !targets.isEmpty()) {
            throw new UsageException(
                    "--all sends from every node to every other: leave out " + targets.getFirst());
        } else if (!options.isForAll() && targets.isEmpty()) {
            throw new UsageException("no node is named: give coordinates such as 1,0,0, or --all");
        }
    }

    private int receive(final ClusterConfig config, final List<Integer> named)
            throws IOException, InterruptedException {
        final List<Integer> nodes = named.isEmpty() ? List.of(cluster.runningNode(config)) : named;
        try (Cluster attached = new AttachedCluster(config)) {
            new PerfReceivers(attached, nodes, output).run(isAttended);
        }
        return ExitStatus.OK;
    }

    private int send(final ClusterConfig config, final List<Integer> nodes) throws IOException {
        final int from = cluster.runningNode(config);
        final List<List<Pair>> measurements = new ArrayList<>();
        if (options.isForAll()) {
            measurements.add(options.allPairs(config.shape()));
        }
        for (final int to : nodes) {
            measurements.add(options.pairs(config.shape(), from, to));
        }
        try (Cluster attached = new AttachedCluster(config);
                StopRequest stop =
                        isAttended ? StopRequest.onInterruptOrEnd() : StopRequest.onInterrupt()) {
            return new PerfReport(attached, options, output, stop)
                    .run(
                            measurements,
                            new ReceiverChoice(config, cluster.clusterWords(), measurements));
        }
    }
}
