package io.hxb.node.ip;

import io.hxb.topology.Shape;

/**
 * Along which nodes a packet for all nodes spreads, as a pure function of where it began. Within a
 * line it is a binomial tree, and lines are taken in the order of dimensions: a node passes a
 * packet on within the dimension by which it came and in those after it. So nobody sends more
 * copies than the sum over all dimensions of the binary logarithm of the extent, rounded up, while
 * all nodes pass packets on. Immutable; any thread.
 *
 * <p>A node is responsible for the nodes below it, and hands each part of them to one child or
 * keeps it. These parts are disjoint and smaller than the whole, whatever each node believes of the
 * others: so no node gets a packet twice, and none goes round in circles.
 *
 * <p>Source: Johnsson and Ho, Optimum broadcasting and personalized communication in hypercubes,
 * 1989, 3.1 (spanning binomial tree).
 */
final class BroadcastTree {
    private final Shape shape;

    BroadcastTree(final Shape shape) {
        this.shape = shape;
    }

    /** Sends copies. */
    @FunctionalInterface
    interface Sender {
        /**
         * Sends a copy to a node if it can.
         *
         * @return true if that node gets it and passes it on to all nodes below it.
         */
        boolean send(int node);
    }

    /**
     * Visits the nodes below one, without those below nodes that pass the packet on.
     *
     * @param origin node where the packet began.
     * @param node that has it.
     */
    void spread(final int origin, final int node, final Sender sender) {
        final long begin = shape.coordinates(origin);
        final long here = shape.coordinates(node);
        for (int dimension = lastDimension(begin, here);
                dimension < shape.dimensions();
                dimension++) {
            final int extent = shape.extent(dimension);
            final int position = position(begin, here, dimension);
            final int first = Shape.coordinate(begin, dimension);
            for (int step = Integer.highestOneBit(position) << 1 | (position == 0 ? 1 : 0);
                    position + step < extent;
                    step <<= 1) {
                final int child =
                        shape.node(
                                Shape.withCoordinate(
                                        here, dimension, (first + position + step) % extent));
                if (!sender.send(child)) {
                    spread(origin, child, sender);
                }
            }
        }
    }

    /** True if a node is below another one, which may thus have passed the packet on to it. */
    boolean isBelow(final int origin, final int node, final int above) {
        final long begin = shape.coordinates(origin);
        final long end = shape.coordinates(above);
        long here = shape.coordinates(node);
        while (here != begin) {
            here = parent(begin, here);
            if (here == end) {
                return true;
            }
        }
        return false;
    }

    private long parent(final long begin, final long here) {
        final int dimension = lastDimension(begin, here);
        final int position = position(begin, here, dimension);
        final int above = position - Integer.highestOneBit(position);
        final int first = Shape.coordinate(begin, dimension);
        return Shape.withCoordinate(here, dimension, (first + above) % shape.extent(dimension));
    }

    /** The last dimension in which two nodes differ; 0 for the same one. */
    private int lastDimension(final long begin, final long here) {
        int dimension = shape.dimensions() - 1;
        while (dimension > 0
                && Shape.coordinate(begin, dimension) == Shape.coordinate(here, dimension)) {
            dimension--;
        }
        return dimension;
    }

    /** Of a node in its line, from the first node of the tree there. */
    private int position(final long begin, final long here, final int dimension) {
        final int distance = Shape.coordinate(here, dimension) - Shape.coordinate(begin, dimension);
        return distance < 0 ? distance + shape.extent(dimension) : distance;
    }
}
