package io.hxb.sim.route;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.sim.flit.RouteFunction;

/**
 * Dimension order in a hyper-crossbar as {@link
 * io.hxb.fabric.generate.Crossbars#hyperCrossbar(int...)} numbers it, computed instead of stored:
 * X, then Y, then Z, relayed by the nodes at the corners. Immutable.
 */
public final class CrossbarRoutes implements RouteFunction {
    private final SwitchGraph graph;
    private final Lattice nodes;
    private final int lanes;
    private final int[] lineDimension;

    /**
     * Routes in the hyper-crossbar of these nodes.
     *
     * @param lanes virtual channels of each channel, among which a packet keeps to one.
     */
    public CrossbarRoutes(final SwitchGraph graph, final Lattice nodes, final int lanes) {
        this.graph = graph;
        this.nodes = nodes;
        this.lanes = lanes;
        this.lineDimension = new int[graph.switchCount()];
        int first = nodes.switchCount();
        for (int dimension = 0; dimension < nodes.dimensions(); dimension++) {
            final int lines = nodes.switchCount() / nodes.extent(dimension);
            for (int line = 0; line < lines; line++) {
                lineDimension[first + line] = dimension;
            }
            first += lines;
        }
    }

    @Override
    public int maxCandidates() {
        return 1;
    }

    @Override
    public int copies() {
        return lanes;
    }

    @Override
    public int route(
            final int from,
            final int at,
            final int node,
            final int to,
            final int hops,
            final int copy,
            final int[] out,
            final int offset) {
        // Neighbours ascend: lines by dimension at a node, nodes by coordinate at a line's switch.
        int index = 0;
        if (node < nodes.switchCount()) {
            while (nodes.coordinate(node, index) == nodes.coordinate(to, index)) {
                index++;
            }
        } else {
            index = nodes.coordinate(to, lineDimension[node]);
        }
        out[offset] = graph.outgoing(node, index) * lanes + copy;
        return 1;
    }
}
