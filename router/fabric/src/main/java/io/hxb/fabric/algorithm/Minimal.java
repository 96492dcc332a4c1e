package io.hxb.fabric.algorithm;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.EscapeRouting;
import io.hxb.fabric.route.MinimalRouting;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.route.StoredRouting;
import io.hxb.fabric.route.TurnRelation;
import io.hxb.fabric.route.TurnRouting;
import io.hxb.fabric.tree.BfsTree;
import io.hxb.fabric.tree.Directions;

/** Routing on the shortest paths of the graph. Pure. */
public final class Minimal {
    private Minimal() {}

    /** Shortest paths without regard to deadlock: what a plain switch network would like to use. */
    public static Routing paths(final SwitchGraph graph) {
        return new MinimalRouting(graph);
    }

    /**
     * Structured channels: the virtual channel is the number of links passed, class 0 being that of
     * the host's own link, so that the classes only rise. Source: Koibuchi 2002, section 2.6.5.2.
     *
     * @param virtualChannels more than the diameter, or 0 for just enough.
     * @throws GraphException if there are too few.
     */
    public static Routing structured(final SwitchGraph graph, final int virtualChannels) {
        final int needed = diameter(graph) + 1;
        if (virtualChannels != 0 && virtualChannels < needed) {
            throw new GraphException(
                    "structured channels need more virtual channels than the diameter: "
                            + needed
                            + ", not "
                            + virtualChannels
                            + "; use lash, dl-ud or updown-dfs with fewer");
        }
        final int count = Math.max(needed, virtualChannels);
        return new TurnRouting(
                "structured",
                TurnRelation.of(
                        graph,
                        count,
                        (from, to) -> to % count == from % count + 1,
                        state -> state % count == Math.min(1, count - 1)));
    }

    /** Links of the longest shortest path. */
    public static int diameter(final SwitchGraph graph) {
        int diameter = 0;
        for (int node = 0; node < graph.switchCount(); node++) {
            diameter = Math.max(diameter, new BfsTree(graph, node).height());
        }
        return diameter;
    }

    /**
     * Silla's minimal routing: adaptive on new channels along shortest paths, Up*&#47;Down* on the
     * original channel once all are taken, and never back. Source: Koibuchi 2002, section 3.3.4.
     *
     * @param virtualChannels at least 2, one of them the original channel.
     */
    public static Routing silla(
            final SwitchGraph graph, final int root, final int virtualChannels) {
        if (virtualChannels < 2) {
            throw new GraphException(
                    "silla needs at least 2 virtual channels, not " + virtualChannels);
        }
        return new EscapeRouting("silla", UpDown.bfs(graph, root), virtualChannels - 1, false);
    }

    /**
     * In-transit buffers: shortest paths; where one would turn from down to up, the packet goes out
     * to a host of that switch and in again. Source: Koibuchi 2002, section 3.3.5.
     *
     * @throws GraphException if no switch has hosts.
     */
    public static Routing inTransit(final SwitchGraph graph, final int root) {
        if (graph.hostCount() == 0) {
            throw new GraphException("in-transit needs hosts that take packets out; add hosts");
        }
        return new StoredRouting(
                "in-transit",
                new InTransit(graph, Directions.bfs(graph, root), false).routes(),
                root);
    }
}
