package io.hxb.bench.flit.tool;

import io.hxb.tool.Extension;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code hxb sim}: the flit-level simulator. Picocli makes it. */
@Command(
        name = "sim",
        mixinStandardHelpOptions = true,
        description = "Simulates networks of switches before you buy them.",
        subcommands = {
            SimRunCommand.class,
            SimSweepCommand.class,
            SimSlurmCommand.class,
            SimMergeCommand.class,
            SimPaperCommand.class,
            SimEthernetCommand.class
        })
public final class SimCommand implements Extension, Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    /** The service loader or picocli makes it. */
    public SimCommand() {}

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                spec.commandLine(), "which command? See hxb sim --help");
    }
}
