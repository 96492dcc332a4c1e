package io.hxb.tool.option;

import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The options on a command line, for commands with a mode in which some have no effect. Stateless.
 */
public final class GivenOptions {
    private GivenOptions() {}

    /**
     * The options on the command line, without those that the mode uses.
     *
     * @param command the command, after its command line was parsed.
     * @param used names of options with an effect, the first with two dashes of each.
     * @return the other ones, in their order.
     */
    public static List<String> except(final CommandSpec command, final Set<String> used) {
        return command.commandLine().getParseResult().matchedOptions().stream()
                .map(GivenOptions::name)
                .filter(name -> !used.contains(name))
                .distinct()
                .toList();
    }

    private static String name(final OptionSpec option) {
        return Stream.of(option.names())
                .filter(name -> name.startsWith("--"))
                .findFirst()
                .orElse(option.longestName());
    }

    /**
     * Refuses options without an effect.
     *
     * @param reason text after their names, such as {@code not with --all, which ...}.
     * @throws UsageException that names them, if there are any.
     */
    public static void refuse(final List<String> unused, final String reason) {
        if (!unused.isEmpty()) {
            throw new UsageException(String.join(", ", unused) + ": " + reason);
        }
    }
}
