package io.hxb.config;

import java.util.List;
import java.util.function.Function;

/**
 * One key of the cluster file. Reader, writer, checks and docs/reference/configuration.md are all
 * made from it. Immutable.
 *
 * @param <R> the record that has the value.
 * @param <V> type of the value.
 * @param name in its section of the file.
 * @param type how it is written.
 * @param fallback the value when the key is absent; null if there is none.
 * @param accessor gives the value of a record; null if the writer of the key has code of its own.
 * @param limits the values that are allowed.
 * @param meaning one sentence for the reader of the documentation.
 * @param isBasic true for what most clusters set, false for the keys of experts.
 * @param fallbackText the default in the documentation; empty for that of {@code fallback}.
 */
public record ConfigKey<R, V>(
        String name,
        ValueType<V> type,
        V fallback,
        Function<R, V> accessor,
        Limits<R> limits,
        String meaning,
        boolean isBasic,
        String fallbackText)
        implements ConfigSection.Item<R> {

    /** A key that most clusters set or should know. */
    public static <R, V> ConfigKey<R, V> basic(
            final String name,
            final ValueType<V> type,
            final V fallback,
            final Function<R, V> accessor,
            final Limits<R> limits,
            final String meaning) {
        return new ConfigKey<>(name, type, fallback, accessor, limits, meaning, true, "");
    }

    /** A key that only experts change. */
    public static <R, V> ConfigKey<R, V> advanced(
            final String name,
            final ValueType<V> type,
            final V fallback,
            final Function<R, V> accessor,
            final Limits<R> limits,
            final String meaning) {
        return new ConfigKey<>(name, type, fallback, accessor, limits, meaning, false, "");
    }

    /**
     * A key whose reader and writer have code of their own.
     *
     * @param label describes its type.
     * @param fallbackText describes its default.
     * @param limitsText describes what is allowed.
     */
    public static ConfigKey<ClusterConfig, String> special(
            final String name,
            final String label,
            final String fallbackText,
            final String limitsText,
            final String meaning) {
        return new ConfigKey<>(
                name,
                ValueType.text(label),
                null,
                null,
                Limits.described(limitsText),
                meaning,
                true,
                fallbackText);
    }

    /** The same, with another text for the default in the documentation. */
    public ConfigKey<R, V> withFallbackText(final String value) {
        return new ConfigKey<>(name, type, fallback, accessor, limits, meaning, isBasic, value);
    }

    /** The value that a record has. */
    public V of(final R record) {
        return accessor.apply(record);
    }

    /** The value of a record as the file has it, texts without quotes. */
    public String write(final R record) {
        return type.format(of(record));
    }

    /** Adds to {@code check} what is wrong with a value beside the others of the record. */
    public void check(final Check check, final R record, final V value) {
        if (limits.isRange() && !isAllowed(record, value)) {
            check.that(
                    false,
                    name,
                    "must be "
                            + (type.isPowerOfTwo() ? "a power of two, " : "")
                            + (type.isList() ? type.things() : "")
                            + limits.describe(record, type)
                            + ": "
                            + type.format(value));
        }
    }

    @Override
    public List<ConfigKey<R, ?>> keys() {
        return List.of(this);
    }

    private boolean isAllowed(final R record, final V value) {
        if (value instanceof List<?> values) {
            return values.stream()
                    .allMatch(each -> limits.allow(record, ((Number) each).longValue()));
        }
        final long number = ((Number) value).longValue();
        return limits.allow(record, number) && (!type.isPowerOfTwo() || Long.bitCount(number) == 1);
    }

    /** The value, or the nearest that the others of the record allow. */
    V fit(final R record, final V value) {
        return limits.isRange() && type.isNumber()
                ? type.ofNumber(limits.fit(record, ((Number) value).longValue()))
                : value;
    }

    /** The key of a record that has {@code R} as one of its values. */
    <Q> ConfigKey<Q, V> within(final Function<Q, R> part) {
        return new ConfigKey<>(
                name,
                type,
                fallback,
                record -> accessor.apply(part.apply(record)),
                limits.within(part),
                meaning,
                isBasic,
                fallbackText);
    }

    /** The default, as the documentation shows it. */
    public String documentedFallback() {
        if (!fallbackText.isEmpty()) {
            return fallbackText;
        }
        final String text = fallback == null ? "" : type.format(fallback);
        return text.isEmpty() ? "none" : "`" + text + "`";
    }

    /**
     * The limits, as the documentation shows them.
     *
     * @param defaults whose values decide where keys depend on others.
     */
    public String documentedLimits(final R defaults) {
        return limits.document(defaults, type);
    }

    @Override
    public String toString() {
        return name;
    }
}
