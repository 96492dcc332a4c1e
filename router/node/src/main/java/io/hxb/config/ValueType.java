package io.hxb.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * How the values of a key stand in the file: read from words, written as words, and shown in
 * messages. Immutable.
 *
 * @param <V> Java type of the values.
 */
public final class ValueType<V> {
    /** A duration in ns, such as {@code 50us}. */
    public static final ValueType<Long> DURATION =
            new ValueType<>(
                    Kind.NUMBER,
                    "duration",
                    Quantity::parseDurationNs,
                    Quantity::formatDuration,
                    number -> number);

    /** A size in bytes that an {@code int} holds, such as {@code 12KiB}. */
    public static final ValueType<Integer> SIZE =
            new ValueType<>(
                    Kind.NUMBER,
                    "size",
                    ValueType::parseSize,
                    bytes -> Quantity.formatSize(bytes),
                    number -> (int) number);

    /** A size in bytes. */
    public static final ValueType<Long> LONG_SIZE =
            new ValueType<>(
                    Kind.NUMBER,
                    "size",
                    Quantity::parseSizeBytes,
                    Quantity::formatSize,
                    number -> number);

    /** A size that is written as a number of bytes, such as an MTU. */
    public static final ValueType<Integer> BYTES =
            new ValueType<>(
                    Kind.NUMBER,
                    "size",
                    ValueType::parseSize,
                    bytes -> Integer.toString(bytes),
                    number -> (int) number);

    /** An EtherType, such as {@code 0x88b5}. */
    public static final ValueType<Integer> ETHER_TYPE =
            new ValueType<>(
                    Kind.NUMBER,
                    "number",
                    ValueType::parseCount,
                    value -> String.format(Locale.ROOT, "0x%04x", value),
                    number -> (int) number);

    /** {@code true} or {@code false}. */
    public static final ValueType<Boolean> FLAG =
            new ValueType<>(
                    Kind.WORD, "`true` or `false`", ValueType::parseFlag, String::valueOf, null);

    /** A folder. */
    public static final ValueType<Path> FOLDER =
            new ValueType<>(Kind.TEXT, "folder", Path::of, Path::toString, null);

    private enum Kind {
        NUMBER,
        POWER_OF_TWO,
        WORD,
        TEXT
    }

    private static final String LIST_OF = "list of ";

    private final Kind kind;
    private final String label;
    private final Function<String, V> parser;
    private final Function<V, String> formatter;
    private final LongFunction<V> ofNumber;
    private final ListParser<V> listParser;

    /** Reads the words of a list. */
    private interface ListParser<V> {
        V parse(List<String> words, Consumer<IllegalArgumentException> onWrong);
    }

    private ValueType(
            final Kind kind,
            final String label,
            final Function<String, V> parser,
            final Function<V, String> formatter,
            final LongFunction<V> ofNumber) {
        this(kind, label, parser, formatter, ofNumber, null);
    }

    private ValueType(
            final Kind kind,
            final String label,
            final Function<String, V> parser,
            final Function<V, String> formatter,
            final LongFunction<V> ofNumber,
            final ListParser<V> listParser) {
        this.kind = kind;
        this.label = label;
        this.parser = parser;
        this.formatter = formatter;
        this.ofNumber = ofNumber;
        this.listParser = listParser;
    }

    /** A whole number of these things. */
    public static ValueType<Integer> count(final String things) {
        return count(Kind.NUMBER, things);
    }

    /** A number of these things that is a power of two. */
    public static ValueType<Integer> powerOfTwo(final String things) {
        return count(Kind.POWER_OF_TWO, things + ", a power of two");
    }

    private static ValueType<Integer> count(final Kind kind, final String label) {
        return new ValueType<>(
                kind,
                label,
                ValueType::parseCount,
                count -> Integer.toString(count),
                number -> (int) number);
    }

    /** One of the constants, in lower case. */
    public static <E extends Enum<E>> ValueType<E> choice(final Class<E> type) {
        return choice(type, "", null);
    }

