package io.hxb.tool.top;

import java.util.List;

/**
 * The user's position in a list. Immutable.
 *
 * @param selected key of the selected row; empty before the first sample.
 * @param first index of the first visible row.
 * @param sortColumn column that rows are sorted by; -1 for their natural order.
 * @param isReversed whether the order is reversed.
 */
record ListState(String selected, int first, int sortColumn, boolean isReversed) {
    static final ListState START = new ListState("", 0, -1, false);

    /**
     * Makes sure that a row is selected and visible.
     *
     * @param keys all rows in their order.
     * @param visible rows that the screen has room for, 0 or more.
     */
    ListState settle(final List<String> keys, final int visible) {
        if (keys.isEmpty()) {
            return new ListState(selected, 0, sortColumn, isReversed);
        }
        final int index = Math.max(0, keys.indexOf(selected));
        final int last = Math.max(0, keys.size() - Math.max(1, visible));
        final int lowest = Math.max(0, index - Math.max(1, visible) + 1);
        final int moved = Math.clamp(first, Math.min(lowest, index), index);
        return new ListState(
                keys.get(index),
                Math.clamp(Math.min(moved, last), 0, index),
                sortColumn,
                isReversed);
    }

    /** Selects the row that is {@code rows} further down, or the last or first. */
    ListState move(final List<String> keys, final long rows) {
        if (keys.isEmpty()) {
            return this;
        }
        final long index = Math.max(0, keys.indexOf(selected)) + rows;
        final int there = (int) Math.clamp(index, 0, keys.size() - 1L);
        return new ListState(keys.get(there), first, sortColumn, isReversed);
    }

    /** Sorts by the column that is {@code step} further right, wrapping at the ends. */
    ListState sortBy(final int step, final int columns) {
        final int places = columns + 1;
        return new ListState(
                selected, first, Math.floorMod(sortColumn + 1 + step, places) - 1, isReversed);
    }

    ListState reverse() {
        return new ListState(selected, first, sortColumn, !isReversed);
    }
}
