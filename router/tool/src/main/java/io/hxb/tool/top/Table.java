package io.hxb.tool.top;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Rows in columns, of which only those are shown that fit. Immutable.
 *
 * @param <T> what a row shows.
 * @param columns the most important first.
 * @param key what identifies a row.
 */
record Table<T>(List<TopColumn<T>> columns, Function<T, String> key) {
    private static final int GAP = 2;
    private static final int MIN_CUT = 8;

    /** Rows up to which all are measured, so that columns stay where they are when it scrolls. */
    private static final int MAX_MEASURED = 1_000;

    /** Copies the list. */
    Table {
        columns = List.copyOf(columns);
    }

    /** The rows in the order that a state asks for; equal ones keep their order. */
    List<T> sorted(final List<T> rows, final ListState state) {
        if (state.sortColumn() < 0) {
            return state.isReversed() ? rows.reversed() : rows;
        }
        final TopColumn<T> column = columns.get(Math.min(state.sortColumn(), columns.size() - 1));
        final List<T> sorted = new ArrayList<>(rows);
        sorted.sort(state.isReversed() ? column.order().reversed() : column.order());
        return sorted;
    }

    /** The keys of the rows, in that order. */
    List<String> keys(final List<T> rows, final ListState state) {
        return sorted(rows, state).stream().map(key).toList();
    }

    /**
     * Draws the heading and the visible rows.
     *
     * @param rows all rows, not sorted.
     * @param width columns of the screen, 1 or more.
     * @param height lines that may be drawn, heading included, 1 or more.
     * @param state settled for {@code height - 1} rows.
     */
    List<ScreenLine> draw(
            final List<T> rows, final int width, final int height, final ListState state) {
        final List<T> sorted = sorted(rows, state);
        final int end = Math.min(sorted.size(), state.first() + height - 1);
        final List<T> visible = sorted.subList(Math.min(state.first(), end), end);
        final int[] widths = widths(rows.size() <= MAX_MEASURED ? rows : visible);
        final List<Integer> shown = fitting(widths, width, state.sortColumn());
        final List<ScreenLine> lines = new ArrayList<>();
        lines.add(heading(widths, shown, state).cut(width));
        for (final T row : visible) {
            lines.add(line(row, widths, shown, width, state).cut(width));
        }
        return lines;
    }

    private int[] widths(final List<T> rows) {
        final int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            final TopColumn<T> column = columns.get(i);
            widths[i] = column.title().length() + 1;
            for (final T row : rows) {
                widths[i] = Math.max(widths[i], column.text().apply(row).length());
            }
        }
        return widths;
    }

    /** The first column, the one that is sorted by, and the others while there is room. */
    private List<Integer> fitting(final int[] widths, final int width, final int sortColumn) {
        int left = width - widths[0] - (sortColumn > 0 ? widths[sortColumn] + GAP : 0);
        final List<Integer> shown = new ArrayList<>(List.of(0));
        boolean isFull = false;
        for (int i = 1; i < widths.length; i++) {
            if (i == sortColumn) {
                shown.add(i);
                continue;
            }
            final boolean isCut = columns.get(i).isText() && left >= MIN_CUT + GAP;
            if (!isFull && (left >= widths[i] + GAP || isCut)) {
                shown.add(i);
                left -= Math.min(left, widths[i] + GAP);
            } else {
                isFull = true;
            }
        }
        return shown;
    }

    private ScreenLine heading(
            final int[] widths, final List<Integer> shown, final ListState state) {
        final List<ScreenLine.Span> spans = new ArrayList<>();
        for (final int i : shown) {
            final TopColumn<T> column = columns.get(i);
            final boolean isSorted = i == state.sortColumn();
            final String mark = state.isReversed() ? "^" : "v";
            spans.add(
                    new ScreenLine.Span(
                            cell(column.title() + (isSorted ? mark : ""), widths[i], column, i),
                            isSorted ? TextStyle.SORTED : TextStyle.HEADING));
        }
        return new ScreenLine(spans, false);
    }

    private ScreenLine line(
            final T row,
            final int[] widths,
            final List<Integer> shown,
            final int width,
            final ListState state) {
        final List<ScreenLine.Span> spans = new ArrayList<>();
        int used = 0;
        for (final int i : shown) {
            final TopColumn<T> column = columns.get(i);
            final String cell = cell(column.text().apply(row), widths[i], column, i);
            spans.add(new ScreenLine.Span(cell, column.tone().apply(row)));
            used += cell.length();
        }
        final boolean isSelected = key.apply(row).equals(state.selected());
        if (isSelected && used < width) {
            spans.add(new ScreenLine.Span(" ".repeat(width - used), TextStyle.PLAIN));
        }
        return new ScreenLine(spans, isSelected);
    }

    private static String cell(
            final String text, final int width, final TopColumn<?> column, final int index) {
        final String space = " ".repeat(Math.max(0, width - text.length()));
        return (index == 0 ? "" : " ".repeat(GAP))
                + (column.isText() ? text + space : space + text);
    }
}
