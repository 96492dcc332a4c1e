package io.hxb.tool.measure;

import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Two nodes, from one of which messages go to the other. Immutable.
 *
 * @param from node id of the sender.
 * @param to node id of the receiver.
 */
public record Pair(int from, int to) {
    /** All ordered pairs of different nodes. */
    public static List<Pair> all(final Shape shape) {
        final List<Pair> pairs = new ArrayList<>();
        for (int from = 0; from < shape.nodeCount(); from++) {
            for (int to = 0; to < shape.nodeCount(); to++) {
                if (from != to) {
                    pairs.add(new Pair(from, to));
                }
            }
        }
        return pairs;
    }

    /** From {@code from} to one node at each distance: 1 hop, 2 hops and so on. */
    public static List<Pair> oneOfEachDistance(final Shape shape, final int from) {
        final List<Pair> pairs = new ArrayList<>();
        long vector = shape.coordinates(from);
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            final int extent = shape.extent(dimension);
            if (extent > 1) {
                final int next = (Shape.coordinate(vector, dimension) + 1) % extent;
                vector = Shape.withCoordinate(vector, dimension, next);
                pairs.add(new Pair(from, shape.node(vector)));
            }
        }
        return pairs;
    }

    /**
     * The same where no shape shows how far nodes are from each other.
     *
     * @param hops links from {@code from} to each node, {@code [nodes]}.
     */
    public static List<Pair> oneOfEachDistance(final int[] hops, final int from) {
        final Map<Integer, Pair> pairs = new TreeMap<>();
        for (int to = 0; to < hops.length; to++) {
            if (hops[to] > 0) {
                pairs.putIfAbsent(hops[to], new Pair(from, to));
            }
        }
        return List.copyOf(pairs.values());
    }
}
