package io.hxb.topology;

import java.util.Arrays;

/**
 * How the nodes of a cluster are numbered, and who can be a neighbour of whom. Immutable.
 *
 * <p>A hyper-crossbar has 1 to 8 dimensions of 2 to 256 coordinates, at most 2^20 nodes; all nodes
 * that differ in one coordinate only are neighbours. A coordinate vector has one byte per
 * dimension, dimension 0 lowest; a node id counts dimension 0 fastest.
 *
 * <p>With any cabling there is one dimension, whose coordinates are the numbers of the nodes. Two
 * nodes are neighbours if a cable joins them, which the map of the cluster shows, not the shape.
 */
public final class Shape {
    /** Maximum number of dimensions. */
    public static final int MAX_DIMENSIONS = 8;

    /** Maximum number of coordinates in one dimension. */
    public static final int MAX_EXTENT = 256;

    /** Maximum number of nodes. */
    public static final int MAX_NODES = 1 << 20;

    /** Maximum number of nodes with any cabling. */
    public static final int MAX_CABLED_NODES = 255;

    private final int[] extents;
    private final int nodeCount;
    private final boolean isAnyCabling;

    private Shape(final int[] extents, final int nodeCount, final boolean isAnyCabling) {
        this.extents = extents;
        this.nodeCount = nodeCount;
        this.isAnyCabling = isAnyCabling;
    }

    /**
     * Makes a shape.
     *
     * @param extents coordinates in each dimension, {@code [dimensions]}, each 1 to 256.
     * @throws IllegalArgumentException if there are too many dimensions, coordinates or nodes.
     */
    public static Shape of(final int... extents) {
        if (extents.length < 1 || extents.length > MAX_DIMENSIONS) {
            throw new IllegalArgumentException(
                    "a shape has 1 to 8 dimensions, not " + extents.length);
        }
        long nodes = 1;
        for (final int extent : extents) {
            if (extent < 1 || extent > MAX_EXTENT) {
                throw new IllegalArgumentException(
                        "a dimension has 1 to 256 coordinates, not " + extent);
            }
            nodes *= extent;
            if (nodes > MAX_NODES) {
                throw new IllegalArgumentException(
                        "a shape has at most 2^20 nodes: " + Arrays.toString(extents));
            }
        }
        return new Shape(extents.clone(), (int) nodes, false);
    }

    /**
     * The numbers of nodes that are cabled in any way.
     *
     * @param maxNodes how many there may be, 2 to {@link #MAX_CABLED_NODES}.
     * @throws IllegalArgumentException if it is out of range.
     */
    public static Shape ofAnyCabling(final int maxNodes) {
        if (maxNodes < 2 || maxNodes > MAX_CABLED_NODES) {
            throw new IllegalArgumentException(
                    "there may be 2 to " + MAX_CABLED_NODES + " nodes, not " + maxNodes);
        }
        return new Shape(new int[] {maxNodes}, maxNodes, true);
    }

    /** True if the nodes are cabled in any way; false for a hyper-crossbar. */
    public boolean isAnyCabling() {
        return isAnyCabling;
    }

    /**
     * Reads {@code 3x3x3}.
     *
     * @throws IllegalArgumentException if it is not numbers joined by x, or not a shape.
     */
    public static Shape parse(final String text) {
        if (!text.matches("\\d{1,4}(x\\d{1,4})*")) {
            throw new IllegalArgumentException("a shape is written like 3x3x3, not '" + text + "'");
        }
        return of(Arrays.stream(text.split("x", -1)).mapToInt(Integer::parseInt).toArray());
    }

    /** Number of dimensions, 1 to 8. */
    public int dimensions() {
        return extents.length;
    }

    /** Number of coordinates in {@code dimension}. */
    public int extent(final int dimension) {
        return extents[dimension];
    }

    /**
     * Difference of the ids of two nodes whose coordinates differ by 1 in {@code dimension} only.
     */
    public int step(final int dimension) {
        int step = 1;
        for (int i = 0; i < dimension; i++) {
            step *= extents[i];
        }
        return step;
    }

    /** Number of nodes. */
    public int nodeCount() {
        return nodeCount;
    }

