package io.hxb.node.ip;

/** What a node knows of those on its lines. */
@FunctionalInterface
public interface Neighbours {
    /** True if at least one link leads to the neighbour with that coordinate; any thread. */
    boolean isReached(int dimension, int coordinate);
}
