package io.hxb.fabric;

import java.util.Arrays;

/**
 * Coordinates of a mesh or torus: in switch numbers dimension 0 varies fastest, and a dimension may
 * wrap around. Immutable.
 */
public final class Lattice {
    private final int[] extents;
    private final boolean isTorus;
    private final int switchCount;

    private Lattice(final int[] extents, final boolean isTorus) {
        long count = 1;
        for (final int extent : extents) {
            if (extent < 1) {
                throw new GraphException("an extent is at least 1: " + Arrays.toString(extents));
            }
            count *= extent;
            if (count > SwitchGraphBuilder.MAX_SWITCHES) {
                throw new GraphException(
                        Arrays.toString(extents)
                                + " has more than "
                                + SwitchGraphBuilder.MAX_SWITCHES
                                + " switches");
            }
        }
        if (extents.length == 0) {
            throw new GraphException("a mesh or torus has at least one dimension");
        }
        this.extents = extents.clone();
        this.isTorus = isTorus;
        this.switchCount = (int) count;
    }

    /** A mesh; {@code extents} of 2 everywhere make a hypercube. */
    public static Lattice mesh(final int... extents) {
        return new Lattice(extents, false);
    }

    /** A torus; a dimension of two switches has one link between them, as in a mesh. */
    public static Lattice torus(final int... extents) {
        return new Lattice(extents, true);
    }

    /** Number of dimensions. */
    public int dimensions() {
        return extents.length;
    }

    /** Number of coordinates in a dimension. */
    public int extent(final int dimension) {
        return extents[dimension];
    }

    /** Whether a dimension wraps around: in a torus, those of three or more switches. */
    public boolean isRing(final int dimension) {
        return isTorus && extents[dimension] > 2;
    }

    /** Number of switches. */
    public int switchCount() {
        return switchCount;
    }

    /** Coordinate of a switch in a dimension. */
    public int coordinate(final int node, final int dimension) {
        int rest = node;
        for (int lower = 0; lower < dimension; lower++) {
            rest /= extents[lower];
        }
        return rest % extents[dimension];
    }

    /** The switch at {@code coordinates}, {@code [dimensions]}. */
    public int node(final int... coordinates) {
        int node = 0;
        for (int dimension = extents.length - 1; dimension >= 0; dimension--) {
            node = node * extents[dimension] + coordinates[dimension];
        }
        return node;
    }

    /**
     * The neighbour of a switch.
     *
     * @param step 1 or -1.
     * @return its number, or -1 at the edge of a mesh.
     */
    public int neighbour(final int node, final int dimension, final int step) {
        final int from = coordinate(node, dimension);
        int to = from + step;
        if (to < 0 || to >= extents[dimension]) {
            if (!isRing(dimension)) {
                return -1;
            }
            to = Math.floorMod(to, extents[dimension]);
        }
        int stride = 1;
        for (int lower = 0; lower < dimension; lower++) {
            stride *= extents[lower];
        }
        return node + (to - from) * stride;
    }

    /** The graph, with hosts on every switch. */
    public SwitchGraph graph(final int hostsPerSwitch) {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder().addSwitches(switchCount);
        for (int node = 0; node < switchCount; node++) {
            for (int dimension = 0; dimension < extents.length; dimension++) {
                final int next = neighbour(node, dimension, 1);
                if (next >= 0) {
                    builder.addLink(node, next);
                }
            }
        }
        return builder.addHosts(hostsPerSwitch).build();
    }

    /** Whether a graph is this lattice: the same switches, one link for each of ours. */
    public boolean matches(final SwitchGraph graph) {
        if (graph.switchCount() != switchCount) {
            return false;
        }
        int links = 0;
        for (int node = 0; node < switchCount; node++) {
            for (int dimension = 0; dimension < extents.length; dimension++) {
                final int next = neighbour(node, dimension, 1);
                if (next >= 0 && !hasLink(graph, node, next)) {
                    return false;
                }
                links += next >= 0 ? 1 : 0;
            }
        }
        return links == graph.linkCount();
    }

    private static boolean hasLink(final SwitchGraph graph, final int from, final int to) {
        for (int i = 0; i < graph.degree(from); i++) {
            if (graph.target(graph.outgoing(from, i)) == to) {
                return true;
            }
        }
        return false;
    }

    /** {@code mesh 4x4} or {@code torus 8x8}. */
    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder(isTorus ? "torus " : "mesh ");
        for (int dimension = 0; dimension < extents.length; dimension++) {
            text.append(dimension == 0 ? "" : "x").append(extents[dimension]);
        }
        return text.toString();
    }
}
