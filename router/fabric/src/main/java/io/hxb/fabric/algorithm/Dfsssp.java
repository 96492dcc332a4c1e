package io.hxb.fabric.algorithm;

import io.hxb.fabric.HeapCheck;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.BalancedPaths;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.route.StoredRouting;
import io.hxb.fabric.route.TurnRelation;
import io.hxb.fabric.tree.Directions;

/**
 * Shortest paths for each host that spread the pairs of hosts over the channels, in layers of
 * virtual channels without a cycle. Where the layers do not suffice, the paths that are left go by
 * Up*&#47;Down*, so that any number of virtual channels will do, and one gives Up*&#47;Down*. Pure.
 * Source: Domke, Hoefler, Nagel 2011, DFSSSP.
 */
public final class Dfsssp {
    private Dfsssp() {}

    /**
     * Applies the algorithm.
     *
     * @param root of the tree for paths that do not fit otherwise.
     * @param virtualChannels layers, or 0 for as many as shortest paths need.
     */
    public static Routing routing(
            final SwitchGraph graph, final int root, final int virtualChannels) {
        final boolean isPerHost = graph.hostCount() > 0;
        // Balanced and safe paths, and the result.
        HeapCheck.require(
                3 * (isPerHost ? HeapCheck.hostPathsBytes(graph) : HeapCheck.pathsBytes(graph)),
                "the paths that dfsssp puts into layers");
        final Directions directions = Directions.bfs(graph, root);
        final RouteSet paths = BalancedPaths.perHost(TurnRelation.of(graph, 1, (from, to) -> true));
        final RouteSet safe =
                virtualChannels == 0
                        ? null
                        : BalancedPaths.perHost(TurnRelation.of(graph, 1, directions::isUpDown));
        final PathLayers layers =
                new PathLayers(
                        paths, safe, virtualChannels == 0 ? Byte.MAX_VALUE : virtualChannels);
        layers.assign(directions);
        return new StoredRouting("dfsssp", layers.build(), root);
    }
}
