package io.hxb.tool.report;

import io.hxb.log.Printable;

import java.util.ArrayList;
import java.util.List;

/** Rows of text in aligned columns: the first column to the left, the others to the right. */
public final class TextTable {
    private final List<List<String>> rows = new ArrayList<>();

    /** Makes a table with a heading. */
    public TextTable(final String... heading) {
        rows.add(List.of(heading));
    }

    /** Adds a row. */
    public TextTable row(final Object... cells) {
        final List<String> row = new ArrayList<>();
        for (final Object cell : cells) {
            row.add(Printable.message(String.valueOf(cell)).replace("\n", "\\n"));
        }
        rows.add(List.copyOf(row));
        return this;
    }

    /** The table, each line ended by a newline. */
    @Override
    public String toString() {
        final List<Integer> widths = new ArrayList<>();
        for (final List<String> row : rows) {
            for (int column = 0; column < row.size(); column++) {
                if (column == widths.size()) {
                    widths.add(0);
                }
                widths.set(column, Math.max(widths.get(column), row.get(column).length()));
            }
        }
        final StringBuilder text = new StringBuilder();
        for (final List<String> row : rows) {
            final StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                final String cell = row.get(column);
                final String space = " ".repeat(widths.get(column) - cell.length());
                line.append(column == 0 ? cell + space : "  " + space + cell);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