    /**
     * Coordinate vector of a node.
     *
     * @param node node id, 0 to {@link #nodeCount()} - 1.
     */
    public long coordinates(final int node) {
        if (node < 0 || node >= nodeCount) {
            throw new IllegalArgumentException("node must be 0.." + (nodeCount - 1) + ": " + node);
        }
        long vector = 0;
        int rest = node;
        for (int dimension = 0; dimension < extents.length; dimension++) {
            vector |= (long) (rest % extents[dimension]) << (8 * dimension);
            rest /= extents[dimension];
        }
        return vector;
    }

    /** Node id of a coordinate vector, or -1 when it lies outside the shape. Never throws. */
    public int node(final long coordinates) {
        int node = 0;
        for (int dimension = extents.length - 1; dimension >= 0; dimension--) {
            final int value = coordinate(coordinates, dimension);
            if (value >= extents[dimension]) {
                return -1;
            }
            node = node * extents[dimension] + value;
        }
        final boolean isClean =
                extents.length == MAX_DIMENSIONS || coordinates >>> (8 * extents.length) == 0;
        return isClean ? node : -1;
    }

    /** Coordinate of {@code dimension}, 0 to 255. */
    public static int coordinate(final long coordinates, final int dimension) {
        return (int) (coordinates >>> (8 * dimension)) & 0xFF;
    }

    /** The vector with the coordinate of one dimension replaced by {@code value}, 0 to 255. */
    public static long withCoordinate(
            final long coordinates, final int dimension, final int value) {
        final int shift = 8 * dimension;
        return (coordinates & ~(0xFFL << shift)) | (long) (value & 0xFF) << shift;
    }

    /** Hops between two nodes: dimensions in which they differ. */
    public static int distance(final long from, final long to) {
        int hops = 0;
        for (long rest = from ^ to; rest != 0; rest >>>= 8) {
            hops += (rest & 0xFF) != 0 ? 1 : 0;
        }
        return hops;
    }

    /** The vector as text: {@code 1,0,2}. */
    public String format(final long coordinates) {
        final StringBuilder text = new StringBuilder();
        for (int dimension = 0; dimension < extents.length; dimension++) {
            text.append(dimension == 0 ? "" : ",").append(coordinate(coordinates, dimension));
        }
        return text.toString();
    }

    /**
     * Reads {@code 1,0,2} as a vector inside this shape.
     *
     * @throws IllegalArgumentException with what is wrong with it.
     */
    public long parseCoordinates(final String text) {
        if (!text.matches("\\d{1,3}(,\\d{1,3})*")) {
            throw new IllegalArgumentException(
                    "coordinates are written like 1,0,2, not '" + text + "'");
        }
        final String[] parts = text.split(",", -1);
        if (parts.length != extents.length) {
            throw new IllegalArgumentException(
                    "'"
                            + text
                            + "' has "
                            + parts.length
                            + " coordinates, the shape "
                            + this
                            + " needs "
                            + extents.length);
        }
        long vector = 0;
        for (int dimension = 0; dimension < extents.length; dimension++) {
            final int value = Integer.parseInt(parts[dimension]);
            if (value >= extents[dimension]) {
                throw new IllegalArgumentException(
                        "coordinate "
                                + value
                                + " in '"
                                + text
                                + "' must be below "
                                + extents[dimension]
                                + " in the shape "
                                + this);
            }
            vector = withCoordinate(vector, dimension, value);
        }
        return vector;
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof Shape shape
                && isAnyCabling == shape.isAnyCabling
                && Arrays.equals(extents, shape.extents);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(extents);
    }

    /** The shape as text: {@code 3x3x3}, or {@code any cabling of up to 63 nodes}. */
    @Override
    public String toString() {
        if (isAnyCabling) {
            return "any cabling of up to " + nodeCount + " nodes";
        }
        return extentsText();
    }

    /** The coordinates that nodes may have, as programs read them: {@code 3x3x3}, {@code 63}. */
    public String extentsText() {
        final StringBuilder text = new StringBuilder();
        for (final int extent : extents) {
            text.append(text.isEmpty() ? "" : "x").append(extent);
        }
        return text.toString();
    }
}
