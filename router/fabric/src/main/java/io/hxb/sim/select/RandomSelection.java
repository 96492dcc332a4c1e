package io.hxb.sim.select;

import io.hxb.sim.flit.OutputSelection;

import java.util.SplittableRandom;

/** A random channel, and a random lane of it. Owned by one run. */
final class RandomSelection implements OutputSelection {
    private final SplittableRandom random;

    RandomSelection(final long seed) {
        random = new SplittableRandom(seed);
    }

    @Override
    public int select(
            final View view, final int node, final int to, final int[] free, final int count) {
        // Every lane of a channel stands beside the others: draw a channel, then one of its lanes.
        int channels = 0;
        for (int i = 0; i < count; i++) {
            channels += isFirst(view, free, i) ? 1 : 0;
        }
        int drawn = random.nextInt(channels);
        int first = 0;
        while (!isFirst(view, free, first) || drawn-- > 0) {
            first++;
        }
        final int channel = free[first] / view.lanes();
        int lanes = 0;
        for (int i = first; i < count; i++) {
            lanes += free[i] / view.lanes() == channel ? 1 : 0;
        }
        int rest = random.nextInt(lanes);
        int at = first;
        while (free[at] / view.lanes() != channel || rest-- > 0) {
            at++;
        }
        return free[at];
    }

    private static boolean isFirst(final View view, final int[] free, final int index) {
        for (int i = 0; i < index; i++) {
            if (free[i] / view.lanes() == free[index] / view.lanes()) {
                return false;
            }
        }
        return true;
    }
}
