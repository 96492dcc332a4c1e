package io.hxb.tool;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What bash, zsh and fish complete after {@code hxb}, made from the commands when a package is
 * made. Used by one thread.
 */
public final class Completion {
    private static final String FISH_FUNCTIONS =
            """
            # Commands and options of hxb for fish. Made from the commands.
            function __hxb_words
                for word in (commandline -opc)[2..]
                    string match -q -- '-*' $word; or echo $word
                end
            end
            function __hxb_at
                test "$(__hxb_words | string join ' ')" = "$argv"
            end
            function __hxb_in
                string match -q -- "$argv *" "$(__hxb_words | string join ' ') "
            end
            """;

    private static final String ZSH_START =
            """
            #compdef hxb
            # Commands and options of hxb for zsh. Made from the commands.
            local -a given commands options
            local word
            for word in ${words[2,CURRENT-1]}; do
              [[ $word == -* ]] || given+=($word)
            done
            case "${(j: :)given} " in
            """;

    private static final String ZSH_END =
            """
            esac
            if [[ $PREFIX == -* ]]; then
              _describe -o option options
            elif (( $#commands )); then
              _describe command commands
            else
              _files
            fi
            """;

    private final List<CommandSpec> specs = new ArrayList<>();

    private Completion() {
        collect(Hxb.commandLine());
    }

    /**
     * Prints the file for a shell.
     *
     * @param arguments its name: bash, zsh or fish.
     * @throws IllegalArgumentException if there is no such shell.
     */
    public static void main(final String[] arguments) {
        System.out.writeBytes(of(String.join(" ", arguments)).getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }

    /**
     * The file for a shell.
     *
     * @param shell bash, zsh or fish.
     * @throws IllegalArgumentException if there is no such shell.
     */
    static String of(final String shell) {
        return switch (shell) {
            case "bash" -> AutoComplete.bash("hxb", Hxb.commandLine());
            case "fish" -> new Completion().fish();
            case "zsh" -> new Completion().zsh();
            default ->
                    throw new IllegalArgumentException(
                            "the shell must be bash, zsh or fish: '" + shell + "'");
        };
    }

    private void collect(final CommandLine command) {
        specs.add(command.getCommandSpec());
        inner(command.getCommandSpec()).forEach(spec -> collect(spec.commandLine()));
    }

    private static Stream<CommandSpec> inner(final CommandSpec spec) {
        return spec.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(one -> !one.usageMessage().hidden())
                .distinct();
    }

    private static Stream<OptionSpec> options(final CommandSpec spec) {
        return spec.options().stream().filter(option -> !option.hidden());
    }

    /** The words after hxb. */
    private static String path(final CommandSpec spec) {
        return spec.qualifiedName().replaceFirst("^hxb ?", "");
    }

    private String fish() {
        final StringBuilder text = new StringBuilder(FISH_FUNCTIONS);
        for (final CommandSpec spec : specs) {
            final String path = path(spec);
            inner(spec)
                    .forEach(
                            one ->
                                    text.append("complete -c hxb -f -n '__hxb_at ")
                                            .append(path)
                                            .append("' -a ")
                                            .append(one.name())
                                            .append(" -d ")
                                            .append(quoted(summary(one)))
                                            .append('\n'));
            options(spec).forEach(option -> text.append(fish(path, option)));
        }
        return text.toString();
    }

    private static String fish(final String path, final OptionSpec option) {
        final StringBuilder line = new StringBuilder("complete -c hxb -n ");
        line.append(path.isEmpty() ? "__hxb_at" : "'__hxb_in " + path + "'");
        for (final String name : option.names()) {
            final boolean isLong = name.startsWith("--");
            line.append(isLong ? " -l " : " -s ").append(name.substring(isLong ? 2 : 1));
        }
        return line.append(option.arity().max() > 0 ? " -r" : "")
                .append(" -d ")
                .append(quoted(brief(option.description())))
                .append('\n')
                .toString();
    }

    private static String quoted(final String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    private String zsh() {
        final StringBuilder text = new StringBuilder(ZSH_START);
        // The longest first: what follows a command are its arguments.
        specs.stream()
                .sorted(Comparator.comparingInt((CommandSpec spec) -> -path(spec).length()))
                .forEach(spec -> text.append(zsh(spec)));
        return text.append(ZSH_END).toString();
    }

    private static String zsh(final CommandSpec spec) {
        final StringBuilder text = new StringBuilder();
        final String path = path(spec);
        text.append(path.isEmpty() ? "  (*)\n" : "  ('" + path + " '*)\n");
        text.append("    options=(\n");
        options(spec)
                .forEach(
                        option ->
                                Stream.of(option.names())
                                        .map(name -> zsh(name, brief(option.description())))
                                        .forEach(text::append));
        text.append("    )\n    [[ ${#given} -gt ")
                .append(path.isEmpty() ? 0 : path.split(" ", -1).length)
                .append(" ]] || commands=(\n");
        inner(spec).forEach(one -> text.append(zsh(one.name(), summary(one))));
        return text.append("    )\n    ;;\n").toString();
    }

    private static String zsh(final String name, final String meaning) {
        final String text = name + ":" + meaning.replace(":", "\\:");
        return "      '" + text.replace("'", "'\\''") + "'\n";
    }

    private static String summary(final CommandSpec spec) {
        final String[] header = spec.usageMessage().header();
        return brief(header.length > 0 ? header : spec.usageMessage().description());
    }

    /** The first sentence, or what stands before a bracket or semicolon. */
    private static String brief(final String... description) {
        final String text = String.join(" ", description).replace("%n", " ").replace("%%", "%");
        return text.split(" \\(|; |: |\\. ", 2)[0].strip().replaceFirst("\\.$", "");
    }
}
