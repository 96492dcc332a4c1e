package io.hxb.tool.lab.command;

import io.hxb.tool.option.MissingCommand;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code hxb lab}: a cluster on one machine. Picocli makes it. */
@Command(
        name = "lab",
        mixinStandardHelpOptions = true,
        header = "Make a whole cluster on this machine.",
        description =
                "Make a whole cluster on this machine, of network namespaces and veth "
                        + "NICs, or of UDP links on loopback.",
        subcommands = {
            LabUpCommand.class,
            LabDownCommand.class,
            LabStatusCommand.class,
            LabExecCommand.class,
            LabPingCommand.class,
            LabPerfCommand.class,
            LabRunCommand.class,
            LabHostCommand.class
        })
public final class LabCommand implements Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    /** Picocli makes it. */
    LabCommand() {}

    @Override
    public void run() {
        throw MissingCommand.of(spec);
    }
}
