package io.hxb.tool.top;

import java.util.Comparator;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * One column of a table: how a row is shown and compared. Immutable.
 *
 * @param <T> what a row shows.
 * @param title its heading.
 * @param isText true for words, at the left of their column; false for numbers, at its right.
 * @param text what is shown.
 * @param tone how.
 * @param order rows that come first when sorted by this column: numbers in descending order.
 */
record TopColumn<T>(
        String title,
        boolean isText,
        Function<T, String> text,
        Function<T, TextStyle> tone,
        Comparator<T> order) {
    private static final double THOUSAND = 1e3;
    private static final double LARGE = 1e5;

    static <T> TopColumn<T> words(
            final String title, final Function<T, String> text, final Function<T, TextStyle> tone) {
        return new TopColumn<>(title, true, text, tone, Comparator.comparing(text));
    }

    static <T> TopColumn<T> words(final String title, final Function<T, String> text) {
        return words(title, text, row -> TextStyle.PLAIN);
    }

    static <T> TopColumn<T> count(final String title, final ToDoubleFunction<T> value) {
        return number(title, value, number -> compact(Math.round(number)), TextStyle.PLAIN);
    }

    /** Counts something that should not happen. */
    static <T> TopColumn<T> trouble(final String title, final ToDoubleFunction<T> value) {
        return number(title, value, number -> compact(Math.round(number)), TextStyle.WARNING);
    }

    static <T> TopColumn<T> megabytes(final String title, final ToDoubleFunction<T> value) {
        return number(
                title,
                value,
                number -> String.format(Locale.ROOT, "%.1f", number),
                TextStyle.PLAIN);
    }

    private static <T> TopColumn<T> number(
            final String title,
            final ToDoubleFunction<T> value,
            final Function<Double, String> format,
            final TextStyle textStyle) {
        return new TopColumn<>(
                title,
                false,
                row -> format.apply(value.applyAsDouble(row)),
                row -> value.applyAsDouble(row) > 0 ? textStyle : TextStyle.PLAIN,
                Comparator.comparingDouble(value).reversed());
    }

    /** The same in another order. */
    TopColumn<T> by(final Comparator<T> other) {
        return new TopColumn<>(title, isText, text, tone, other);
    }

    /** The same, with a dash in rows for which it is not known. */
    TopColumn<T> where(final Predicate<T> isKnown) {
        return new TopColumn<>(
                title,
                isText,
                row -> isKnown.test(row) ? text.apply(row) : "-",
                row -> isKnown.test(row) ? tone.apply(row) : TextStyle.PLAIN,
                order);
    }

    /** A number with at most five characters: {@code 99999}, {@code 123k}, {@code 12.3M}. */
    static String compact(final long number) {
        if (number < LARGE) {
            return Long.toString(number);
        }
        double value = number / THOUSAND;
        int unit = 0;
        while (value >= THOUSAND && unit < 4) {
            value /= THOUSAND;
            unit++;
        }
        return String.format(
                Locale.ROOT, value < 100 ? "%.1f%c" : "%.0f%c", value, "kMGTP".charAt(unit));
    }
}
