package io.hxb.sim.route;

import io.hxb.fabric.RouteSet;
import io.hxb.sim.flit.RouteFunction;

/**
 * Deterministic routing: all packets from a switch to a destination take one stored path.
 * Immutable.
 */
public final class StoredRoutes implements RouteFunction {
    private final RouteSet routes;
    private final LaneCopies lanes;

    /**
     * Follows stored paths.
     *
     * @param lanes virtual channels of each channel, at least those of the routes; further ones are
     *     copies of them.
     * @param isFree whether a packet may take any copy at every switch, instead of keeping to one.
     */
    public StoredRoutes(final RouteSet routes, final int lanes, final boolean isFree) {
        this.routes = routes;
        this.lanes = new LaneCopies(lanes, routes.virtualChannels(), isFree);
    }

    @Override
    public int maxCandidates() {
        return lanes.written();
    }

    @Override
    public boolean isPerHost() {
        return routes.isPerHost();
    }

    @Override
    public int copies() {
        return lanes.bound();
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
        return lanes.writeStep(routes.step(from, to, hops), copy, out, offset) - offset;
    }
}
