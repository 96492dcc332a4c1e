package io.hxb.sim.select;

import io.hxb.fabric.SwitchGraph;
import io.hxb.sim.flit.OutputSelection;

/**
 * SP, fixed priorities that alternate between channels (lane 0 of all channels by port, then lane 1
 * of all), and MM, the channel with the fewest packets first. Immutable.
 */
final class PrioritySelection implements OutputSelection {
    private final SwitchGraph graph;
    private final boolean isLeastMultiplexed;

    PrioritySelection(final SwitchGraph graph, final boolean isLeastMultiplexed) {
        this.graph = graph;
        this.isLeastMultiplexed = isLeastMultiplexed;
    }

    @Override
    public int select(
            final View view, final int node, final int to, final int[] free, final int count) {
        int best = free[0];
        long bestScore = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            final int channel = free[i] / view.lanes();
            final long multiplexed = isLeastMultiplexed ? view.packets(channel) : 0;
            final long score =
                    (multiplexed << 40)
                            + ((long) (free[i] % view.lanes()) << 20)
                            + graph.outgoingIndex(channel);
            if (score < bestScore) {
                bestScore = score;
                best = free[i];
            }
        }
        return best;
    }
}
