package io.hxb.fabric.algorithm;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.route.TurnRelation;
import io.hxb.fabric.route.TurnRouting;
import io.hxb.fabric.tree.BfsTree;
import io.hxb.fabric.tree.Directions;

import java.util.Arrays;

/**
 * Several spanning trees: Up*&#47;Down* over another root on each virtual channel; a packet takes
 * the one with the shortest path and stays on it. Pure. Source: Koibuchi 2002, section 3.3.2.
 */
public final class MultiTree {
    private MultiTree() {}

    /**
     * Applies the algorithm. The first root is given, every further one is the switch farthest from
     * all roots before it.
     *
     * @param trees virtual channels, 1 to the number of switches.
     */
    public static Routing routing(final SwitchGraph graph, final int root, final int trees) {
        if (trees < 1 || trees > graph.switchCount()) {
            throw new GraphException(
                    "multi-tree needs 1 to " + graph.switchCount() + " virtual channels: " + trees);
        }
        final Directions[] directions = new Directions[trees];
        final int[] roots = new int[trees];
        final int[] distances = new int[graph.switchCount()];
        Arrays.fill(distances, Integer.MAX_VALUE);
        int next = root;
        for (int tree = 0; tree < trees; tree++) {
            directions[tree] = Directions.bfs(graph, next);
            roots[tree] = next;
            final BfsTree spanning = new BfsTree(graph, next);
            for (int node = 0; node < distances.length; node++) {
                distances[node] = Math.min(distances[node], spanning.depth(node));
            }
            next = 0;
            for (int node = 1; node < distances.length; node++) {
                next = distances[node] > distances[next] ? node : next;
            }
        }
        return new TurnRouting(
                "multi-tree",
                TurnRelation.of(
                        graph,
                        trees,
                        (from, to) ->
                                from % trees == to % trees
                                        && directions[from % trees].isUpDown(
                                                from / trees, to / trees)),
                roots);
    }
}
