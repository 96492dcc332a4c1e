package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.tool.report.Json;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The page {@code docs/reference/json.md}: the keys of the objects that commands print. Tests that
 * read an object look each key up here. Stateless.
 */
final class JsonPage {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Map<String, Map<String, String>> SECTIONS = read();

    private JsonPage() {}

    /** Types by key, of each heading of the page. */
    private static Map<String, Map<String, String>> read() {
        final Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        List<String> headings = List.of();
        try {
            for (final String line :
                    Files.readAllLines(
                            Path.of(System.getProperty("hxb.root", ".."))
                                    .resolve("docs/reference/json.md"))) {
                if (line.startsWith("#")) {
                    headings = List.of(line.replaceFirst("#+ ", "").split(", ", -1));
                } else if (line.startsWith("| `")) {
                    final String[] cells = line.split("(?<!\\\\)\\|", -1);
                    final Matcher code = CODE.matcher(cells[1]);
                    while (code.find()) {
                        for (final String heading : headings) {
                            sections.computeIfAbsent(heading, name -> new TreeMap<>())
                                    .put(code.group(1), cells[2].strip());
                        }
                    }
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return sections;
    }

    /** The keys under a heading. */
    static Set<String> keys(final String heading) {
        return SECTIONS.getOrDefault(heading, Map.of()).keySet();
    }

    /** All headings. */
    static Set<String> headings() {
        return SECTIONS.keySet();
    }

    /**
     * Checks what a command has printed, if {@code --json} was given.
     *
     * @param arguments of hxb.
     * @param text its standard output.
     */
    static void check(final List<String> arguments, final String text) {
        final int end = arguments.indexOf("--");
        if (!arguments.subList(0, end < 0 ? arguments.size() : end).contains("--json")
                || arguments.getFirst().matches("mpirun|sim")) {
            return;
        }
        final String command = command(arguments);
        final Map<String, String> described = SECTIONS.getOrDefault(command, Map.of());
        final Set<String> unknown = new TreeSet<>();
        for (final String line : text.lines().toList()) {
            if (line.startsWith("{") && line.endsWith("}")) {
                final Map<?, ?> object = Json.parse(line, Map.class, command);
                if (!object.keySet().equals(Set.of("ok", "error"))) {
                    collect("", object, described, unknown);
                }
            }
        }
        assertEquals(
                Set.of(), unknown, "docs/reference/json.md does not describe these of " + command);
    }

    /** The longest name of a command with a heading that the arguments begin with. */
    private static String command(final List<String> arguments) {
        final List<String> words =
                arguments.stream().takeWhile(word -> word.matches("[a-z]+")).toList();
        return IntStream.rangeClosed(0, words.size())
                .mapToObj(cut -> "hxb " + String.join(" ", words.subList(0, words.size() - cut)))
                .filter(SECTIONS::containsKey)
                .findFirst()
                .orElse("hxb " + String.join(" ", words));
    }

    private static void collect(
            final String prefix,
            final Object value,
            final Map<String, String> described,
            final Set<String> unknown) {
        if (value instanceof final Map<?, ?> map && isObject(prefix, described)) {
            map.forEach(
                    (key, inner) ->
                            collect(name(prefix, key, described), inner, described, unknown));
        } else if (value instanceof final Collection<?> list
                && isOfObjects(list)
                && isObject(prefix, described)) {
            list.forEach(inner -> collect(prefix, inner, described, unknown));
        } else if (!described.containsKey(prefix)) {
            unknown.add(prefix + ": " + type(value));
        } else if (!isOf(described.get(prefix), value)) {
            unknown.add(prefix + " is " + type(value) + ", not " + described.get(prefix));
        }
    }

    /** True if there are keys below this one. */
    private static boolean isObject(final String prefix, final Map<String, String> described) {
        return prefix.isEmpty()
                || described.keySet().stream().anyMatch(key -> key.startsWith(prefix + "."));
    }

    private static boolean isOfObjects(final Collection<?> list) {
        return list.stream().allMatch(Map.class::isInstance);
    }

    /** The key as the page has it: a star where any name may stand. */
    private static String name(
            final String prefix, final Object key, final Map<String, String> described) {
        final String start = prefix.isEmpty() ? "" : prefix + ".";
        final String full = start + key;
        final boolean isNamed = described.containsKey(full) || isObject(full, described);
        final boolean hasStar =
                described.containsKey(start + "*") || isObject(start + "*", described);
        return !isNamed && hasStar ? start + "*" : full;
    }

    private static boolean isOf(final String type, final Object value) {
        return List.of(type.split(" or ", -1)).stream()
                .anyMatch(
                        one ->
                                switch (one) {
                                    case "boolean" -> value instanceof Boolean;
                                    case "integer" ->
                                            value instanceof Integer || value instanceof Long;
                                    case "number" -> value instanceof Number;
                                    case "string" -> value instanceof String;
                                    case "null" -> value == null;
                                    case "object" -> value instanceof Map;
                                    default ->
                                            one.startsWith("list") && value instanceof Collection;
                                });
    }

    private static String type(final Object value) {
        return switch (value) {
            case null -> "null";
            case Boolean _ -> "boolean";
            case Integer _ -> "integer";
            case Long _ -> "integer";
            case Number _ -> "number";
            case String _ -> "string";
            case Map<?, ?> _ -> "object";
            case Collection<?> list ->
                    "list of "
                            + list.stream()
                                    .map(JsonPage::type)
                                    .distinct()
                                    .collect(Collectors.joining("/"));
            default -> value.getClass().toString();
        };
    }
}
