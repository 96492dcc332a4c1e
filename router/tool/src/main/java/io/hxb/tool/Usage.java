package io.hxb.tool;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import java.util.List;
import java.util.Map;

/** How commands show their help: one version and width for all of them. Stateless. */
final class Usage {
    private static final int MIN_WIDTH = 60;
    private static final int MAX_WIDTH = 160;

    private Usage() {}

    /** Prepares a command and everything below it. */
    static void prepare(final CommandLine command, final String version) {
        final Integer columns = columns(System.getenv());
        prepare(command, version, columns);
    }

    private static void prepare(
            final CommandLine command, final String version, final Integer columns) {
        command.getCommandSpec().version(version);
        if (columns == null) {
            command.getCommandSpec().usageMessage().autoWidth(true);
        } else {
            command.getCommandSpec().usageMessage().width(columns);
        }
        command.getSubcommands().values().forEach(inner -> prepare(inner, version, columns));
    }

    /** The width that {@code COLUMNS} asks for, kept readable; null if it is not set. */
    static Integer columns(final Map<String, String> environment) {
        final String value = environment.getOrDefault("COLUMNS", "");
        if (!value.matches("\\d{1,5}")) {
            return null;
        }
        return Math.clamp(Integer.parseInt(value), MIN_WIDTH, MAX_WIDTH);
    }

    /** Names of the commands that its help lists. */
    static List<String> visibleNames(final CommandLine command) {
        return command.getSubcommands().values().stream()
                .filter(inner -> !inner.getCommandSpec().usageMessage().hidden())
                .map(CommandLine::getCommandName)
                .distinct()
                .toList();
    }

    /** One line that shows how a command is called, and one that refers to its help. */
    static String hint(final CommandLine command) {
        final CommandSpec spec = command.getCommandSpec();
        final StringBuilder line = new StringBuilder("usage: ").append(spec.qualifiedName());
        if (!command.getSubcommands().isEmpty()) {
            line.append(" COMMAND");
        } else {
            line.append(" [options]");
            spec.positionalParameters().stream()
                    .map(parameter -> parameter.paramLabel())
                    .distinct()
                    .forEach(label -> line.append(' ').append(label));
        }
        return line.append(System.lineSeparator())
                .append("see: hxb help")
                .append(spec.qualifiedName().substring(spec.root().name().length()))
                .toString();
    }
}
