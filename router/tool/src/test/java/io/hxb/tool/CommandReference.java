package io.hxb.tool;

import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Makes the page {@code docs/reference/commands.md} and the manual page hxb(1) from the commands
 * themselves. Used by one thread.
 */
final class CommandReference {
    /** The day that hxb(1) names; the page is of a version, not of a day. */
    private static final String DATE = "November 27, 2026";

    /** Characters by which a description repeats a header. */
    private static final int SAME_START = 10;

    private final List<CommandSpec> commands = new ArrayList<>();
    private final CommandSpec hxb;

    CommandReference() {
        final CommandLine all = Hxb.commandLine();
        hxb = all.getCommandSpec();
        collect(all);
    }

    private void collect(final CommandLine command) {
        for (final CommandLine inner : command.getSubcommands().values()) {
            if (!inner.getCommandSpec().usageMessage().hidden()) {
                commands.add(inner.getCommandSpec());
                collect(inner);
            }
        }
    }

    /** The page in Markdown. */
    String markdown() {
        final StringBuilder page = new StringBuilder();
        page.append("# Command line\n\n")
                .append("This page is made from the commands; `hxb help COMMAND` prints the same.")
                .append(" Every command also has `-h`, `--help` and `-V`, `--version`.\n\n");
        texts(hxb.usageMessage().footer()).forEach(text -> page.append(text).append("\n\n"));
        page.append("[JSON](json.md) has the objects that `--json` prints,")
                .append(" [environment](environment.md) the variables that commands read.\n\n");
        for (final CommandSpec command : commands) {
            final String name = command.qualifiedName();
            if (name.split(" ", -1).length == 2) {
                page.append("- [`%s`](#%s): %s\n".formatted(name, anchor(name), summary(command)));
            }
        }
        commands.forEach(command -> page.append(markdown(command)));
        return page.toString();
    }

    private static String anchor(final String name) {
        return name.toLowerCase(Locale.ROOT).replace(' ', '-');
    }

    private static String markdown(final CommandSpec command) {
        final StringBuilder page = new StringBuilder();
        page.append("\n## ").append(command.qualifiedName()).append("\n\n");
        page.append("```\n").append(synopsis(command)).append("\n```\n\n");
        descriptions(command).forEach(text -> page.append(text).append("\n\n"));
        final List<String> rows = new ArrayList<>();
        for (final ArgSpec argument : arguments(command)) {
            final String name =
                    argument instanceof final OptionSpec option
                            ? Arrays.stream(option.names())
                                    .map(one -> "`" + one + label(option) + "`")
                                    .collect(Collectors.joining(", "))
                            : "`" + argument.paramLabel() + "`";
            rows.add("| %s | %s |".formatted(cell(name), cell(description(argument))));
        }
        if (!rows.isEmpty()) {
            page.append("| argument | meaning |\n| --- | --- |\n");
            rows.forEach(row -> page.append(row).append('\n'));
            page.append('\n');
        }
        final List<String> inner =
                command.commandLine().getSubcommands().values().stream()
                        .map(CommandLine::getCommandSpec)
                        .filter(spec -> !spec.usageMessage().hidden())
                        .map(CommandSpec::qualifiedName)
                        .map(name -> "[`%s`](#%s)".formatted(name, anchor(name)))
                        .toList();
        if (!inner.isEmpty()) {
            page.append("Commands: ").append(String.join(", ", inner)).append(".\n\n");
        }
        texts(command.usageMessage().footer()).forEach(text -> page.append(text).append("\n\n"));
        return page.toString().stripTrailing() + "\n";
    }

    private static String cell(final String text) {
        return text.replace("|", "\\|").replace("*", "\\*");
    }

    /** The manual page in mdoc(7). */
    String manual() {
        final Mdoc page = new Mdoc();
        page.raw(".\\\" Made by CommandReferenceTest.");
        page.macro("Dd", DATE.split(" ", -1)).macro("Dt", "HXB", "1").macro("Os");
        page.macro("Sh", "NAME").macro("Nm", "hxb");
        page.macro("Nd", "nodes, tools and laboratories of a software hyper-crossbar");
        page.macro("Sh", "SYNOPSIS").macro("Nm").raw(".Ar command Op Ar options");
        page.macro("Sh", "DESCRIPTION");
        page.text(description(hxb.usageMessage().description()));
        page.macro("Pp");
        texts(hxb.usageMessage().footer()).stream()
                .filter(text -> !text.startsWith("Exit status"))
                .forEach(page::text);
        page.macro("Pp");
        page.text("Every command also has the options -h, --help, -V and --version.");
        page.macro("Sh", "COMMANDS");
        commands.forEach(command -> manual(page, command));
        page.macro("Sh", "ENVIRONMENT").raw(".Bl -tag -width HXB_CONFIG");
        environment().forEach(row -> page.macro("It", "Ev", row.getFirst()).text(row.getLast()));
        page.macro("El");
        page.macro("Sh", "FILES").raw(".Bl -tag -width Ds");
        page.macro("It", "Pa", "/etc/hxb/cluster.yaml")
                .text("the cluster file, unless another is named.");
        page.macro("It", "Pa", "/run/hxb").text("sockets and counter files of nodes of root.");
        page.macro("El");
        page.macro("Sh", "EXIT STATUS").raw(".Bl -tag -width Ds");
        page.macro("It", "0").text("success.");
        page.macro("It", "1").text("failure; trying again may help.");
        page.macro("It", "2").text("wrong usage or a wrong cluster file.");
        page.macro("El");
        page.macro("Sh", "SEE ALSO");
        page.raw(".Xr hxb 3 ,").raw(".Xr vfn 3 ,").raw(".Xr fi_hxb 7");
        return page.toString();
    }

