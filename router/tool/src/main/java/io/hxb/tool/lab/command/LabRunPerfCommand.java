package io.hxb.tool.lab.command;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.cluster.AttachedCluster;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.lab.LabCluster;
import io.hxb.tool.lab.LabSession;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.NodeProcesses;
import io.hxb.tool.machine.AttendedProcess;
import io.hxb.tool.measure.LocalReceivers;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.StopRequest;
import io.hxb.tool.option.EndOptions;
import io.hxb.tool.option.LabRunOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.perf.PerfCommand;
import io.hxb.tool.perf.PerfOptions;
import io.hxb.tool.perf.PerfReport;
import io.hxb.topology.Shape;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/** {@code hxb lab run perf}: throughput in a lab of its own. Picocli makes it. */
@Command(
        name = "perf",
        mixinStandardHelpOptions = true,
        header = "Measure throughput in a lab made for it.",
        description =
                "Send as fast as the receiver takes it, and check every message there; both are"
                        + " processes of their own, attached to their nodes. Lines report what is"
                        + " acknowledged meanwhile; Ctrl-C ends it with the result.",
        footer = {
            "",
            PerfCommand.SMALL_MESSAGES,
            "Example: hxb lab run perf --shape 2x2x2 --rate 1gbit --size 8192 --seconds 3 --json"
        })
final class LabRunPerfCommand implements Callable<Integer> {
    @ParentCommand private LabRunCommand parent;
    @Mixin private LabRunOptions lab;
    @Mixin private PerfOptions options;
    @Mixin private EndOptions ends;
    @Mixin private Output output;

    @Option(
            names = "--in-process",
            hidden = true,
            description = "run both ends in the process of the nodes, as deploy/aot wants it")
    private boolean isInProcess;

    /** Picocli makes it. */
    LabRunPerfCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        parent.requireNoOptions("perf");
        options.loads();
        options.intervalNs(false);
        final LabSpec spec = lab.spec();
        final List<Pair> pairs = options.pairs(spec, ends);
        try (LabSession session = lab.start(spec)) {
            return isInProcess
                    ? measure(session.cluster().config(), pairs)
                    : AttendedProcess.run(command(session));
        }
    }

    private int measure(final ClusterConfig config, final List<Pair> pairs) throws IOException {
        final Set<Integer> receiving = pairs.stream().map(Pair::to).collect(Collectors.toSet());
        try (Cluster cluster = new AttachedCluster(config);
                StopRequest stop = StopRequest.onInterrupt()) {
            return new PerfReport(cluster, options, output, stop)
                    .run(List.of(pairs), new LocalReceivers(cluster, receiving, false));
        }
    }

    private List<String> command(final LabSession session) {
        final Shape shape = session.spec().shape();
        final List<String> words =
                new ArrayList<>(
                        List.of(
                                "perf",
                                "--node",
                                shape.format(shape.coordinates(ends.from(shape))),
                                "--config",
                                LabCluster.file(session.folder()).toString(),
                                "--attended"));
        if (!options.isForAll()) {
            words.add(1, shape.format(shape.coordinates(ends.to(session.spec()))));
        }
        words.addAll(options.words());
        if (output.isJson()) {
            words.add("--json");
        }
        return NodeProcesses.self(words.toArray(String[]::new));
    }
}
