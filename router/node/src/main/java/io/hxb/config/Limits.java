package io.hxb.config;

import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The values that a key may have: a range of numbers, whose ends may depend on keys before it, or
 * anything. Immutable.
 *
 * @param <R> the record of the key.
 */
public final class Limits<R> {
    private final boolean isRange;
    private final long min;
    private final long max;
    private final ToLongFunction<R> minOf;
    private final ToLongFunction<R> maxOf;
    private final ToLongFunction<R> other;
    private final String text;

    private Limits(
            final boolean isRange,
            final long min,
            final long max,
            final ToLongFunction<R> minOf,
            final ToLongFunction<R> maxOf,
            final ToLongFunction<R> other,
            final String text) {
        this.isRange = isRange;
        this.min = min;
        this.max = max;
        this.minOf = minOf;
        this.maxOf = maxOf;
        this.other = other;
        this.text = text;
    }

    /** Anything that the type of the key allows. */
    public static <R> Limits<R> any() {
        return described("");
    }

    /** Whatever the reader of the key checks, as this text describes it. */
    public static <R> Limits<R> described(final String text) {
        return new Limits<>(false, 0, 0, null, null, null, text);
    }

    /** Numbers from {@code min} to {@code max}; of a list, each of them. */
    public static <R> Limits<R> range(final long min, final long max) {
        return new Limits<>(true, min, max, null, null, null, "");
    }

    /** Numbers from {@code min} to one that keys before it decide. */
    public static <R> Limits<R> range(final long min, final ToLongFunction<R> max) {
        return new Limits<>(true, min, 0, null, max, null, "");
    }

    /** Numbers from one that keys before it decide to {@code max}. */
    public static <R> Limits<R> range(final ToLongFunction<R> min, final long max) {
        return new Limits<>(true, 0, max, min, null, null, "");
    }

    /** Those of a range, or 0, which has this meaning. */
    public Limits<R> orZero(final String meaning) {
        return new Limits<>(true, min, max, minOf, maxOf, null, meaning);
    }

    /**
     * Those of a range except for the value of another key.
     *
     * @param name of the other key.
     */
    public Limits<R> except(final String name, final ToLongFunction<R> key) {
        return new Limits<>(true, min, max, minOf, maxOf, key, name);
    }

    /** True if there is a range. */
    public boolean isRange() {
        return isRange;
    }

    /** True if other keys decide about an end of the range. */
    boolean dependOnOthers() {
        return minOf != null || maxOf != null || other != null;
    }

    /** Smallest number, where the other keys have the values of that record. */
    public long min(final R record) {
        return minOf == null ? min : minOf.applyAsLong(record);
    }

    /** Largest number, where the other keys have the values of that record. */
    public long max(final R record) {
        return maxOf == null ? max : maxOf.applyAsLong(record);
    }

    /** The same limits of a record that has {@code R} as one of its values. */
    <Q> Limits<Q> within(final Function<Q, R> part) {
        return new Limits<>(
                isRange, min, max, in(part, minOf), in(part, maxOf), in(part, other), text);
    }

    private static <Q, R> ToLongFunction<Q> in(
            final Function<Q, R> part, final ToLongFunction<R> number) {
        return number == null ? null : record -> number.applyAsLong(part.apply(record));
    }

    private boolean isZeroAllowed() {
        return isRange && other == null && !text.isEmpty();
    }

    boolean allow(final R record, final long number) {
        return (number == 0 && isZeroAllowed())
                || (number >= min(record)
                        && number <= max(record)
                        && (other == null || number != other.applyAsLong(record)));
    }

    /** The number, or the nearest that is allowed if other keys of the record rule it out. */
    long fit(final R record, final long number) {
        if (!isRange || allow(record, number)) {
            return number;
        }
        final long nearest = Math.clamp(number, min(record), Math.max(min(record), max(record)));
        final boolean isTaken = other != null && nearest == other.applyAsLong(record);
        return isTaken ? nearest + (nearest > min(record) ? -1 : 1) : nearest;
    }

    /** Describes them for messages, after "must be". */
    String describe(final R record, final ValueType<?> type) {
        return (type.isList() ? isOpen(record) ? ", " : " " : "")
                + range(record, type)
                + (other == null ? "" : " and not " + text)
                + (isZeroAllowed() ? ", or 0 for " + text : "");
    }

    /** Describes them for the documentation; empty for any value. */
    String document(final R record, final ValueType<?> type) {
        return isRange
                ? range(record, type)
                        + (other == null ? "" : ", not `" + text + "`")
                        + (isZeroAllowed() ? " or 0" : "")
                : text;
    }

    private boolean isOpen(final R record) {
        return max(record) == Integer.MAX_VALUE;
    }

    private String range(final R record, final ValueType<?> type) {
        return isOpen(record)
                ? min(record) + " or more"
                : type.formatNumber(min(record)) + ".." + type.formatNumber(max(record));
    }
}
