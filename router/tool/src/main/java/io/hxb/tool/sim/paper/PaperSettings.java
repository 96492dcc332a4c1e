package io.hxb.tool.sim.paper;

import io.hxb.sim.run.Monitor;
import io.hxb.sim.run.Sweep;

import java.nio.file.Path;

/**
 * How thoroughly a paper is simulated. Immutable.
 *
 * @param sweep runs everything.
 * @param monitor watches all runs and may stop them.
 * @param isShort whether to take fewer networks and cycles, as the build does.
 * @param networks random networks of each size.
 * @param stepCycles hosts make their packets every so many cycles together, 0 at any time.
 * @param only part of a table's name to restrict the runs to, or empty.
 * @param plots folder for plots, or null.
 * @param store keeps finished curves.
 */
public record PaperSettings(
        Sweep sweep,
        Monitor monitor,
        boolean isShort,
        int networks,
        long stepCycles,
        String only,
        Path plots,
        CurveStore store) {
    /** The short mode: two networks, nothing kept. */
    public static PaperSettings brief(final Sweep sweep, final String only) {
        return new PaperSettings(sweep, Monitor.NONE, true, 2, 0, only, null, CurveStore.none());
    }

    /** What names of files end with, so that runs with and without steps keep theirs. */
    public static String stepSuffix(final long stepCycles) {
        return stepCycles == 0 ? "" : "-step-" + stepCycles;
    }

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
