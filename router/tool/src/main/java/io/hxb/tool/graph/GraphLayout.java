package io.hxb.tool.graph;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.lattice.LatticeGraph;

import org.jgrapht.Graph;
import org.jgrapht.alg.drawing.FRLayoutAlgorithm2D;
import org.jgrapht.alg.drawing.model.Box2D;
import org.jgrapht.alg.drawing.model.MapLayoutModel2D;
import org.jgrapht.alg.drawing.model.Point2D;
import org.jgrapht.graph.DefaultEdge;
import org.jgrapht.graph.Pseudograph;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Random;

/**
 * Places of switches in a picture, in units of one switch: a grid for meshes and tori, levels where
 * only some switches have hosts, a circle for very large graphs, otherwise by attraction and
 * repulsion. Immutable.
 */
final class GraphLayout {
    private static final int MAX_ATTRACTED = 256;

    private final double[] x;
    private final double[] y;

    private GraphLayout(final int switches) {
        this.x = new double[switches];
        this.y = new double[switches];
    }

    double x(final int node) {
        return x[node];
    }

    double y(final int node) {
        return y[node];
    }

    static GraphLayout of(final SwitchGraph graph) {
        final GraphLayout layout = new GraphLayout(graph.switchCount());
        if (layout.placeLattice(graph) || layout.placeLevels(graph)) {
            return layout;
        }
        if (graph.switchCount() > MAX_ATTRACTED) {
            layout.placeCircle();
        } else {
            layout.attract(graph);
        }
        return layout;
    }

    private boolean placeLattice(final SwitchGraph graph) {
        final Lattice lattice;
        try {
            lattice = LatticeGraph.of(graph).lattice();
        } catch (final GraphException e) {
            return false;
        }
        if (lattice.dimensions() > 3) {
            return false;
        }
        for (int node = 0; node < x.length; node++) {
            x[node] = lattice.coordinate(node, 0);
            y[node] = lattice.dimensions() > 1 ? lattice.coordinate(node, 1) : 0;
            if (lattice.dimensions() > 2) {
                // Planes one after the other, so far apart that nothing is covered.
                x[node] += lattice.coordinate(node, 2) * (lattice.extent(0) + 0.35);
                y[node] += lattice.coordinate(node, 2) * 0.35;
            }
        }
        return true;
    }

    private boolean placeLevels(final SwitchGraph graph) {
        final int[] hosts = graph.hostCounts();
        final int[] levels = new int[x.length];
        Arrays.fill(levels, -1);
        final ArrayDeque<Integer> queue = new ArrayDeque<>();
        for (int node = 0; node < x.length; node++) {
            if (hosts[node] > 0) {
                levels[node] = 0;
                queue.add(node);
            }
        }
        if (queue.isEmpty() || queue.size() == x.length) {
            return false;
        }
        while (!queue.isEmpty()) {
            final int node = queue.poll();
            for (int i = 0; i < graph.degree(node); i++) {
                final int next = graph.target(graph.outgoing(node, i));
                if (levels[next] < 0) {
                    levels[next] = levels[node] + 1;
                    queue.add(next);
                }
            }
        }
        placeRows(levels);
        return true;
    }

    private void placeRows(final int[] levels) {
        final int highest = Arrays.stream(levels).max().orElse(0);
        final int[] counts = new int[highest + 1];
        final int[] widths = new int[highest + 1];
        Arrays.stream(levels).forEach(level -> widths[level]++);
        final int widest = Arrays.stream(widths).max().orElse(1);
        for (int node = 0; node < x.length; node++) {
            final int level = levels[node];
            x[node] = (counts[level]++ + 0.5) * widest / widths[level];
            y[node] = (highest - level) * Math.max(2, widest / 6.0);
        }
    }

    private void placeCircle() {
        for (int node = 0; node < x.length; node++) {
            final double angle = 2 * Math.PI * node / x.length;
            x[node] = x.length / 8.0 * Math.cos(angle);
            y[node] = x.length / 8.0 * Math.sin(angle);
        }
    }

    private void attract(final SwitchGraph graph) {
        final Graph<Integer, DefaultEdge> drawn = new Pseudograph<>(DefaultEdge.class);
        for (int node = 0; node < x.length; node++) {
            drawn.addVertex(node);
        }
        for (int channel = 0; channel < graph.channelCount(); channel += 2) {
            drawn.addEdge(graph.source(channel), graph.target(channel));
        }
        final double side = 2 * Math.sqrt(x.length);
        final MapLayoutModel2D<Integer> model = new MapLayoutModel2D<>(new Box2D(0, 0, side, side));
        new FRLayoutAlgorithm2D<Integer, DefaultEdge>(
                        100, FRLayoutAlgorithm2D.DEFAULT_NORMALIZATION_FACTOR, new Random(1))
                .layout(drawn, model);
        for (int node = 0; node < x.length; node++) {
            final Point2D place = model.get(node);
            x[node] = place.getX();
            y[node] = place.getY();
        }
    }
}
