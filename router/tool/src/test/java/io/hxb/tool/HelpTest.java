package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The help of all commands. */
@Tag("unit")
class HelpTest {
    private static final int MAX_SUMMARY_LENGTH = 60;
    private static final CommandLine ALL = Hxb.commandLine();

    private static List<CommandLine> commands() {
        final List<CommandLine> commands = new ArrayList<>();
        collect(ALL, commands);
        return commands;
    }

    private static void collect(final CommandLine command, final List<CommandLine> found) {
        for (final CommandLine inner : command.getSubcommands().values()) {
            found.add(inner);
            collect(inner, found);
        }
    }

    private static String[] words(final CommandLine command, final String... more) {
        final String path = command.getCommandSpec().qualifiedName().substring("hxb ".length());
        return Stream.concat(Stream.of(path.split(" ", -1)), Stream.of(more))
                .toArray(String[]::new);
    }

    @Test
    void shouldSumUpEveryCommandInOneShortSentence() {
        for (final CommandLine command : commands()) {
            final var usage = command.getCommandSpec().usageMessage();
            final String[] summary =
                    usage.header().length > 0 ? usage.header() : usage.description();
            final String name = command.getCommandSpec().qualifiedName();

            assertEquals(1, summary.length, () -> name + ": a header of one line is missing");
            assertTrue(summary[0].length() <= MAX_SUMMARY_LENGTH, () -> name + ": " + summary[0]);
            assertTrue(summary[0].matches("[A-Z].*[a-z0-9')]\\."), () -> name + ": " + summary[0]);
        }
    }

    @Test
    void shouldListEveryCommandInALineOfItsOwn() {
        final CommandLine hxb = Hxb.commandLine();
        hxb.setUsageHelpWidth(80);

        final List<String> lines = hxb.getUsageMessage().lines().toList();

        for (final String name : Usage.visibleNames(hxb)) {
            assertEquals(
                    1,
                    lines.stream()
                            .filter(line -> line.matches("  " + name + " +[A-Z].*\\."))
                            .count(),
                    name);
        }
    }

    @Test
    void shouldNotBreakSentencesWhereAWiderTerminalHasRoom() {
        for (final CommandLine command : commands()) {
            final var usage = command.getCommandSpec().usageMessage();
            final List<String> pieces =
                    Stream.concat(Stream.of(usage.description()), Stream.of(usage.footer()))
                            .filter(piece -> !piece.isBlank() && !piece.contains("   "))
                            .toList();
            for (final String piece : pieces) {
                assertTrue(
                        piece.matches("(?s).*[.?)]|(Example|In one go)[^:]*: .*"),
                        () ->
                                command.getCommandSpec().qualifiedName()
                                        + " goes on after: "
                                        + piece);
            }
        }
    }

    @Test
    void shouldReportTheVersionOfEveryCommand() {
        final String version = HxbOutput.of("--version").text();
        for (final CommandLine command : commands()) {
            final HxbOutput output = HxbOutput.of(words(command, "-V"));

            assertEquals(ExitStatus.OK, output.status(), output::errors);
            assertEquals(version, output.text());
            assertTrue(output.text().startsWith("hxb "), output::text);
        }
    }

    @Test
    void shouldShowTheSameHelpOfACommandByBothWays() {
        for (final CommandLine command : commands()) {
            final List<String> help = new ArrayList<>(List.of("help"));
            help.addAll(List.of(words(command)));

            final HxbOutput byHelp = HxbOutput.of(help.toArray(String[]::new));
            final HxbOutput byOption = HxbOutput.of(words(command, "--help"));

            assertEquals(ExitStatus.OK, byHelp.status(), byHelp::errors);
            assertEquals(byOption.text(), byHelp.text());
            assertTrue(
                    byHelp.text().contains("Usage: " + command.getCommandSpec().qualifiedName()),
                    byHelp::text);
        }
    }

    @Test
    void shouldReportWhichCommandsThereAreInsteadOfAnUnknownOne() {
        final HxbOutput output = HxbOutput.of("help", "lab", "nonsense");

        assertEquals(ExitStatus.USAGE, output.status());
        assertTrue(output.errors().contains("'hxb lab' has: up, down, status"), output::errors);
        assertFalse(output.errors().contains("host"), "a hidden command: " + output.errors());
    }

    @Test
    void shouldRespectColumns() {
        assertEquals(100, Usage.columns(Map.of("COLUMNS", "100")));
        assertEquals(60, Usage.columns(Map.of("COLUMNS", "20")), "narrower is not readable");
        assertEquals(160, Usage.columns(Map.of("COLUMNS", "99999")));
        assertNull(Usage.columns(Map.of()));
        assertNull(Usage.columns(Map.of("COLUMNS", "wide")));
        assertNull(Usage.columns(Map.of("COLUMNS", "-80")));
    }

    @Test
    void shouldOfferOnlyOptionsThatDoSomething() {
        final Set<String> ofPing = of("ping");
        ofPing.removeAll(of("stat"));
        ofPing.removeAll(of("node"));
        ofPing.remove("--all-pairs");
        assertEquals(Set.of("--size", "--flood", "--timeout", "--all"), ofPing);
        for (final String name : List.of("--random", "--script", "--flood", "--timeout", "--out")) {
            assertFalse(of("perf").contains(name), name);
            assertFalse(of("lab run perf").contains(name), name);
            assertFalse(of("lab run").contains(name), name);
        }
        for (final String name : List.of("--check", "--count", "--interval")) {
            assertFalse(of("chaos").contains(name), name);
            assertFalse(of("lab run chaos").contains(name), name);
        }
        assertTrue(of("lab run ping").containsAll(Set.of("--shape", "--from", "--to", "--spin")));
        assertTrue(of("lab run chaos").containsAll(Set.of("--shape", "--seconds", "--warmup")));
    }

    private static Set<String> of(final String path) {
        CommandLine command = ALL;
        for (final String word : path.split(" ", -1)) {
            command = command.getSubcommands().get(word);
        }
        return command.getCommandSpec().options().stream()
                .map(OptionSpec::longestName)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
