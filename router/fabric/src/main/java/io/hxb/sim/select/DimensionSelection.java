package io.hxb.sim.select;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.lattice.LatticeGraph;
import io.hxb.sim.flit.OutputSelection;

/**
 * Dimension order (lowest dimension first) and zigzag (the dimension with the most links left).
 * Neither selects the lane: the first that the routing names, the freest. Immutable.
 */
final class DimensionSelection implements OutputSelection {
    private final LatticeGraph graph;
    private final boolean isZigzag;

    DimensionSelection(final LatticeGraph graph, final boolean isZigzag) {
        this.graph = graph;
        this.isZigzag = isZigzag;
    }

    @Override
    public int select(
            final View view, final int node, final int to, final int[] free, final int count) {
        int best = free[0];
        int bestScore = Integer.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            final int dimension = graph.dimension(free[i] / view.lanes());
            final int score = isZigzag ? -left(node, to, dimension) : dimension;
            if (score < bestScore) {
                bestScore = score;
                best = free[i];
            }
        }
        return best;
    }

    private int left(final int node, final int to, final int dimension) {
        final Lattice lattice = graph.lattice();
        final int away =
                Math.abs(lattice.coordinate(to, dimension) - lattice.coordinate(node, dimension));
        return lattice.isRing(dimension) ? Math.min(away, lattice.extent(dimension) - away) : away;
    }
}
