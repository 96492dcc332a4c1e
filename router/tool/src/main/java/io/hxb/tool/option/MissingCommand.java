package io.hxb.tool.option;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

import java.util.stream.Collectors;

/** What commands throw that only have other commands below them, if none is named. Stateless. */
public final class MissingCommand {
    private MissingCommand() {}

    /**
     * Names the commands that there are.
     *
     * @param spec the command that was called.
     */
    public static ParameterException of(final CommandSpec spec) {
        return new ParameterException(
                spec.commandLine(),
                spec.commandLine().getSubcommands().values().stream()
                        .filter(inner -> !inner.getCommandSpec().usageMessage().hidden())
                        .map(CommandLine::getCommandName)
                        .distinct()
                        .collect(
                                Collectors.joining(
                                        ", ",
                                        "a command is missing; '"
                                                + spec.qualifiedName()
                                                + "' has: ",
                                        "")));
    }
}
