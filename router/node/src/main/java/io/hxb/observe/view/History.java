package io.hxb.observe.view;

import java.util.ArrayList;
import java.util.HashMap;
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

    private final Map<String, Series> series = new HashMap<>();

    /** Adds the value of a second. */
    void add(final String name, final long[] rates, final int state) {
        final Series known = series.get(name);
        if (known != null) {
            known.add(rates, state);
        } else if (series.size() < MAX_SERIES) {
            final Series made = new Series();
            made.add(rates, state);
            series.put(name, made);
        }
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

        void add(final long[] rates, final int state) {
            final int at = count % SECONDS * COLUMNS;
            for (int i = 0; i < rates.length; i++) {
                values[at + i] = rates[i];
            }
            values[at + COLUMNS - 1] = state;
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