    private static void manual(final Mdoc page, final CommandSpec command) {
        page.macro("Ss", command.qualifiedName());
        page.literal(List.of(synopsis(command)));
        for (final String text : descriptions(command)) {
            page.macro("Pp").text(text);
        }
        final List<ArgSpec> arguments = arguments(command);
        if (!arguments.isEmpty()) {
            page.raw(".Bl -tag -width Ds");
            for (final ArgSpec argument : arguments) {
                page.raw(".It " + item(argument)).text(description(argument));
            }
            page.macro("El");
        }
        for (final String text : texts(command.usageMessage().footer())) {
            page.macro("Pp").text(text);
        }
    }

    /** The arguments of the macro that begins an item: flags and labels, as mdoc(7) has them. */
    private static String item(final ArgSpec argument) {
        if (!(argument instanceof final OptionSpec option)) {
            return "Ar " + Mdoc.inLine(argument.paramLabel());
        }
        final List<String> names = new ArrayList<>();
        for (final String name : option.names()) {
            final String flag = "Fl " + Mdoc.inLine(name.substring(1));
            final boolean isLong = name.startsWith("--");
            names.add(
                    option.arity().max() == 0
                            ? flag
                            : flag
                                    + (isLong ? " Ns = Ns Ar " : " Ar ")
                                    + Mdoc.inLine(option.paramLabel()));
        }
        return String.join(" , ", names);
    }

    /** Rows of the page of the environment that are about commands: name and meaning. */
    private static List<List<String>> environment() {
        final Path page =
                Path.of(System.getProperty("hxb.root", ".."), "docs/reference/environment.md");
        final List<List<String>> rows = new ArrayList<>();
        try {
            for (final String line : Files.readAllLines(page)) {
                final String[] cells = line.split("\\|", -1);
                if (line.startsWith("| `")
                        && cells[2].matches(".*(commands|tools|deploy/hxb|hxb node).*")) {
                    for (final String name : cells[1].split(",", -1)) {
                        rows.add(List.of(plain(name), plain(cells[3]) + "."));
                    }
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return rows;
    }

    private static String plain(final String cell) {
        return cell.replace("`", "").strip();
    }

    private static String synopsis(final CommandSpec command) {
        final StringBuilder text = new StringBuilder(command.qualifiedName());
        final boolean isGroup =
                !command.commandLine().getSubcommands().isEmpty()
                        && command.userObject() instanceof Runnable;
        if (isGroup) {
            return text.append(" COMMAND").toString();
        }
        text.append(" [options]");
        for (final PositionalParamSpec parameter : command.positionalParameters()) {
            final String many = parameter.arity().isVariable() ? "..." : "";
            text.append(' ')
                    .append(
                            parameter.arity().min() == 0
                                    ? "[" + parameter.paramLabel() + many + "]"
                                    : parameter.paramLabel() + many);
        }
        return text.toString();
    }

    private static String label(final OptionSpec option) {
        return option.arity().max() == 0 ? "" : "=" + option.paramLabel();
    }

    /** Positional parameters and options, in the order of the help. */
    private static List<ArgSpec> arguments(final CommandSpec command) {
        final List<ArgSpec> arguments = new ArrayList<>(command.positionalParameters());
        final List<OptionSpec> options =
                new ArrayList<>(
                        command.options().stream()
                                .filter(option -> !option.hidden())
                                .filter(option -> !option.usageHelp() && !option.versionHelp())
                                .toList());
        if (command.usageMessage().sortOptions()) {
            options.sort(Comparator.comparing(OptionSpec::longestName));
        }
        arguments.addAll(options);
        return arguments;
    }

    private static String summary(final CommandSpec command) {
        final String[] header = command.usageMessage().header();
        return header.length > 0 ? header[0] : command.usageMessage().description()[0];
    }

    /** Header and description; the description alone where it begins as the header does. */
    private static List<String> descriptions(final CommandSpec command) {
        final List<String> all = new ArrayList<>(texts(command.usageMessage().description()));
        final String[] header = command.usageMessage().header();
        if (header.length > 0
                && (all.isEmpty()
                        || !all.getFirst().startsWith(header[0].substring(0, SAME_START)))) {
            all.addFirst(header[0]);
        }
        return all;
    }

    private static List<String> texts(final String[] lines) {
        return Arrays.stream(lines).filter(line -> !line.isBlank()).map(String::strip).toList();
    }

    private static String description(final String[] lines) {
        return Arrays.stream(lines).map(String::strip).collect(Collectors.joining(" "));
    }

    /** The help text of an option or parameter, in one line. */
    private static String description(final ArgSpec argument) {
        return description(argument.description())
                .replace("${DEFAULT-VALUE}", String.valueOf(argument.defaultValue()));
    }
}
