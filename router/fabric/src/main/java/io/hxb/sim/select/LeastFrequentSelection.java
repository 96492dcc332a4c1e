package io.hxb.sim.select;

import io.hxb.sim.flit.OutputSelection;

/**
 * The lane that headers took least often lately; counts are halved periodically. Owned by one run.
 */
final class LeastFrequentSelection implements OutputSelection {
    /** Assumption: the thesis names no period; 32 packets of 128 flits can pass in this one. */
    private static final int PERIOD_CYCLES = 4096;

    private final int[] counts;
    private final long[] since;

    LeastFrequentSelection(final int lanes) {
        counts = new int[lanes];
        since = new long[lanes];
    }

    private int count(final View view, final int lane) {
        final long periods = (view.now() - since[lane]) / PERIOD_CYCLES;
        if (periods > 0) {
            counts[lane] >>= (int) Math.min(31, periods);
            since[lane] += periods * PERIOD_CYCLES;
        }
        return counts[lane];
    }

    @Override
    public int select(
            final View view, final int node, final int to, final int[] free, final int count) {
        int best = free[0];
        for (int i = 1; i < count; i++) {
            best = count(view, free[i]) < count(view, best) ? free[i] : best;
        }
        return best;
    }

    @Override
    public void onHeader(final View view, final int lane) {
        counts[lane] = count(view, lane) + 1;
    }
}
