package io.hxb.node.collective;

import io.hxb.topology.Shape;

import java.util.Arrays;

/**
 * With whom a node exchanges what, step by step. If the nodes of a group are a box of coordinates,
 * a step is an exchange within the line of one dimension, X first; otherwise there is one step, of
 * all with all. Immutable.
 */
final class GroupSteps {
    /** Most nodes that exchange with each other in one step when they are no box. */
    static final int MAX_FLAT_NODES = 64;

    private static final int MAX_PEERS = 255;

    private final int[][] lines;
    private final int[] positions;

    private GroupSteps(final int[][] lines, final int[] positions) {
        this.lines = lines;
        this.positions = positions;
    }

    /**
     * The steps of one node.
     *
     * @param node the node, one of {@code nodes}.
     * @param nodes ids in ascending order, each once.
     * @return null if there are too many nodes for a step.
     */
    static GroupSteps of(final Shape shape, final int node, final int[] nodes) {
        final int[][] extents = coordinates(shape, nodes);
        long box = 1;
        int peers = 0;
        for (final int[] extent : extents) {
            box *= extent.length;
            peers += extent.length - 1;
        }
        if (box != nodes.length) {
            return nodes.length > MAX_FLAT_NODES ? null : flat(node, nodes);
        }
        return peers > MAX_PEERS ? null : box(shape, node, extents);
    }

    /** The coordinates that occur, {@code [dimension][in ascending order]}. */
    private static int[][] coordinates(final Shape shape, final int[] nodes) {
        final int[][] extents = new int[shape.dimensions()][];
        for (int dimension = 0; dimension < extents.length; dimension++) {
            final int ofDimension = dimension;
            extents[dimension] =
                    Arrays.stream(nodes)
                            .map(id -> Shape.coordinate(shape.coordinates(id), ofDimension))
                            .sorted()
                            .distinct()
                            .toArray();
        }
        return extents;
    }

    private static GroupSteps flat(final int node, final int[] nodes) {
        return new GroupSteps(
                new int[][] {nodes.clone()}, new int[] {Arrays.binarySearch(nodes, node)});
    }

    private static GroupSteps box(final Shape shape, final int node, final int[][] extents) {
        final long own = shape.coordinates(node);
        final int count = (int) Arrays.stream(extents).filter(extent -> extent.length > 1).count();
        final int[][] lines = new int[count][];
        final int[] positions = new int[count];
        int step = 0;
        for (int dimension = 0; dimension < extents.length; dimension++) {
            if (extents[dimension].length == 1) {
                continue;
            }
            final int ofDimension = dimension;
            lines[step] =
                    Arrays.stream(extents[dimension])
                            .map(
                                    coordinate ->
                                            shape.node(
                                                    Shape.withCoordinate(
                                                            own, ofDimension, coordinate)))
                            .toArray();
            positions[step] =
                    Arrays.binarySearch(extents[dimension], Shape.coordinate(own, dimension));
            step++;
        }
        return new GroupSteps(lines, positions);
    }

    /** Number of steps, 0 if there is one node alone. */
    int count() {
        return lines.length;
    }

    /** Number of nodes that exchange in a step, this one included. */
    int width(final int step) {
        return lines[step].length;
    }

    /** The node at a position of a step, in the order in which parts are combined. */
    int node(final int step, final int position) {
        return lines[step][position];
    }

    /** Where this node is in a step. */
    int ownPosition(final int step) {
        return positions[step];
    }
}
