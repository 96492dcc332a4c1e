package io.hxb.routing;

import io.hxb.topology.Shape;

/**
 * Finds the cheapest path between two nodes when some hops cannot be used. Owned by one thread; no
 * result depends on earlier ones.
 *
 * <p>In shapes of up to 512 nodes every node may be passed. In larger ones a part of that size is
 * searched: in every dimension the coordinates of both ends, and as many more as there is room for.
 * {@code shift} selects these, so that searches with different values eventually reach all nodes.
 */
public final class PathSearch {
    private static final int MAX_NODES = 512;

    private final Shape shape;
    private final int[][] coordinates;
    private final int[] counts;
    private final long[] vectors = new long[MAX_NODES];
    private final int[] distances = new int[MAX_NODES];
    private final int[] before = new int[MAX_NODES];
    private final int[] queue = new int[MAX_NODES];
    private final boolean[] isQueued = new boolean[MAX_NODES];

    /** What it costs to cross one link; pure during a search. */
    @FunctionalInterface
    public interface HopCosts {
        /** The hop cannot be used. */
        int CLOSED = Integer.MAX_VALUE;

        /**
         * Cost of a hop.
         *
         * @param from coordinate vector.
         * @param to coordinate vector that differs in {@code dimension} only.
         * @return 1 to 65,535, or {@link #CLOSED}.
         */
        int cost(long from, long to, int dimension);
    }

    /** Makes a search for one shape. */
    public PathSearch(final Shape shape) {
        this.shape = shape;
        counts = new int[shape.dimensions()];
        coordinates = new int[shape.dimensions()][];
        for (int dimension = 0; dimension < coordinates.length; dimension++) {
            coordinates[dimension] = new int[shape.extent(dimension)];
        }
    }

    /**
     * Searches.
     *
     * @param shift 0 or more; matters only in shapes of more than 512 nodes.
     * @param nodes filled with the vectors of the path, {@code from} first, {@code to} last.
     * @return the number of nodes; -1 if there is no path, or none that fits into the array.
     */
    public int find(
            final long from,
            final long to,
            final int shift,
            final HopCosts costs,
            final long[] nodes) {
        final int nodeCount = choose(from, to, shift);
        final int start = index(from);
        final int end = index(to);
        java.util.Arrays.fill(distances, 0, nodeCount, Integer.MAX_VALUE);
        distances[start] = 0;
        before[start] = -1;
        queue[0] = start;
        isQueued[start] = true;
        int head = 0;
        int waiting = 1;
        while (waiting > 0) {
            final int node = queue[head];
            head = head + 1 == MAX_NODES ? 0 : head + 1;
            waiting--;
            isQueued[node] = false;
            waiting = expand(node, end, costs, head, waiting);
        }
        return distances[end] == Integer.MAX_VALUE ? -1 : collect(end, nodes);
    }

    private int expand(
            final int node,
            final int end,
            final HopCosts costs,
            final int head,
            final int waitingBefore) {
        int waiting = waitingBefore;
        int stride = 1;
        for (int dimension = 0; dimension < counts.length; dimension++) {
            final int place = node / stride % counts[dimension];
            for (int other = 0; other < counts[dimension]; other++) {
                final int next = node + (other - place) * stride;
                if (other == place) {
                    continue;
                }
                final int cost = costs.cost(vectors[node], vectors[next], dimension);
                if (cost == HopCosts.CLOSED) {
                    continue;
                }
                final int distance = distances[node] + cost;
                if (distance < distances[next] && distance < distances[end]) {
                    distances[next] = distance;
                    before[next] = node;
                    if (!isQueued[next]) {
                        isQueued[next] = true;
                        queue[(head + waiting++) % MAX_NODES] = next;
                    }
                }
            }
            stride *= counts[dimension];
        }
        return waiting;
    }

    private int collect(final int end, final long[] nodes) {
        int count = 0;
        for (int node = end; node >= 0; node = before[node]) {
            count++;
        }
        if (count > nodes.length) {
            return -1;
        }
        int place = count;
        for (int node = end; node >= 0; node = before[node]) {
            nodes[--place] = vectors[node];
        }
        return count;
    }

    /** Chooses the coordinates to look at and lists the nodes they make; returns their number. */
    private int choose(final long from, final long to, final int shift) {
        int product = 1;
        for (int dimension = 0; dimension < counts.length; dimension++) {
            final int first = Shape.coordinate(from, dimension);
            final int last = Shape.coordinate(to, dimension);
            coordinates[dimension][0] = first;
            counts[dimension] = 1;
            if (last != first) {
                coordinates[dimension][counts[dimension]++] = last;
            }
            product *= counts[dimension];
        }
        boolean isGrowing = true;
        while (isGrowing) {
            isGrowing = false;
            for (int dimension = 0; dimension < counts.length; dimension++) {
                final int count = counts[dimension];
                if (count < shape.extent(dimension) && product / count * (count + 1) <= MAX_NODES) {
                    product = product / count * (count + 1);
                    add(dimension, shift);
                    isGrowing = true;
                }
            }
        }
        list(product);
        return product;
    }

    private void add(final int dimension, final int shift) {
        final int extent = shape.extent(dimension);
        int candidate = (int) ((coordinates[dimension][0] + 1L + shift) % extent);
        while (isChosen(dimension, candidate)) {
            candidate = candidate + 1 == extent ? 0 : candidate + 1;
        }
        coordinates[dimension][counts[dimension]++] = candidate;
    }

    private boolean isChosen(final int dimension, final int candidate) {
        for (int i = 0; i < counts[dimension]; i++) {
            if (coordinates[dimension][i] == candidate) {
                return true;
            }
        }
        return false;
    }

    private void list(final int nodeCount) {
        for (int node = 0; node < nodeCount; node++) {
            long vector = 0;
            int rest = node;
            for (int dimension = 0; dimension < counts.length; dimension++) {
                final int coordinate = coordinates[dimension][rest % counts[dimension]];
                vector = Shape.withCoordinate(vector, dimension, coordinate);
                rest /= counts[dimension];
            }
            vectors[node] = vector;
        }
    }

    private int index(final long vector) {
        int index = 0;
        for (int dimension = counts.length - 1; dimension >= 0; dimension--) {
            int place = 0;
            while (coordinates[dimension][place] != Shape.coordinate(vector, dimension)) {
                place++;
            }
            index = index * counts[dimension] + place;
        }
        return index;
    }
}
