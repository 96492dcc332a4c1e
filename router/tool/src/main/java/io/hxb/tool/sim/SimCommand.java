package io.hxb.tool.sim;

import io.hxb.tool.option.MissingCommand;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code hxb sim}: the flit-level simulator. Picocli makes it. */
@Command(
        name = "sim",
        mixinStandardHelpOptions = true,
        description = "Simulate networks of switches before you buy them.",
        subcommands = {
            SimRunCommand.class,
            SimSweepCommand.class,
            SimSlurmCommand.class,
            SimMergeCommand.class,
            SimPaperCommand.class,
            SimEthernetCommand.class
        })
public final class SimCommand implements Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    /** Picocli makes it. */
    public SimCommand() {}

    @Override
    public void run() {
        throw MissingCommand.of(spec);
    }
}
