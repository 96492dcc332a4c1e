package io.hxb.sim.route;

import io.hxb.fabric.RouteSet;
import io.hxb.sim.flit.RouteFunction;

/** Deterministic routing: all packets of a pair of switches take one stored path. Immutable. */
public final class StoredRoutes implements RouteFunction {
    private final RouteSet routes;
    private final int lanes;
    private final int copies;
    private final boolean isFree;

    /**
     * Follows stored paths.
     *
     * @param lanes virtual channels of each channel, at least those of the routes; further ones are
     *     copies of them.
     * @param isFree whether a packet may take any copy at every switch, instead of keeping to one.
     */
    public StoredRoutes(final RouteSet routes, final int lanes, final boolean isFree) {
        this.routes = routes;
        this.lanes = lanes;
        this.copies = lanes / routes.virtualChannels();
        this.isFree = isFree;
    }

    @Override
    public int maxCandidates() {
        return isFree ? copies : 1;
    }

    @Override
    public int copies() {
        return isFree ? 1 : copies;
    }

    @Override
    public int route(
            final int from,
            final int at,
            final int node,
            final int to,
            final int hops,
            final int copy,
            final int[] out,
            final int offset) {
        if (at != FROM_HOST && routes.isReinjected(from, to, hops)) {
            return -1;
        }
        final int step = routes.step(from, to, hops);
        final int virtualChannels = routes.virtualChannels();
        final int first = step / virtualChannels * lanes + step % virtualChannels;
        if (!isFree) {
            out[offset] = first + copy * virtualChannels;
            return 1;
        }
        for (int i = 0; i < copies; i++) {
            out[offset + i] = first + i * virtualChannels;
        }
        return copies;
    }
}
