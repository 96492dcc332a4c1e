package io.hxb.tool.ping;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.cluster.AttachedCluster;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.PingPlan;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.WaitOptions;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code hxb ping}: round trips to nodes. Picocli makes it. */
@Command(
        name = "ping",
        mixinStandardHelpOptions = true,
        header = "Measure round trips to other nodes.",
        description = {
            "Send five messages, one a second, print a line for each "
                    + "answer, and a summary at the end or at Ctrl-C. The node's own service "
                    + "answers. The exit status is 0 only if every message was answered in "
                    + "time.",
            "At the end, 20 traced frames show by which links such messages go to the first four "
                    + "nodes that answered."
        },
        footer = {
            "",
            "Round trips a second apart find threads asleep and caches cold; "
                    + "--flood measures what a busy application sees, and leaves a node after "
                    + "three losses in a row.",
            "Examples: hxb ping 1,0,0 0,1,0 --count 0",
            "          hxb ping --all --flood"
        })
public final class PingCommand implements Callable<Integer> {
    @Mixin private ClusterOptions cluster;
    @Mixin private PingOptions options;
    @Mixin private WaitOptions waiting;
    @Mixin private Output output;

    @Parameters(
            index = "0..*",
            arity = "0..*",
            paramLabel = "NODE",
            description =
                    "send to these nodes: host names of the cluster file, "
                            + "coordinates such as 1,0,0, or ids")
    private List<String> targets = List.of();

    /** Picocli makes it. */
    PingCommand() {}

    @Override
    public Integer call() throws IOException {
        if (targets.isEmpty() == !options.isForAll()) {
            throw new UsageException(
                    options.isForAll()
                            ? "--all and --all-pairs name the nodes: leave out "
                                    + targets.getFirst()
                            : "no node is named: give coordinates such as 1,0,0, or --all, or"
                                    + " --all-pairs");
        }
        options.plan(true, 1);
        final ClusterConfig config = waiting.apply(cluster.config());
        final List<Pair> pairs = pairs(config);
        final PingPlan plan = options.plan(true, pairs.size());
        try (Cluster nodes = new AttachedCluster(config)) {
            return PingReport.run(nodes, pairs, plan, false, output);
        }
    }

    private List<Pair> pairs(final ClusterConfig config) {
        final Shape shape = config.shape();
        final NodeNames names = new NodeNames(config);
        final List<Integer> nodes = targets.stream().map(target -> names.node(target)).toList();
        final int from = cluster.runningNode(config);
        return options.isForAll()
                ? options.allPairs(shape, from)
                : nodes.stream().map(to -> new Pair(from, to)).toList();
    }
}