    /**
     * The same, of a key of which a word has another name now.
     *
     * @param oldWord the word, which is refused with a hint.
     * @param itsChoice what it stood for.
     */
    static <E extends Enum<E>> ValueType<E> choice(
            final Class<E> type, final String oldWord, final E itsChoice) {
        final List<String> names = new ArrayList<>();
        final List<String> quoted = new ArrayList<>();
        for (final E choice : type.getEnumConstants()) {
            names.add(lower(choice));
            quoted.add("`" + lower(choice) + "`");
        }
        return new ValueType<>(
                Kind.WORD,
                choices(quoted),
                text -> {
                    final int index = names.indexOf(text);
                    if (index < 0) {
                        throw new IllegalArgumentException(
                                "must be "
                                        + choices(names)
                                        + ", not '"
                                        + text
                                        + "'"
                                        + (itsChoice != null && text.equals(oldWord)
                                                ? ": what it stood for is called "
                                                        + lower(itsChoice)
                                                : ""));
                    }
                    return type.getEnumConstants()[index];
                },
                ValueType::lower,
                null);
    }

    /** A text that the label describes; the empty one is never written. */
    public static ValueType<String> text(final String label) {
        return new ValueType<>(Kind.TEXT, label, text -> text, text -> text, null);
    }

    /** One word of any other type, which the label describes. */
    static <V> ValueType<V> word(
            final String label,
            final Function<String, V> parser,
            final Function<V, String> formatter) {
        return new ValueType<>(Kind.WORD, label, parser, formatter, null);
    }

    /** A list of the values of another type. */
    public static <E> ValueType<List<E>> list(final ValueType<E> element) {
        return new ValueType<>(
                element.kind,
                LIST_OF + element.label,
                null,
                values ->
                        values.stream()
                                .map(element.formatter)
                                .collect(Collectors.joining(", ", "[", "]")),
                null,
                (words, onWrong) -> element.parseEach(words, onWrong));
    }

    private List<V> parseEach(
            final List<String> words, final Consumer<IllegalArgumentException> onWrong) {
        final List<V> values = new ArrayList<>();
        for (final String word : words) {
            try {
                values.add(parser.apply(word));
            } catch (final IllegalArgumentException e) {
                onWrong.accept(e);
            }
        }
        return values;
    }

    /** Describes the type in the documentation. */
    public String label() {
        return label;
    }

    /** The things that a list is of. */
    String things() {
        return label.substring(LIST_OF.length());
    }

    /** True for lists, which {@link #parseAll} reads. */
    public boolean isList() {
        return listParser != null;
    }

    /** True for texts, which may need quotes in the file. */
    public boolean isText() {
        return kind == Kind.TEXT;
    }

    /** True for numbers, which {@link #ofNumber} makes. */
    public boolean isNumber() {
        return ofNumber != null;
    }

    /** True for numbers that are powers of two. */
    public boolean isPowerOfTwo() {
        return kind == Kind.POWER_OF_TWO;
    }

    /**
     * Reads one word.
     *
     * @throws IllegalArgumentException with what is wrong with it.
     */
    public V parse(final String word) {
        return parser.apply(word);
    }

    /** Reads the words of a list; those that are wrong are left out and reported. */
    public V parseAll(final List<String> words, final Consumer<IllegalArgumentException> onWrong) {
        return listParser.parse(words, onWrong);
    }

    /** The value as a word, or as a list in brackets; texts without quotes. */
    public String format(final V value) {
        return formatter.apply(value);
    }

    /** The number as a value; only for types that are numbers. */
    public V ofNumber(final long number) {
        return ofNumber.apply(number);
    }

    /** The number as this type writes it. */
    String formatNumber(final long number) {
        return isNumber() ? format(ofNumber(number)) : Long.toString(number);
    }

    static String lower(final Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static String choices(final List<String> names) {
        final int last = names.size() - 1;
        return String.join(", ", names.subList(0, last)) + " or " + names.get(last);
    }

    /**
     * Reads a whole number, also one such as {@code 0x1f}.
     *
     * @throws IllegalArgumentException with what is wrong with it.
     */
    public static int parseCount(final String text) {
        try {
            return Integer.decode(text);
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException("must be a whole number, not '" + text + "'", e);
        }
    }

    private static int parseSize(final String text) {
        final long sizeBytes = Quantity.parseSizeBytes(text);
        if (sizeBytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("'" + text + "' is too large");
        }
        return (int) sizeBytes;
    }

    private static boolean parseFlag(final String text) {
        return switch (text) {
            case "true", "on", "yes" -> true;
            case "false", "off", "no" -> false;
            default ->
                    throw new IllegalArgumentException("must be true or false, not '" + text + "'");
        };
    }
}
