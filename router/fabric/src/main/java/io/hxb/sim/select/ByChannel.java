package io.hxb.sim.select;

import io.hxb.sim.flit.OutputSelection;

/**
 * Selections that give each channel a score, take the smallest, and there the most restricted lane,
 * which is the one with the smallest number in all routings with escape lanes or layers.
 */
abstract class ByChannel implements OutputSelection {
    /** Score of a channel; the smallest wins, of equal ones the first named. */
    abstract long score(View view, int node, int to, int channel);

    @Override
    public final int select(
            final View view, final int node, final int to, final int[] free, final int count) {
        int best = -1;
        int bestChannel = -1;
        long bestScore = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            final int channel = free[i] / view.lanes();
            if (channel == bestChannel) {
                best = Math.min(best, free[i]);
                continue;
            }
            final long score = score(view, node, to, channel);
            if (best < 0 || score < bestScore) {
                best = free[i];
                bestChannel = channel;
                bestScore = score;
            }
        }
        return best;
    }
}
