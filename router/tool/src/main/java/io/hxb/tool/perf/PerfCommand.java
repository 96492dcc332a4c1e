package io.hxb.tool.perf;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.cluster.AttachedCluster;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.WaitOptions;
import io.hxb.topology.Shape;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code hxb perf}: throughput to a node. Picocli makes it. */
@Command(
        name = "perf",
        mixinStandardHelpOptions = true,
        header = "Measure throughput to another node.",
        description =
                "Send as fast as the other node takes it; its service checks every "
                        + "message. Lines report what is acknowledged meanwhile; Ctrl-C ends it "
                        + "with the result. The exit status is 0 only if every message arrived "
                        + "once, in order and intact.",
        footer = {
            "",
            "Both --both and --all need the sending nodes on this machine, as in a "
                    + "lab. Messages longer than one frame are sent by the second level of "
                    + "the PM API, and need the receiving node on this machine too.",
            PerfCommand.SMALL_MESSAGES
        })
public final class PerfCommand implements Callable<Integer> {
    /** What the rate of small messages depends on. */
    public static final String SMALL_MESSAGES =
            "The README's rate of 32-byte messages is that of two processes with a thread and a CPU"
                    + " each: benchmarks/run lab message-rate. Here program and nodes share the"
                    + " CPUs, and the receiver compares every byte: see --check.";

    @Mixin private ClusterOptions cluster;
    @Mixin private PerfOptions options;
    @Mixin private WaitOptions waiting;
    @Mixin private Output output;

    @Parameters(
            index = "0",
            paramLabel = "COORD",
            description = "send to the node at these coordinates, such as 1,0,0")
    private String target;

    /** Picocli makes it. */
    PerfCommand() {}

    @Override
    public Integer call() throws IOException {
        options.load();
        options.intervalNs();
        final ClusterConfig config = waiting.apply(cluster.config());
        final Shape shape = config.shape();
        final int to = shape.node(shape.parseCoordinates(target));
        final List<Pair> pairs = options.pairs(shape, cluster.runningNode(config), to);
        try (Cluster nodes = new AttachedCluster(config)) {
            return PerfReport.run(nodes, pairs, options, output);
        }
    }
}
