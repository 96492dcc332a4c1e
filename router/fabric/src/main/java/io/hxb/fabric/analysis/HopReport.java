package io.hxb.fabric.analysis;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;

/**
 * Links per path.
 *
 * @param sumLinks over all paths of the set.
 * @param avgLinks over the paths between different switches.
 * @param avgLinksHosts over ordered pairs of different hosts, pairs on one switch included; 0 with
 *     fewer than two hosts. Source: Koibuchi 2002, hops of chapters 3 and 5.
 * @param maxLinks of the longest path.
 */
public record HopReport(long sumLinks, double avgLinks, double avgLinksHosts, int maxLinks) {
    /** Counts the links of paths. */
    public static HopReport of(final RouteSet routes) {
        final SwitchGraph graph = routes.graph();
        long paths = 0;
        long hostLinks = 0;
        for (int from = 0; from < graph.switchCount(); from++) {
            for (int to = 0; to < routes.destinationCount(); to++) {
                hostLinks += routes.hostPairs(from, to) * routes.length(from, to);
                paths += routes.isSource(from) && routes.destinationSwitch(to) != from ? 1 : 0;
            }
        }
        final double hostPairs = graph.hostCount() * (graph.hostCount() - 1.0);
        return new HopReport(
                routes.sumLinks(),
                paths == 0 ? 0 : (double) routes.sumLinks() / paths,
                hostPairs <= 0 ? 0 : hostLinks / hostPairs,
                routes.maxLinks());
    }
}
