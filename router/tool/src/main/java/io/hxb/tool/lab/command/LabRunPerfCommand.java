package io.hxb.tool.lab.command;

import io.hxb.tool.lab.LabSession;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.option.EndOptions;
import io.hxb.tool.option.LabRunOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.perf.PerfCommand;
import io.hxb.tool.perf.PerfOptions;
import io.hxb.tool.perf.PerfReport;
import io.hxb.topology.Shape;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code hxb lab run perf}: throughput in a lab of its own. Picocli makes it. */
@Command(
        name = "perf",
        mixinStandardHelpOptions = true,
        header = "Measure throughput in a lab made for it.",
        description =
                "Send as fast as the receiver takes it, and check every message there. "
                        + "Lines report what is acknowledged meanwhile; Ctrl-C ends it with the "
                        + "result.",
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

    /** Picocli makes it. */
    LabRunPerfCommand() {}

    @Override
    public Integer call() throws IOException {
        parent.requireNoOptions("perf");
        options.load();
        options.intervalNs();
        final LabSpec spec = lab.spec();
        final Shape shape = spec.shape();
        final List<Pair> pairs = options.pairs(shape, ends.from(shape), ends.to(shape));
        try (LabSession session = lab.start(spec)) {
            return PerfReport.run(session.cluster(), pairs, options, output);
        }
    }
}
