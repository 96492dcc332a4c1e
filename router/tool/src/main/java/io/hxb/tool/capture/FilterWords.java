package io.hxb.tool.capture;

import io.hxb.config.ClusterConfig;
import io.hxb.frame.FrameType;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads which frames are captured: {@code src N}, {@code dst N}, {@code node N}, {@code type T} and
 * {@code flow N}, joined by {@code and}, {@code or}, {@code not} and brackets; {@code not} binds
 * tighter than {@code and}, and that tighter than {@code or}. Used once.
 */
final class FilterWords {
    private static final String EXPECTED = "src, dst, node, type, flow, not or (";
    private static final int MAX_CONTEXT = 0xFFFF;
    private static final int MAX_DEPTH = 50;
    private static final Map<String, Integer> TYPES =
            Stream.of(FrameType.class.getFields())
                    .filter(field -> !field.getName().equals("COUNT"))
                    .collect(
                            Collectors.toMap(
                                    field -> field.getName().toLowerCase(Locale.ROOT),
                                    FilterWords::value,
                                    Math::max,
                                    TreeMap::new));

    private final Shape shape;
    private final NodeNames names;
    private final List<String> words;
    private int next;
    private int depth;

    private FilterWords(final String text, final Shape shape, final NodeNames names) {
        this.shape = shape;
        this.names = names;
        words =
                Stream.of(
                                text.toLowerCase(Locale.ROOT)
                                        .replace("(", " ( ")
                                        .replace(")", " ) ")
                                        .strip()
                                        .split("\\s+", -1))
                        .filter(word -> !word.isEmpty())
                        .toList();
    }

    /**
     * Reads a filter.
     *
     * @param config of the cluster, for the nodes.
     * @return whether a frame is captured.
     * @throws UsageException that names the word that is wrong and what may stand there.
     */
    static Predicate<FrameView> parse(final String text, final ClusterConfig config) {
        final FilterWords filter = new FilterWords(text, config.shape(), new NodeNames(config));
        final Predicate<FrameView> parsed = filter.alternatives();
        if (filter.next < filter.words.size()) {
            throw filter.wrong("and, or or the end");
        }
        return parsed;
    }

    private Predicate<FrameView> alternatives() {
        if (++depth > MAX_DEPTH) {
            throw new UsageException(
                    "--filter has more than " + MAX_DEPTH + " brackets in another");
        }
        Predicate<FrameView> any = all();
        while (take("or")) {
            any = any.or(all());
        }
        depth--;
        return any;
    }

    private Predicate<FrameView> all() {
        Predicate<FrameView> all = one();
        while (take("and")) {
            all = all.and(one());
        }
        return all;
    }

    private Predicate<FrameView> one() {
        boolean isNegated = false;
        while (take("not")) {
            isNegated = !isNegated;
        }
        final Predicate<FrameView> one = bracket();
        return isNegated ? one.negate() : one;
    }

    private Predicate<FrameView> bracket() {
        if (!take("(")) {
            return term();
        }
        final Predicate<FrameView> inner = alternatives();
        if (!take(")")) {
            throw wrong("and, or or )");
        }
        return inner;
    }

    private Predicate<FrameView> term() {
        if (take("src")) {
            final long node = node("src");
            return frame -> frame.source() == node;
        }
        if (take("dst")) {
            final long node = node("dst");
            return frame -> frame.destination() == node;
        }
        if (take("node")) {
            final long node = node("node");
            return frame -> frame.source() == node || frame.destination() == node;
        }
        if (take("type")) {
            final int type = type();
            return frame -> frame.type() == type;
        }
        if (take("flow")) {
            final int context = number("flow", "the number of a context", MAX_CONTEXT);
            return frame -> frame.isOfContext(context);
        }
        throw wrong(EXPECTED);
    }

    private long node(final String word) {
        if (next == words.size()) {
            throw wrong("after " + word + " a node: a host name, an id or coordinates");
        }
        try {
            return shape.coordinates(names.node(words.get(next++)));
        } catch (final IllegalArgumentException e) {
            throw new UsageException("--filter: after " + word + ": " + e.getMessage(), e);
        }
    }

    private int type() {
        final Integer type = next < words.size() ? TYPES.get(words.get(next)) : null;
        if (type == null) {
            throw wrong("a type: " + String.join(", ", TYPES.keySet()));
        }
        next++;
        return type;
    }

    private int number(final String word, final String what, final int max) {
        final String text = next < words.size() ? words.get(next) : "";
        if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) > max) {
            throw wrong("after " + word + " " + what);
        }
        next++;
        return Integer.parseInt(text);
    }

    private boolean take(final String word) {
        final boolean isNext = next < words.size() && words.get(next).equals(word);
        next += isNext ? 1 : 0;
        return isNext;
    }

    private UsageException wrong(final String expected) {
        final String found = next < words.size() ? "'" + words.get(next) + "'" : "the end";
        return new UsageException(
                "--filter: word " + (next + 1) + " is " + found + ", expected: " + expected);
    }

    private static int value(final Field field) {
        try {
            return field.getInt(null);
        } catch (final IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
