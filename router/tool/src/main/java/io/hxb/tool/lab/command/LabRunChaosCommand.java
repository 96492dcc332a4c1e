package io.hxb.tool.lab.command;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.chaos.ChaosOptions;
import io.hxb.tool.chaos.ChaosRun;
import io.hxb.tool.lab.LabSession;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.option.EndOptions;
import io.hxb.tool.option.LabRunOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;

/** {@code hxb lab run chaos}: faults in a lab of their own. Picocli makes it. */
@Command(
        name = "chaos",
        mixinStandardHelpOptions = true,
        header = "Make links and nodes of a lab made for it fail.",
        description =
                "Make links and nodes fail while messages flow, and check every "
                        + "message. Nodes get a process each where they fail, and frames a CRC "
                        + "where they are damaged.",
        footer = {
            "",
            "Example: hxb lab run chaos --shape 2 --links 2 --rate 1gbit --script faults.yaml"
        })
final class LabRunChaosCommand implements Callable<Integer> {
    @ParentCommand private LabRunCommand parent;
    @Mixin private LabRunOptions lab;
    @Mixin private ChaosOptions options;
    @Mixin private EndOptions ends;
    @Mixin private Output output;

    /** Picocli makes it. */
    LabRunChaosCommand() {}

    @Override
    public Integer call() throws IOException {
        parent.requireNoOptions("chaos");
        final LabSpec spec = lab.spec();
        final ChaosRun run = new ChaosRun(spec, options.pairs(spec, ends), options);
        final UnaryOperator<ClusterConfig> change =
                run.needsCrc() ? LabRunChaosCommand::withCrc : UnaryOperator.identity();
        try (LabSession session = lab.start(spec, run.needsProcesses(), change)) {
            return ExitStatus.of(run.run(session.cluster(), false, output));
        }
    }

    private static ClusterConfig withCrc(final ClusterConfig config) {
        return config.withFrame(config.frame().withCrc(true));
    }
}
