package io.hxb.config.yaml;

import io.hxb.config.Check;
import io.hxb.config.ConfigKey;
import io.hxb.config.ConfigSection;
import io.hxb.config.ValueType;

import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * One mapping of the file. Each value is asked for by its key; {@link #finish()} then reports the
 * keys nobody asked for. What is wrong goes to the problems, and a default is returned instead.
 */
public final class YamlSection {
    private final Problems problems;
    private final String path;
    private final int line;
    private final Map<String, Node> keys = new LinkedHashMap<>();
    private final Map<String, Node> values = new LinkedHashMap<>();
    private final Set<String> asked = new LinkedHashSet<>();

    /**
     * Reads a mapping.
     *
     * @param path its name in messages, ending in a dot; empty for the whole file.
     * @param node the mapping, or null for one that is not there.
     */
    public YamlSection(
            final Problems problems, final String path, final int line, final Node node) {
        this.problems = problems;
        this.path = path;
        this.line = node == null ? line : Problems.line(node);
        if (node instanceof MappingNode mapping) {
            for (final NodeTuple tuple : mapping.getValue()) {
                addKey(tuple);
            }
        } else if (node != null && !isNull(node)) {
            problems.add(node, where() + " must be a mapping of keys and values");
        }
    }

    private void addKey(final NodeTuple tuple) {
        if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
            problems.add(tuple.getKeyNode(), where() + " has a key that is not a word");
            return;
        }
        if (keys.putIfAbsent(key.getValue(), key) != null) {
            problems.add(
                    key,
                    path
                            + key.getValue()
                            + " is given twice, first in line "
                            + Problems.line(keys.get(key.getValue()))
                            + "; remove one");
            return;
        }
        values.put(key.getValue(), tuple.getValueNode());
    }

    /** The keys as they stand in the file. */
    public Set<String> keys() {
        return keys.keySet();
    }

    /** True if the key has a value; it counts as asked for. */
    public boolean has(final String key) {
        final Node node = take(key);
        return node != null;
    }

    /** The value of {@code key}, or null when it is missing or empty. */
    public Node take(final String key) {
        asked.add(key);
        final Node node = values.get(key);
        return node == null || isNull(node) ? null : node;
    }

    /** The line of a key, or of the mapping if it lacks the key. */
    public int line(final String key) {
        return keys.containsKey(key) ? Problems.line(keys.get(key)) : line;
    }

    /** Adds what is wrong with the value of a key. */
    public void problem(final String key, final String text) {
        problems.add(line(key), path + key + (text.startsWith(":") ? "" : " ") + text);
    }

    /** The mapping that a key has as its value; empty if it lacks it. */
    public YamlSection section(final String key) {
        return new YamlSection(problems, path + key + ".", line(key), take(key));
    }

    /** The text of a key. */
    public String text(final String key, final String fallback) {
        return value(key, fallback, text -> text);
    }

    /**
     * The value of a key by itself.
     *
     * @return its default if there is none, or if there was a problem.
     */
    <V> V read(final ConfigKey<?, V> key) {
        final V value = given(key);
        return value != null && isAllowed(key, value) ? value : key.fallback();
    }

    private <R, V> boolean isAllowed(final ConfigKey<R, V> key, final V value) {
        return build(
                false,
                () -> {
                    Check.one(key, value);
                    return true;
                });
    }

    /**
     * The record of a section, all of whose keys are here.
     *
     * @param base what holds for keys that are not given, and if there are problems.
     */
    <R extends Record> R read(final ConfigSection<R> keys, final R base) {
        final Map<String, Object> given = given(keys);
        finish();
        return given.isEmpty() ? base : build(base, () -> keys.with(base, given));
    }

    /** The values of a section that are here, by key. */
    Map<String, Object> given(final ConfigSection<?> keys) {
        final Map<String, Object> given = new LinkedHashMap<>();
        for (final ConfigKey<?, ?> key : keys.keys()) {
            final Object value = given(key);
            if (value != null) {
                given.put(key.name(), value);
            }
        }
        return given;
    }

    private <V> V given(final ConfigKey<?, V> key) {
        final ValueType<V> type = key.type();
        if (!type.isList()) {
            return value(key.name(), null, type::parse);
        }
        final List<String> words = texts(key.name(), null);
        return words == null ? null : type.parseAll(words, e -> problem(key.name(), e));
    }

    /** A list of words; a single word is a list of one. */
    public List<String> texts(final String key, final List<String> fallback) {
        return texts(key, fallback, null);
    }

    /**
     * A list of words, or of mappings that stand for words.
     *
     * @param reader makes a word of a mapping; null if there must be none.
     */
    List<String> texts(
            final String key,
            final List<String> fallback,
            final Function<YamlSection, String> reader) {
        final Node node = take(key);
        if (node == null) {
            return fallback;
        }
        if (node instanceof ScalarNode scalar) {
            return List.of(scalar.getValue());
        }
        final List<String> texts = new ArrayList<>();
        if (node instanceof SequenceNode sequence) {
            for (final Node item : sequence.getValue()) {
                if (item instanceof ScalarNode scalar) {
                    texts.add(scalar.getValue());
                } else if (reader != null && item instanceof MappingNode) {
                    texts.add(
                            reader.apply(new YamlSection(problems, path + key + ".", line, item)));
                } else {
                    problems.add(item, path + key + " must be a list of words or numbers");
                }
            }
            return texts;
        }
        problem(key, "must be a list such as [a, b]");
        return fallback;
    }

    /** The text of a key as {@code parser} reads it; what that throws becomes a problem. */
    public <T> T value(final String key, final T fallback, final Function<String, T> parser) {
        final Node node = take(key);
        if (node == null) {
            return fallback;
        }
        if (!(node instanceof ScalarNode scalar)) {
            problem(key, "must be one value, not a list or mapping");
            return fallback;
        }
        return attempt(key, fallback, () -> parser.apply(scalar.getValue()));
    }

    /** Makes a record of values read before; each value it refuses is reported at its key. */
    <T> T build(final T fallback, final Supplier<T> maker) {
        try {
            return maker.get();
        } catch (final Check.Failure e) {
            for (final Check.Problem wrong : e.problems()) {
                problem(wrong.key(), wrong.text());
            }
            return fallback;
        }
    }

    /** Reports the keys that nobody asked for. */
    public void finish() {
        finish(_ -> "");
    }

    /**
     * The same where a key may stand in the wrong section.
     *
     * @param place where a key belongs; empty if that is not known.
     */
    void finish(final UnaryOperator<String> place) {
        for (final String key : keys.keySet()) {
            if (!asked.contains(key) && !place.apply(key).isEmpty()) {
                problem(key, "is not known here; write " + place.apply(key));
            } else if (!asked.contains(key)) {
                final String nearest = nearest(key);
                problem(
                        key,
                        nearest.isEmpty()
                                ? "is not known; known are "
                                        + asked.stream().collect(Collectors.joining(", "))
                                : "is not known; the nearest known: " + nearest);
            }
        }
    }

    private <T> T attempt(final String key, final T fallback, final Supplier<T> parser) {
        try {
            return parser.get();
        } catch (final IllegalArgumentException e) {
            problem(key, e);
            return fallback;
        }
    }

    private void problem(final String key, final IllegalArgumentException e) {
        problem(key, (e.getMessage().startsWith("must") ? "" : ": ") + e.getMessage());
    }

    private String nearest(final String key) {
        String best = "";
        int bestDistance = Math.max(2, key.length() / 3) + 1;
        for (final String known : asked) {
            final int distance = distance(letters(key), letters(known));
            if (distance < bestDistance) {
                bestDistance = distance;
                best = known;
            }
        }
        return best;
    }

    /** A name without what different notations put between its words. */
    static String letters(final String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[_. -]", "");
    }

    // Levenshtein distance: letters to insert, remove or replace.
    private static int distance(final String a, final String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            final int[] next = new int[b.length() + 1];
            next[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                final int replace = row[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                next[j] = Math.min(replace, 1 + Math.min(row[j], next[j - 1]));
            }
            row = next;
        }
        return row[b.length()];
    }

    private String where() {
        return path.isEmpty() ? "the file" : path.substring(0, path.length() - 1);
    }

    private static boolean isNull(final Node node) {
        return node instanceof ScalarNode scalar
                && (scalar.getValue().isEmpty() || scalar.getValue().equals("null"))
                && scalar.isPlain();
    }
}
