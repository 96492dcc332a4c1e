package io.hxb.tool.chaos.script;

import io.hxb.config.Dimensions;
import io.hxb.topology.Shape;

/**
 * What joins one NIC of a node to its switch. Immutable.
 *
 * @param node node id.
 * @param dimension from 0.
 * @param link number of the link in its dimension, from 0.
 */
public record Cable(int node, int dimension, int link) {
    /** As people write it: {@code x.0 of (1,0)}. */
    public String format(final Shape shape) {
        return Dimensions.name(dimension)
                + "."
                + link
                + " of ("
                + shape.format(shape.coordinates(node))
                + ")";
    }
}
