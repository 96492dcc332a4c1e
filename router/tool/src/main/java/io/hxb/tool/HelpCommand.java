package io.hxb.tool;

import io.hxb.tool.option.Output;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** {@code hxb help}: the help of any command, at any depth. Picocli makes it. */
@Command(
        name = "help",
        helpCommand = true,
        mixinStandardHelpOptions = true,
        header = "Show the help of a command.",
        footer = {"", "Example: hxb help lab up"})
final class HelpCommand implements Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Mixin private Output output;

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
        if (output.isJson()) {
            report(found);
        } else {
            found.usage(System.out);
        }
    }

    /** One object for a command, and one for each below it. */
    private void report(final CommandLine command) {
        final CommandSpec found = command.getCommandSpec();
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("command", found.qualifiedName());
        report.put("summary", text(found.usageMessage().header()));
        report.put("description", text(found.usageMessage().description()));
        report.put(
                "arguments",
                found.positionalParameters().stream()
                        .filter(argument -> !argument.hidden())
                        .map(HelpCommand::argument)
                        .toList());
        report.put(
                "options",
                found.options().stream()
                        .filter(option -> !option.hidden())
                        .map(HelpCommand::option)
                        .toList());
        report.put("commands", Usage.visibleNames(command));
        output.report(report);
        command.getSubcommands().values().stream()
                .distinct()
                .filter(inner -> !inner.getCommandSpec().usageMessage().hidden())
                .forEach(this::report);
    }

    private static Map<String, Object> argument(final ArgSpec argument) {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("label", argument.arity().max() == 0 ? null : argument.paramLabel());
        report.put("min", argument.arity().min());
        report.put("max", argument.arity().isVariable() ? null : argument.arity().max());
        report.put("default", argument.defaultValue());
        report.put(
                "description",
                text(argument.description())
                        .replace("${DEFAULT-VALUE}", String.valueOf(argument.defaultValue())));
        return report;
    }

    private static Map<String, Object> option(final OptionSpec option) {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("names", List.of(option.names()));
        report.putAll(argument(option));
        return report;
    }

    private static String text(final String[] lines) {
        return Arrays.stream(lines)
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining(" "));
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
