package io.hxb.tool.cluster;

import io.hxb.config.ClusterConfig;
import io.hxb.pm.PmDevice;

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

    @Override
    void close();
}
