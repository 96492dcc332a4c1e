package io.hxb.tool.lab.command;

import io.hxb.tool.lab.LabSession;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.PingPlan;
import io.hxb.tool.option.EndOptions;
import io.hxb.tool.option.LabRunOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.ping.PingOptions;
import io.hxb.tool.ping.PingReport;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code hxb lab run ping}: round trips in a lab of their own. Picocli makes it. */
@Command(
        name = "ping",
        mixinStandardHelpOptions = true,
        header = "Measure round trips in a lab made for it.",
        description =
                "Measure round trips back to back, unless --interval is given, to one "
                        + "node at each distance, unless --to is given.",
        footer = {"", "Example: hxb lab run ping --shape 3x3x3 --spin --json"})
final class LabRunPingCommand implements Callable<Integer> {
    @ParentCommand private LabRunCommand parent;
    @Mixin private LabRunOptions lab;
    @Mixin private PingOptions options;
    @Mixin private Output output;

    @Option(
            names = "--from",
            paramLabel = "COORD",
            description = "send from this node (default: node 0)")
    private String from;

    @Option(
            names = "--to",
            paramLabel = "COORD",
            description = "send to this node (default: one node at each distance)")
    private String to;

    /** Picocli makes it. */
    LabRunPingCommand() {}

    @Override
    public Integer call() throws IOException {
        parent.requireNoOptions("ping");
        final LabSpec spec = lab.spec();
        final List<Pair> pairs = pairs(spec);
        final PingPlan plan = options.plan(false, pairs.size());
        try (LabSession session = lab.start(spec)) {
            return PingReport.run(session.cluster(), pairs, plan, true, output);
        }
    }

    private List<Pair> pairs(final LabSpec spec) {
        final Shape shape = spec.shape();
        final int sender = from == null ? 0 : shape.node(shape.parseCoordinates(from));
        if (options.isForAll()) {
            if (to != null || (from != null && options.isForAllPairs())) {
                throw new UsageException(
                        options.isForAllPairs()
                                ? "--all-pairs measures from every node to every other: leave out"
                                        + " --from and --to"
                                : "--all measures to every other node: leave out --to");
            }
            return options.allPairs(shape, sender);
        }
        return to == null
                ? EndOptions.distances(spec, sender)
                : List.of(new Pair(sender, shape.node(shape.parseCoordinates(to))));
    }
}
