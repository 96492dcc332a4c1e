package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The words of all commands, as far as a program can check them. */
@Tag("unit")
class HelpTextTest {
    private static final Pattern DEFAULT = Pattern.compile("\\(default: ([^()]|\\([^()]*\\))+\\)");

    /** Values that stand for no value: the description explains what holds then. */
    private static final Set<String> NO_VALUE = Set.of("0", "-1", "", "none");

    /** With what descriptions begin where they do not begin with a verb. */
    private static final Pattern CONDITION =
            Pattern.compile(
                    "^(with --[a-z-]+|in a lab|(host|switch)-tagged|dimension-order( in a torus)?"
                            + "|double-star|updown-tree and others|L-turn and R-turn): ");

    /** Verbs with which help texts begin; a new one is added where it is used. */
    private static final Set<String> VERBS =
            Set.of(
                    ("accept arbitrate ask build call carry change check choose compare compute"
                         + " connect count deal end estimate examine explain find forward give have"
                         + " hold join keep leave let limit list listen look make measure move"
                         + " overwrite pin plan print probe prohibit put read receive refresh"
                         + " remove repeat report require reset route run sample seed select send"
                         + " set show simulate spin start stop store switch tag take undo use wait"
                         + " write")
                            .split(" ", -1));

    /**
     * Options whose name has another label elsewhere, with the reason: a simulator counts cycles, a
     * listener of TCP has an address, and the others name a file, a folder or nothing.
     */
    private static final Map<String, Set<String>> LABELS =
            Map.ofEntries(
                    Map.entry("--warmup", Set.of("TIME", "N|auto")),
                    Map.entry("--listen", Set.of("PORT", "ADDRESS:PORT", "[HOST:]PORT")),
                    Map.entry("--name", Set.of("LAB", "CLUSTER")),
                    Map.entry("--out", Set.of("FILE", "FOLDER")),
                    Map.entry("--spin", Set.of("", "TIME")),
                    Map.entry("--state", Set.of("FILE", "STATE")),
                    Map.entry("--traffic", Set.of("", "NAME|FILE")),
                    Map.entry("--ties", Set.of("NAME", "balanced|table")),
                    Map.entry("--order", Set.of("node|block", "DIMENSIONS")));

    private static List<CommandSpec> commands() {
        final List<CommandSpec> commands = new ArrayList<>();
        collect(Hxb.commandLine(), commands);
        return commands;
    }

    private static void collect(final CommandLine command, final List<CommandSpec> found) {
        found.add(command.getCommandSpec());
        command.getSubcommands().values().forEach(inner -> collect(inner, found));
    }

    /** Options and parameters of all commands, by command and name; without help and version. */
    private static Map<String, ArgSpec> arguments() {
        final Map<String, ArgSpec> arguments = new TreeMap<>();
        for (final CommandSpec command : commands()) {
            for (final OptionSpec option : command.options()) {
                if (!option.usageHelp() && !option.versionHelp()) {
                    arguments.put(command.qualifiedName() + " " + option.longestName(), option);
                }
            }
            command.positionalParameters()
                    .forEach(
                            one ->
                                    arguments.put(
                                            command.qualifiedName() + " " + one.paramLabel(), one));
        }
        return arguments;
    }

    private static String text(final ArgSpec argument) {
        return String.join(" ", argument.description()).strip();
    }

    private static boolean beginsWithAVerb(final String text) {
        final String start = CONDITION.matcher(text).replaceFirst("");
        final String word = start.replaceFirst("[^A-Za-z].*", "").toLowerCase(Locale.ROOT);
        return VERBS.contains(word);
    }

    @Test
    void shouldDescribeEveryArgumentInTheImperative() {
        final List<String> wrong = new ArrayList<>();
        arguments()
                .forEach(
                        (name, argument) -> {
                            if (!beginsWithAVerb(text(argument))) {
                                wrong.add(name + ": " + text(argument));
                            }
                        });
        assertEquals("", String.join("\n", wrong));
    }

    @Test
    void shouldDescribeEveryCommandInTheImperative() {
        final List<String> wrong = new ArrayList<>();
        for (final CommandSpec command : commands()) {
            final List<String> texts = new ArrayList<>();
            Arrays.stream(command.usageMessage().header()).forEach(texts::add);
            Arrays.stream(command.usageMessage().description()).limit(1).forEach(texts::add);
            texts.stream()
                    .filter(
                            text ->
                                    !text.equals(
                                            "A software hyper-crossbar: many Ethernet ports, one"
                                                    + " fast network."))
                    .filter(text -> !beginsWithAVerb(text))
                    .forEach(text -> wrong.add(command.qualifiedName() + ": " + text));
        }
        assertEquals("", String.join("\n", wrong));
    }

