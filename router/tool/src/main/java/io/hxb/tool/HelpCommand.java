package io.hxb.tool;

import io.hxb.tool.report.UsageException;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.util.List;

/** {@code hxb help}: the help of any command, at any depth. Picocli makes it. */
@Command(
        name = "help",
        helpCommand = true,
        mixinStandardHelpOptions = true,
        header = "Show the help of a command.",
        footer = {"", "Example: hxb help lab up"})
final class HelpCommand implements Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "show the help of this command, such as lab up")
    private List<String> words = List.of();

    /** Picocli makes it. */
    HelpCommand() {}

    @Override
    public void run() {
        CommandLine found = spec.parent().commandLine();
        for (final String word : words) {
            final CommandLine inner = found.getSubcommands().get(word);
            if (inner == null) {
                throw new UsageException(RenamedWords.command(word).orElse(unknown(found)));
            }
            found = inner;
        }
        found.usage(System.out);
    }

    private String unknown(final CommandLine found) {
        return "there is no command '"
                + String.join(" ", words)
                + "'; '"
                + found.getCommandSpec().qualifiedName()
                + "' has: "
                + String.join(", ", Usage.visibleNames(found));
    }
}
