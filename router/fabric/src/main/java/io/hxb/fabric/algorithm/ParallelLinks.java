package io.hxb.fabric.algorithm;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.RouteSetBuilder;
import io.hxb.fabric.SwitchGraph;

/**
 * Spreads paths between switches over parallel links: host number d takes the link number d, modulo
 * their number. Paths are {@link #merged} before their dependencies are judged: what is free of
 * cycles then stays so, since each channel stands for all with the same ends. Pure.
 */
final class ParallelLinks {
    private ParallelLinks() {}

    /** Chooses one of some channels with the same ends. */
    private interface Choice {
        int index(int destination, int count);
    }

    /** The same paths, by the first of parallel links only. */
    static RouteSet merged(final RouteSet routes) {
        return hasParallels(routes.graph())
                ? replaced(routes, routes.isPerHost(), (destination, count) -> 0)
                : routes;
    }

    /** Paths for each host; the same paths where no links are parallel, or no hosts. */
    static RouteSet spread(final RouteSet routes) {
        final SwitchGraph graph = routes.graph();
        return routes.isPerHost() || graph.hostCount() == 0 || !hasParallels(graph)
                ? routes
                : replaced(routes, true, (host, count) -> host % count);
    }

    private static RouteSet replaced(
            final RouteSet routes, final boolean isPerHost, final Choice choice) {
        final SwitchGraph graph = routes.graph();
        final int virtualChannels = routes.virtualChannels();
        final RouteSetBuilder builder = new RouteSetBuilder(graph, virtualChannels, isPerHost);
        final int[] hosts = graph.hostCounts();
        final int destinations = isPerHost ? graph.hostCount() : graph.switchCount();
        for (int from = 0; from < graph.switchCount(); from++) {
            for (int to = 0; (hosts[from] > 0 || !isPerHost) && to < destinations; to++) {
                final int before = isPerHost && !routes.isPerHost() ? graph.hostSwitch(to) : to;
                for (int i = 0; i < routes.length(from, before); i++) {
                    final int step = routes.step(from, before, i);
                    final int channel = parallel(graph, step / virtualChannels, to, choice);
                    builder.step(channel * virtualChannels + step % virtualChannels);
                }
                builder.endPath();
            }
        }
        return builder.build();
    }

    private static boolean hasParallels(final SwitchGraph graph) {
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            if (graph.isParallel(channel)) {
                return true;
            }
        }
        return false;
    }

    /** The channel that a destination takes among those with the ends of another. */
    private static int parallel(
            final SwitchGraph graph,
            final int channel,
            final int destination,
            final Choice choice) {
        final int from = graph.source(channel);
        final int to = graph.target(channel);
        int first = graph.outgoingIndex(channel);
        while (first > 0 && graph.target(graph.outgoing(from, first - 1)) == to) {
            first--;
        }
        int end = graph.outgoingIndex(channel) + 1;
        while (end < graph.degree(from) && graph.target(graph.outgoing(from, end)) == to) {
            end++;
        }
        return graph.outgoing(from, first + choice.index(destination, end - first));
    }
}
