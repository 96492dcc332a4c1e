package io.hxb.fabric.vlan.tree;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;

import java.util.BitSet;

/**
 * Trees of the paths that any routing algorithm gave: for each switch with hosts, all its paths to
 * switches with hosts. Immutable. Source: Otsuka et al. 2006, 3.1.
 */
public final class RouteTrees implements TreeMaker {
    private final RouteSet routes;
    private final String name;

    /**
     * Makes the maker.
     *
     * @param name of the algorithm, for messages.
     */
    public RouteTrees(final RouteSet routes, final String name) {
        this.routes = routes;
        this.name = name;
    }

    @Override
    public HostTrees make(final SwitchGraph graph) {
        final TreeCollector collector = new TreeCollector(graph);
        final int[] hosts = graph.hostCounts();
        for (int from = 0; from < hosts.length; from++) {
            if (hosts[from] > 0) {
                collector.assignAll(from, add(collector, graph, hosts, from));
            }
        }
        return collector.build();
    }

    private int add(
            final TreeCollector collector,
            final SwitchGraph graph,
            final int[] hosts,
            final int from) {
        final BitSet links = new BitSet();
        for (int to = 0; to < hosts.length; to++) {
            for (int i = 0; hosts[to] > 0 && i < routes.length(from, to); i++) {
                links.set(SwitchGraph.link(routes.channel(from, to, i)));
            }
        }
        try {
            return collector.add(links);
        } catch (final GraphException e) {
            throw new GraphException(
                    "the paths of '"
                            + name
                            + "' from switch "
                            + graph.switchName(from)
                            + " part and meet again, so they make no tree ("
                            + e.getMessage().lines().findFirst().orElse("")
                            + "), and a host can only send in one VLAN; plan it by"
                            + " 'updown-tree', or let the hosts tag (--kind host-tagged)");
        }
    }
}