    @Test
    void shouldNameDefaultsInOneForm() {
        final List<String> wrong = new ArrayList<>();
        arguments()
                .forEach(
                        (name, argument) -> {
                            final String text = text(argument);
                            final String rest = DEFAULT.matcher(text).replaceAll("");
                            final boolean isOther =
                                    Pattern.compile("\\bdefaults?\\b(?! VIDs)")
                                            .matcher(rest)
                                            .find();
                            if (isOther || (DEFAULT.matcher(text).find() && !text.endsWith(")"))) {
                                wrong.add(name + ": " + text);
                            }
                            final String value = argument.defaultValue();
                            if (value != null
                                    && !NO_VALUE.contains(value)
                                    && !text.contains("(default: " + value)) {
                                wrong.add(name + " has the default " + value + ": " + text);
                            }
                        });
        assertEquals("", String.join("\n", wrong));
    }

    @Test
    void shouldGiveAnOptionOneNameAndOneLabelEverywhere() {
        final Map<String, Set<String>> labels = new HashMap<>();
        final Map<String, Set<String>> shortNames = new HashMap<>();
        arguments().values().stream()
                .filter(ArgSpec::isOption)
                .map(OptionSpec.class::cast)
                .forEach(
                        option -> {
                            labels.computeIfAbsent(option.longestName(), key -> new TreeSet<>())
                                    .add(option.arity().max() == 0 ? "" : option.paramLabel());
                            shortNames
                                    .computeIfAbsent(option.longestName(), key -> new TreeSet<>())
                                    .add(option.shortestName());
                        });
        labels.entrySet()
                .removeIf(
                        entry ->
                                entry.getValue().size() == 1
                                        || entry.getValue()
                                                .equals(
                                                        LABELS.getOrDefault(
                                                                entry.getKey(), Set.of())));
        assertEquals(Map.of(), labels);
        shortNames.values().removeIf(names -> names.size() == 1);
        // As iperf3, which has -c for something else.
        assertEquals(Map.of("--count", Set.of("-c", "-n")), shortNames);
    }

    @Test
    void shouldHaveTheUnitInTheLabel() {
        final Map<String, Pattern> units =
                Map.of(
                        "--(interval|timeout|warmup|lease|hold-down|sample|duration|switch-delay)",
                                Pattern.compile("TIME|N\\|auto|"),
                        "--seconds", Pattern.compile("S"),
                        "--(rate|min-load)", Pattern.compile("RATE"),
                        "--(size|mtu|file-size|frame|port-bytes)", Pattern.compile("BYTES"),
                        "--(count|faults|rails|hosts-per-switch|vcs)", Pattern.compile("N"));
        final List<String> wrong = new ArrayList<>();
        arguments()
                .forEach(
                        (name, argument) ->
                                units.forEach(
                                        (option, unit) -> {
                                            final String label =
                                                    argument.arity().max() == 0
                                                            ? ""
                                                            : argument.paramLabel();
                                            if (name.matches(".* " + option)
                                                    && !unit.matcher(label).matches()) {
                                                wrong.add(name + "=" + label);
                                            }
                                        }));
        assertEquals(List.of(), wrong);
    }

    @Test
    void shouldKeepTheRulesOfEnglish() {
        final Map<String, Pattern> rules =
                Map.of(
                        "otherwise, not else",
                                Pattern.compile("(?<!(any|some|no)(thing|where) )\\belse\\b"),
                        "after, not behind", Pattern.compile("\\bbehind\\b"),
                        "no question", Pattern.compile("\\w\\?"),
                        "report or print", Pattern.compile("\\b[Tt]ells?\\b|\\b[Ss]ays?\\b"),
                        "what or who begins no sentence",
                                Pattern.compile("(^|\\. )(What|Who|Which|Whoever)\\b"));
        final List<String> wrong = new ArrayList<>();
        for (final CommandSpec command : commands()) {
            final List<String> texts = new ArrayList<>();
            texts.addAll(List.of(command.usageMessage().header()));
            texts.addAll(List.of(command.usageMessage().description()));
            texts.addAll(List.of(command.usageMessage().footer()));
            command.args().forEach(argument -> texts.add(text(argument)));
            for (final String text : texts) {
                rules.forEach(
                        (rule, pattern) -> {
                            final Matcher matcher = pattern.matcher(text);
                            if (matcher.find()) {
                                wrong.add(command.qualifiedName() + ": " + rule + ": " + text);
                            }
                        });
            }
        }
        assertEquals("", String.join("\n", wrong));
    }
}
