package io.hxb.tool.top;

import java.util.ArrayList;
import java.util.List;

/**
 * One line of the screen. Immutable.
 *
 * @param spans its pieces from left to right.
 * @param isSelected whether it is the selected row.
 */
record ScreenLine(List<Span> spans, boolean isSelected) {
    /** Columns of the mark of {@link #marked}. */
    static final int MARK_COLUMNS = 2;

    /** First code point that may take two columns, as Hangul does, or none. */
    private static final int FIRST_UNSAFE = 0x300;

    /** The bars of rates, which are shown only where they take one column. */
    private static final int FIRST_BAR = 0x2581;

    private static final int LAST_BAR = 0x2588;

    /**
     * A piece of text of one tone. Immutable.
     *
     * @param text printable characters of one column each.
     * @param tone what it is.
     */
    record Span(String text, TextStyle tone) {
        /** Replaces what would not take exactly one column, such as control characters. */
        Span {
            text = printable(text);
        }
    }

    /** Copies the list. */
    ScreenLine {
        spans = List.copyOf(spans);
    }

    static ScreenLine of(final String text, final TextStyle textStyle) {
        return new ScreenLine(List.of(new Span(text, textStyle)), false);
    }

    /** The text with a question mark for each character that does not take one column. */
    static String printable(final String text) {
        final StringBuilder safe = new StringBuilder(text.length());
        text.codePoints().forEach(point -> safe.append(isOneColumn(point) ? (char) point : '?'));
        return safe.toString();
    }

    private static boolean isOneColumn(final int point) {
        return (point < FIRST_UNSAFE && !Character.isISOControl(point))
                || (point >= FIRST_BAR && point <= LAST_BAR);
    }

    /** The line with a mark before it if it is selected, for screens without other means. */
    ScreenLine marked() {
        final List<Span> marked = new ArrayList<>(spans);
        marked.addFirst(new Span(isSelected ? "> " : "  ", TextStyle.PLAIN));
        return new ScreenLine(marked, isSelected);
    }

    /** The line without what is beyond {@code width} columns. */
    ScreenLine cut(final int width) {
        final List<Span> kept = new ArrayList<>();
        int left = width;
        for (final Span span : spans) {
            if (left > 0) {
                final int length = Math.min(left, span.text().length());
                kept.add(new Span(span.text().substring(0, length), span.tone()));
                left -= length;
            }
        }
        return new ScreenLine(kept, isSelected);
    }

    /** Its text alone. */
    String text() {
        final StringBuilder text = new StringBuilder();
        spans.forEach(span -> text.append(span.text()));
        return text.toString();
    }
}
