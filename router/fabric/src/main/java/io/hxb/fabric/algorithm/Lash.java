package io.hxb.fabric.algorithm;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.HeapCheck;
import io.hxb.fabric.LinkWeights;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.RouteSetBuilder;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.BalancedPaths;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.route.StoredRouting;
import io.hxb.fabric.route.TurnRelation;
import io.hxb.fabric.tree.Directions;

import java.util.ArrayList;
import java.util.List;

/**
 * LASH: a shortest path of each pair goes into the first layer of virtual channels whose
 * dependencies stay acyclic with it. Two shortest paths are tried for each pair: one that does not
 * break Up*&#47;Down* where there is one, then the one with the smallest ports. Used by one thread.
 * Source: Skeie, Lysne, Theiss 2002; Koibuchi 2002, section 3.3.3.
 */
public final class Lash {
    private final SwitchGraph graph;
    private final RouteSet preferred;
    private final RouteSet other;
    private final List<AcyclicLayer> layers = new ArrayList<>();
    private final int most;
    private final byte[] layerOf;
    private final boolean[] isOther;
    private final int[] path;

    private Lash(
            final SwitchGraph graph,
            final RouteSet preferred,
            final RouteSet other,
            final int most) {
        this.graph = graph;
        this.preferred = preferred;
        this.other = other;
        this.most = most;
        this.layerOf = new byte[graph.switchCount() * graph.switchCount()];
        this.isOther = new boolean[layerOf.length];
        this.path = new int[Math.max(1, preferred.maxLinks())];
    }

    /**
     * Applies the algorithm.
     *
     * @param root of the breadth-first tree whose legal paths are preferred.
     * @param virtualChannels maximum number of layers, or 0 for as many as are needed.
     * @throws GraphException if the paths need more layers.
     */
    public static Routing routing(
            final SwitchGraph graph, final int root, final int virtualChannels) {
        // Two sets of paths to choose from, the result, and the state of each pair.
        HeapCheck.requirePairs(graph, 6, "the layers of all pairs of switches");
        HeapCheck.require(3 * HeapCheck.pathsBytes(graph), "the paths that lash chooses from");
        final RouteSet legal = new InTransit(graph, Directions.bfs(graph, root), true).routes();
        // Between links of different rates, paths that suit them come first.
        final boolean isEven = LinkWeights.of(graph).areEven();
        final RouteSet preferred =
                isEven ? legal : Minimal.paths(graph).routes(PathSelection.HIGH_PHYSICAL, 0);
        final RouteSet other =
                isEven ? Minimal.paths(graph).routes(PathSelection.LOW_PORT, 0) : legal;
        final int most = virtualChannels == 0 ? Byte.MAX_VALUE : virtualChannels;
        final Lash lash = new Lash(graph, preferred, other, most);
        return new StoredRouting("lash", lash.pack(), root);
    }

    /**
     * Applies the algorithm with paths that spread the pairs of hosts over the channels, one for
     * each pair of switches, and layers that carry alike; all {@code virtualChannels} are used.
     *
     * @param root of the breadth-first tree whose legal paths start in the first layer.
     * @param virtualChannels number of layers, or 0 for as many as are needed.
     * @throws GraphException if the paths need more layers.
     */
    public static Routing balanced(
            final SwitchGraph graph, final int root, final int virtualChannels) {
        HeapCheck.require(3 * HeapCheck.pathsBytes(graph), "the paths that lash balances");
        final int most = virtualChannels == 0 ? Byte.MAX_VALUE : virtualChannels;
        final RouteSet paths =
                ParallelLinks.merged(
                        BalancedPaths.perSwitch(TurnRelation.of(graph, 1, (from, to) -> true)));
        final PathLayers layers = new PathLayers(paths, null, most);
        final int left = layers.assign(Directions.bfs(graph, root));
        if (left > 0) {
            throw tooFew(most, left);
        }
        return new StoredRouting("lash", ParallelLinks.spread(layers.build()), root);
    }

    private static GraphException tooFew(final int most, final int left) {
        return new GraphException(
                "lash needs more than "
                        + most
                        + " virtual channels: "
                        + left
                        + " pairs are left; allow more or use dl-ud");
    }

    private RouteSet pack() {
        final int switches = graph.switchCount();
        final boolean[] isPlaced = new boolean[layerOf.length];
        for (int pair = 0; pair < layerOf.length; pair++) {
            isPlaced[pair] = pair / switches == pair % switches;
        }
        int left = layerOf.length - switches;
        // The pairs whose path breaks nothing fill the first layer, whatever their order.
        left -= fill(isPlaced, true);
        while (left > 0) {
            left -= fill(isPlaced, false);
            if (left > 0 && layers.size() == most) {
                throw tooFew(most, left);
            }
            if (left > 0) {
                layers.add(new AcyclicLayer(graph.channelCount()));
            }
        }
        return build();
    }

    /** Puts what fits into the last layer; returns how many pairs. */
    private int fill(final boolean[] isPlaced, final boolean isLegalOnly) {
        if (layers.isEmpty()) {
            layers.add(new AcyclicLayer(graph.channelCount()));
        }
        final int layer = layers.size() - 1;
        int placed = 0;
        for (int pair = 0; pair < layerOf.length; pair++) {
            if (isPlaced[pair] || (isLegalOnly && isBroken(pair))) {
                continue;
            }
            if (add(layer, preferred, pair) || add(layer, other, pair)) {
                isPlaced[pair] = true;
                layerOf[pair] = (byte) layer;
                placed++;
            }
        }
        return placed;
    }

    private boolean isBroken(final int pair) {
        final int from = pair / graph.switchCount();
        final int to = pair % graph.switchCount();
        for (int i = 0; i < preferred.length(from, to); i++) {
            if (preferred.isReinjected(from, to, i)) {
                return true;
            }
        }
        return false;
    }

    private boolean add(final int layer, final RouteSet routes, final int pair) {
        final int from = pair / graph.switchCount();
        final int to = pair % graph.switchCount();
        final int length = routes.length(from, to);
        for (int i = 0; i < length; i++) {
            path[i] = routes.channel(from, to, i);
        }
        isOther[pair] = routes == other;
        return layers.get(layer).add(path, length);
    }

    private RouteSet build() {
        final int virtualChannels = Math.max(1, layers.size());
        final RouteSetBuilder builder = new RouteSetBuilder(graph, virtualChannels);
        for (int pair = 0; pair < layerOf.length; pair++) {
            final RouteSet routes = isOther[pair] ? other : preferred;
            final int from = pair / graph.switchCount();
            final int to = pair % graph.switchCount();
            for (int i = 0; i < routes.length(from, to); i++) {
                builder.step(routes.channel(from, to, i) * virtualChannels + layerOf[pair]);
            }
            builder.endPath();
        }
        return builder.build();
    }
}
