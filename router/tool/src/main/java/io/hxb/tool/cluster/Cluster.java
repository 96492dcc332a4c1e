package io.hxb.tool.cluster;

import io.hxb.config.ClusterConfig;
import io.hxb.pm.PmDevice;
import io.hxb.topology.Shape;

import java.util.OptionalInt;

/**
 * A running cluster as measurements see it: devices of those nodes that this process can reach.
 * Owned by the thread that measures.
 */
public interface Cluster extends AutoCloseable {
    /** The configuration that all its nodes have. */
    ClusterConfig config();

    /**
     * The device of a node, opened on first use and closed with the cluster.
     *
     * @throws io.hxb.tool.report.ToolException when the node cannot be attached to from here.
     */
    PmDevice device(int node);

    /**
     * Links on a shortest path between two nodes.
     *
     * @return empty if it is not known, as with {@code cabling: any}.
     */
    default OptionalInt hops(final int from, final int to) {
        final Shape shape = config().shape();
        return shape.isAnyCabling()
                ? OptionalInt.empty()
                : OptionalInt.of(Shape.distance(shape.coordinates(from), shape.coordinates(to)));
    }

    @Override
    void close();
}
