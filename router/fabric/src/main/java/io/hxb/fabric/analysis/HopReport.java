package io.hxb.fabric.analysis;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;

/**
 * Links per path.
 *
 * @param sumLinks over all ordered pairs of switches.
 * @param avgLinks over ordered pairs of different switches.
 * @param avgLinksHosts over ordered pairs of different hosts, pairs on one switch included; 0 with
 *     fewer than two hosts. Source: Koibuchi 2002, hops of chapters 3 and 5.
 * @param maxLinks of the longest path.
 */
public record HopReport(long sumLinks, double avgLinks, double avgLinksHosts, int maxLinks) {
    /** Counts the links of paths. */
    public static HopReport of(final RouteSet routes) {
        final SwitchGraph graph = routes.graph();
        final int[] hosts = graph.hostCounts();
        final long switches = graph.switchCount();
        long hostLinks = 0;
        for (int from = 0; from < switches; from++) {
            for (int to = 0; to < switches; to++) {
                hostLinks += (long) hosts[from] * hosts[to] * routes.length(from, to);
            }
        }
        final double pairs = switches * (switches - 1.0);
        final double hostPairs = graph.hostCount() * (graph.hostCount() - 1.0);
        return new HopReport(
                routes.sumLinks(),
                pairs == 0 ? 0 : routes.sumLinks() / pairs,
                hostPairs <= 0 ? 0 : hostLinks / hostPairs,
                routes.maxLinks());
    }
}
