package io.hxb.fabric.lattice;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A graph with the lattice it is: dimension and sign of every channel, and whether it wraps around.
 * Immutable.
 */
public final class LatticeGraph {
    private final SwitchGraph graph;
    private final Lattice lattice;
    private final byte[] dimensions;
    private final boolean[] isPositive;
    private final boolean[] isWrap;

    /**
     * Combines a graph and its lattice.
     *
     * @throws GraphException if the graph has other links than the lattice.
     */
    public LatticeGraph(final SwitchGraph graph, final Lattice lattice) {
        if (!lattice.matches(graph)) {
            throw new GraphException(
                    "the graph ("
                            + graph
                            + ") is no "
                            + lattice
                            + " with dimension 0 counted fastest");
        }
        this.graph = graph;
        this.lattice = lattice;
        this.dimensions = new byte[graph.channelCount()];
        this.isPositive = new boolean[graph.channelCount()];
        this.isWrap = new boolean[graph.channelCount()];
        for (int channel = 0; channel < dimensions.length; channel++) {
            classify(channel);
        }
    }

    private void classify(final int channel) {
        final int from = graph.source(channel);
        final int to = graph.target(channel);
        int dimension = 0;
        while (lattice.coordinate(from, dimension) == lattice.coordinate(to, dimension)) {
            dimension++;
        }
        dimensions[channel] = (byte) dimension;
        isPositive[channel] = lattice.neighbour(from, dimension, 1) == to;
        final int step = lattice.coordinate(to, dimension) - lattice.coordinate(from, dimension);
        isWrap[channel] = Math.abs(step) > 1;
    }

    /**
     * Finds out which lattice a graph is.
     *
     * @throws GraphException if it is not a lattice in whose switch numbers dimension 0 varies
     *     fastest.
     */
    public static LatticeGraph of(final SwitchGraph graph) {
        final List<int[]> shapes = new ArrayList<>();
        addShapes(graph.switchCount(), new int[0], shapes);
        for (final int[] extents : shapes) {
            final Lattice mesh = Lattice.mesh(extents);
            if (mesh.matches(graph)) {
                return new LatticeGraph(graph, mesh);
            }
            final Lattice torus = Lattice.torus(extents);
            if (torus.matches(graph)) {
                return new LatticeGraph(graph, torus);
            }
        }
        throw new GraphException(
                "the graph ("
                        + graph
                        + ") is not a mesh or torus whose switches count dimension 0 fastest; use"
                        + " an algorithm for any graph, such as updown-bfs or dl-ud");
    }

    private static void addShapes(final int rest, final int[] extents, final List<int[]> shapes) {
        if (rest == 1 && extents.length > 0) {
            shapes.add(extents);
        }
        for (int extent = 2; extent <= rest; extent++) {
            if (rest % extent == 0) {
                final int[] longer = Arrays.copyOf(extents, extents.length + 1);
                longer[extents.length] = extent;
                addShapes(rest / extent, longer, shapes);
            }
        }
    }

    /** The graph. */
    public SwitchGraph graph() {
        return graph;
    }

    /** Its lattice. */
    public Lattice lattice() {
        return lattice;
    }

    /** Dimension of a channel. */
    public int dimension(final int channel) {
        return dimensions[channel];
    }

    /** Whether a channel leads to the next higher coordinate, wrapping around at the highest. */
    public boolean isPositive(final int channel) {
        return isPositive[channel];
    }

    /** Whether a channel joins the highest and the lowest coordinate of a ring. */
    public boolean isWrap(final int channel) {
        return isWrap[channel];
    }

    /** Whether any dimension wraps around. */
    public boolean hasRings() {
        for (int dimension = 0; dimension < lattice.dimensions(); dimension++) {
            if (lattice.isRing(dimension)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a turn goes on in the same dimension and sign. */
    boolean isStraight(final int from, final int to) {
        return dimensions[from] == dimensions[to] && isPositive[from] == isPositive[to];
    }

    /**
     * Requires a mesh of two dimensions.
     *
     * @throws GraphException if it is not one.
     */
    void requireMesh2(final String algorithm) {
        if (hasRings() || lattice.dimensions() != 2) {
            throw new GraphException(
                    algorithm
                            + " is for meshes of two dimensions, this is a "
                            + lattice
                            + "; use dimension-order or duato");
        }
    }

    /**
     * Requires a mesh.
     *
     * @throws GraphException if a dimension wraps around.
     */
    void requireMesh(final String algorithm) {
        if (hasRings()) {
            throw new GraphException(
                    algorithm
                            + " is for meshes, this is a "
                            + lattice
                            + "; use dimension-order or duato");
        }
    }
}
