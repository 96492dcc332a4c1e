package io.hxb.sim.select;

/**
 * LRU, the channel that has sent nothing for the longest time, and MMLRU, the one with the fewest
 * packets and of equal ones the one whose last header passed longest ago. Stateless.
 */
final class LeastRecentSelection extends ByChannel {
    private final boolean isLeastMultiplexed;

    LeastRecentSelection(final boolean isLeastMultiplexed) {
        this.isLeastMultiplexed = isLeastMultiplexed;
    }

    @Override
    long score(final View view, final int node, final int to, final int channel) {
        if (isLeastMultiplexed) {
            return ((long) view.packets(channel) << 48) + view.lastHeader(channel);
        }
        // A channel on which a packet stands blocked is in use: the direction has least priority.
        return view.packets(channel) > 0 ? view.now() : view.lastFlit(channel);
    }
}
