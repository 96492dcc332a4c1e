package io.hxb.sim.ethernet;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;

/** Switches whose static MAC tables, one for each source, follow stored paths. Immutable. */
public final class PathForwarding implements Forwarding {
    private final SwitchGraph graph;
    private final RouteSet routes;

    /** Follows paths that pass no switch twice. */
    public PathForwarding(final RouteSet routes) {
        this.graph = routes.graph();
        this.routes = routes;
    }

    @Override
    public int outputs(
            final int node,
            final int input,
            final int vlan,
            final int source,
            final int destination,
            final int[] out) {
        final int from = graph.hostSwitch(source);
        final int to = routes.destinationOf(destination);
        if (node == graph.hostSwitch(destination)) {
            out[0] = graph.channelCount() + graph.hostCount() + destination;
            return 1;
        }
        for (int i = 0; i < routes.length(from, to); i++) {
            if (graph.source(routes.channel(from, to, i)) == node) {
                out[0] = routes.channel(from, to, i);
                return 1;
            }
        }
        return 0;
    }
}
