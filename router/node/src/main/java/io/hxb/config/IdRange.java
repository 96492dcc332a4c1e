package io.hxb.config;

/**
 * Numbers from one to another, such as user ids. Immutable.
 *
 * @param first 0 or more.
 * @param last {@code first} or more; part of the range.
 */
public record IdRange(int first, int last) {
    /** Checks the order. */
    public IdRange {
        if (first < 0 || last < first) {
            throw new IllegalArgumentException(
                    "must be a number of 0 or more, or a range such as 1000-1999, not "
                            + first
                            + "-"
                            + last);
        }
    }

    /** The range of one number. */
    public static IdRange of(final int number) {
        return new IdRange(number, number);
    }

    /** True for texts that {@link #parse} reads, or that are ranges in the wrong order. */
    public static boolean isRange(final String text) {
        return text.matches("\\d{1,10}(-\\d{1,10})?");
    }

    /**
     * Reads {@code 1000} or {@code 1000-1999}.
     *
     * @throws IllegalArgumentException with what is wrong with it.
     */
    public static IdRange parse(final String text) {
        final int dash = text.indexOf('-');
        final long first =
                isRange(text) ? Long.parseLong(dash < 0 ? text : text.substring(0, dash)) : -1;
        final long last = dash < 0 || first < 0 ? first : Long.parseLong(text.substring(dash + 1));
        if (first < 0 || last < first || last > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "must be numbers up to 2147483647 or ranges of them such as 1000-1999, not '"
                            + text
                            + "'");
        }
        return new IdRange((int) first, (int) last);
    }

    /** True if the number is one of the range. */
    public boolean contains(final int number) {
        return number >= first && number <= last;
    }

    @Override
    public String toString() {
        return first == last ? Integer.toString(first) : first + "-" + last;
    }
}
