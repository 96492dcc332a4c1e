package io.hxb.sim.ethernet;

import io.hxb.fabric.SwitchGraph;
import io.hxb.sim.flit.RouteFunction;

/**
 * Switches with static MAC tables, and nodes that relay: every frame follows a routing. Owned by
 * one run.
 */
public final class RoutedForwarding implements Forwarding {
    private final SwitchGraph graph;
    private final RouteFunction route;

    /**
     * Follows a routing whose answer does not depend on the number of links passed, such as {@link
     * io.hxb.sim.route.CrossbarRoutes}, with one virtual channel.
     */
    public RoutedForwarding(final SwitchGraph graph, final RouteFunction route) {
        this.graph = graph;
        this.route = route;
    }

    @Override
    public int outputs(
            final int node,
            final int input,
            final int vlan,
            final int source,
            final int destination,
            final int[] out) {
        final int to = graph.hostSwitch(destination);
        if (node == to) {
            out[0] = graph.channelCount() + graph.hostCount() + destination;
            return 1;
        }
        return route.route(
                graph.hostSwitch(source),
                input < graph.channelCount() ? input : RouteFunction.FROM_HOST,
                node,
                to,
                0,
                0,
                out,
                0);
    }
}
