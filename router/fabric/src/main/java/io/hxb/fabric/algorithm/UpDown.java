package io.hxb.fabric.algorithm;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.TurnRelation;
import io.hxb.fabric.route.TurnRouting;
import io.hxb.fabric.tree.DfsRoot;
import io.hxb.fabric.tree.DfsTree;
import io.hxb.fabric.tree.Directions;

/** Up*&#47;Down*: zero or more channels up, then zero or more down. Pure. */
public final class UpDown {
    private UpDown() {}

    /** Over a breadth-first tree. Source: Koibuchi 2002, section 2.6.5.1. */
    public static TurnRouting bfs(final SwitchGraph graph, final int root) {
        return over("updown-bfs", graph, Directions.bfs(graph, root), root);
    }

    /**
     * Over Sancho's depth-first tree. Source: Koibuchi 2002, section 3.3.1.
     *
     * @param root a switch, or -1 to choose the best by crossing path and average distance.
     */
    public static TurnRouting dfs(final SwitchGraph graph, final int root) {
        final int chosen = root < 0 ? DfsRoot.choose(graph) : root;
        return over("updown-dfs", graph, DfsTree.directions(graph, chosen), chosen);
    }

    private static TurnRouting over(
            final String name,
            final SwitchGraph graph,
            final Directions directions,
            final int root) {
        return new TurnRouting(name, TurnRelation.of(graph, 1, directions::isUpDown), root);
    }
}
