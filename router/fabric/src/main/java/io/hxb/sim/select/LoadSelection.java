package io.hxb.sim.select;

/**
 * LDSF: each channel has a counter, one up for a flit that passes, one down, not below 0, in a
 * cycle in which no packet has the channel; a blocked packet changes nothing. Counters are brought
 * up to date when they are read. Owned by one run.
 */
final class LoadSelection extends ByChannel {
    private final long[] counters;
    private final long[] flits;
    private final long[] idleSince;

    LoadSelection(final int channels) {
        counters = new long[channels];
        flits = new long[channels];
        idleSince = new long[channels];
    }

    @Override
    long score(final View view, final int node, final int to, final int channel) {
        update(view, channel, view.packets(channel) == 0);
        return counters[channel];
    }

    /**
     * Adds the flits since the last time; a channel that was idle had none, and loses cycles.
     *
     * @param isIdle whether no packet has had the channel since.
     */
    private void update(final View view, final int channel, final boolean isIdle) {
        final long passed = view.flits(channel) - flits[channel];
        flits[channel] += passed;
        counters[channel] += passed;
        if (isIdle) {
            counters[channel] = Math.max(0, counters[channel] - (view.now() - idleSince[channel]));
            idleSince[channel] = view.now();
        }
    }

    @Override
    public void onHeader(final View view, final int lane) {
        final int channel = lane / view.lanes();
        update(view, channel, view.packets(channel) == 0);
    }

    @Override
    public void onIdle(final View view, final int channel) {
        update(view, channel, false);
        idleSince[channel] = view.now();
    }
}
