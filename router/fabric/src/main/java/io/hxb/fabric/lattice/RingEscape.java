package io.hxb.fabric.lattice;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.route.WalkedPaths;

/**
 * The escape paths of Duato's protocol in a torus: dimension order, the shorter way round (the
 * positive one when both are equal), on C_H (virtual channel 1) while the destination's coordinate
 * is larger than the current one, otherwise on C_A (0). Immutable. Source: Koibuchi 2002, section
 * A.2.4.
 */
final class RingEscape implements Routing {
    private final LatticeGraph lattice;

    RingEscape(final LatticeGraph lattice) {
        this.lattice = lattice;
    }

    @Override
    public String name() {
        return "ring-escape";
    }

    @Override
    public SwitchGraph graph() {
        return lattice.graph();
    }

    @Override
    public int virtualChannels() {
        return 2;
    }

    @Override
    public int next(final int source, final int at, final int destination, final int[] out) {
        final Lattice shape = lattice.lattice();
        final int node = at == INJECTED ? source : graph().target(at / 2);
        int dimension = 0;
        while (shape.coordinate(node, dimension) == shape.coordinate(destination, dimension)) {
            dimension++;
        }
        final int here = shape.coordinate(node, dimension);
        final int there = shape.coordinate(destination, dimension);
        boolean isPositive = there > here;
        if (shape.isRing(dimension)) {
            final int ahead = Math.floorMod(there - here, shape.extent(dimension));
            isPositive = 2 * ahead <= shape.extent(dimension);
        }
        final int neighbour = shape.neighbour(node, dimension, isPositive ? 1 : -1);
        int index = 0;
        while (graph().target(graph().outgoing(node, index)) != neighbour) {
            index++;
        }
        out[0] = graph().outgoing(node, index) * 2 + (there > here ? 1 : 0);
        return 1;
    }

    @Override
    public RouteSet routes(final PathSelection selection, final long seed) {
        return WalkedPaths.of(this, selection, seed);
    }
}
