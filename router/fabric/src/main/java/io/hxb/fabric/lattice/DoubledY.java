package io.hxb.fabric.lattice;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.route.TurnRelation;
import io.hxb.fabric.route.TurnRouting;
import io.hxb.fabric.route.WalkedPaths;

/**
 * Meshes of two dimensions with two virtual channels in Y: 0 belongs to the +X subnetwork, 1 to the
 * -X subnetwork. Channels in X use virtual channel 0 alone. Source: Koibuchi 2002, section A.2.2.
 */
public final class DoubledY {
    private DoubledY() {}

    /** Double-y: packets stay in their subnetwork, where they may turn as they like. */
    public static TurnRouting doubleY(final LatticeGraph graph) {
        graph.requireMesh2("double-y");
        return new TurnRouting(
                "double-y",
                TurnRelation.of(
                        graph.graph(),
                        2,
                        (from, to) ->
                                isUsed(graph, to)
                                        && isPositiveNet(graph, from) == isPositiveNet(graph, to)
                                        && (graph.dimension(from / 2) != graph.dimension(to / 2)
                                                || graph.isStraight(from / 2, to / 2)),
                        state -> isUsed(graph, state)));
    }

    private static boolean isUsed(final LatticeGraph graph, final int state) {
        return graph.dimension(state / 2) == 1 || state % 2 == 0;
    }

    private static boolean isPositiveNet(final LatticeGraph graph, final int state) {
        return graph.dimension(state / 2) == 0 ? graph.isPositive(state / 2) : state % 2 == 0;
    }

    /**
     * Opt-y: as double-y, but Y channels of the -X subnetwork are open to all, and those of the +X
     * subnetwork to packets that have no way left to -X.
     */
    public static Routing optY(final LatticeGraph graph) {
        graph.requireMesh2("opt-y");
        return new OptY(graph);
    }

    private record OptY(LatticeGraph lattice) implements Routing {
        @Override
        public String name() {
            return "opt-y";
        }

        @Override
        public SwitchGraph graph() {
            return lattice.graph();
        }

        @Override
        public int virtualChannels() {
            return 2;
        }

        private int left(final int node, final int destination, final int dimension) {
            final Lattice shape = lattice.lattice();
            return shape.coordinate(destination, dimension) - shape.coordinate(node, dimension);
        }

        @Override
        public int next(final int source, final int at, final int destination, final int[] out) {
            final SwitchGraph graph = graph();
            final int node = at == INJECTED ? source : graph.target(at / 2);
            final boolean isWestward = left(node, destination, 0) < 0;
            int count = 0;
            for (int i = 0; i < graph.degree(node); i++) {
                final int channel = graph.outgoing(node, i);
                final int rest = left(node, destination, lattice.dimension(channel));
                if (rest == 0 || rest > 0 != lattice.isPositive(channel)) {
                    continue;
                }
                if (lattice.dimension(channel) == 0) {
                    out[count++] = 2 * channel;
                } else {
                    out[count++] = 2 * channel + 1;
                    if (!isWestward) {
                        out[count++] = 2 * channel;
                    }
                }
            }
            return count;
        }

        @Override
        public boolean hasEscapePaths() {
            return true;
        }

        /** Double-y is the escape: each packet's own subnetwork. */
        @Override
        public boolean isEscape(final int virtualChannel, final int destination) {
            final int channel = virtualChannel / 2;
            final boolean isWestward = left(graph().source(channel), destination, 0) < 0;
            return lattice.dimension(channel) == 0 || isWestward == (virtualChannel % 2 == 1);
        }

        @Override
        public RouteSet routes(final PathSelection selection, final long seed) {
            return WalkedPaths.of(this, selection, seed);
        }

        @Override
        public RouteSet staticRoutes(final PathSelection selection, final long seed) {
            return doubleY(lattice).routes(selection, seed);
        }
    }
}
