package io.hxb.observe.view;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Ten minutes of rates and states, one value a second, of nodes and links. What it keeps is
 * bounded: series beyond {@link #MAX_SERIES} are not kept. Owned by {@link LiveNetwork}.
 */
final class History {
    /** Values of a series. */
    static final int SECONDS = 600;

    /** Values of one second: up to five rates, and the state. */
    static final int COLUMNS = Rates.LINK_COUNT + 1;

    /** Series that are kept, of 14 kB each; 1,024 take 15 MB. */
    static final int MAX_SERIES = 1_024;

    private final Map<String, Series> series = new LinkedHashMap<>();

    /** Adds the value of a second. */
    void add(final String name, final long[] rates, final int state) {
        final float[] row = new float[COLUMNS];
        for (int i = 0; i < rates.length; i++) {
            row[i] = rates[i];
        }
        row[COLUMNS - 1] = state;
        add(name, row);
    }

    /** Adds the values of a second, {@code [COLUMNS]}. */
    void add(final String name, final float[] row) {
        final Series known = series.get(name);
        if (known != null) {
            known.add(row);
        } else if (series.size() < MAX_SERIES) {
            final Series made = new Series();
            made.add(row);
            series.put(name, made);
        }
    }

    /** Names of all series, in the order in which they were added first. */
    List<String> names() {
        return List.copyOf(series.keySet());
    }

    /** How many seconds are known of the series of which most is known. */
    int seconds() {
        return series.values().stream()
                .mapToInt(each -> Math.min(SECONDS, each.count))
                .max()
                .orElse(0);
    }

    /** The values of the second that is {@code age} before the last; {@code unknown} if none. */
    float[] row(final String name, final int age, final float unknown) {
        final Series known = series.get(name);
        if (known == null || age >= Math.min(SECONDS, known.count)) {
            final float[] none = new float[COLUMNS];
            Arrays.fill(none, unknown);
            return none;
        }
        final int at = (known.count - 1 - age) % SECONDS * COLUMNS;
        return Arrays.copyOfRange(known.values, at, at + COLUMNS);
    }

    /** The last state of a series; -1 if nothing is kept of it. */
    int lastState(final String name) {
        return (int) row(name, 0, -1)[COLUMNS - 1];
    }

    /** Values of one column, the oldest first; empty if nothing is kept of it. */
    List<Long> values(final String name, final int column) {
        final Series known = series.get(name);
        return known == null ? List.of() : known.values(column);
    }

    /** Forgets all. */
    void clear() {
        series.clear();
    }

    private static final class Series {
        private final float[] values = new float[SECONDS * COLUMNS];
        private int count;

        void add(final float[] row) {
            System.arraycopy(row, 0, values, count % SECONDS * COLUMNS, COLUMNS);
            count++;
        }

        List<Long> values(final int column) {
            final List<Long> result = new ArrayList<>();
            for (int i = Math.max(0, count - SECONDS); i < count; i++) {
                result.add((long) values[i % SECONDS * COLUMNS + column]);
            }
            return result;
        }
    }
}
