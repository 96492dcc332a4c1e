package io.hxb.tool.route;

import io.hxb.tool.option.MissingCommand;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code hxb route}: the parent of its subcommands. Picocli makes it. */
@Command(
        name = "route",
        mixinStandardHelpOptions = true,
        header = "Show and change the VLANs that frames take.",
        subcommands = {
            RouteShowCommand.class,
            RouteSetCommand.class,
            RouteResetCommand.class,
            RouteWatchCommand.class,
            RouteApplyCommand.class
        },
        footer = {"", "Each host has a manager of its own: see hxb help manager."})
public final class RouteCommand implements Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    /** Picocli makes it. */
    RouteCommand() {}

    @Override
    public void run() {
        throw MissingCommand.of(spec);
    }
}
