package io.hxb.bench.flit.paper;

import io.hxb.bench.flit.run.Sweep;

import java.nio.file.Path;

/**
 * How thoroughly a paper is simulated. Immutable.
 *
 * @param sweep runs everything.
 * @param isShort whether to take fewer networks and cycles, as the build does.
 * @param networks random networks of each size.
 * @param only part of a table's name to restrict the runs to, or empty.
 * @param plots folder for plots, or null.
 */
public record PaperSettings(Sweep sweep, boolean isShort, int networks, String only, Path plots) {
    /** Cycles of one run: fewer than the thesis', which spread less than networks do. */
    long cycles() {
        return isShort ? 30_000 : 60_000;
    }

    /** Cycles that are not measured. */
    long warmupCycles() {
        return isShort ? 5_000 : 10_000;
    }

    /** Whether a table is wanted. */
    boolean wants(final String table) {
        return table.contains(only);
    }
}
