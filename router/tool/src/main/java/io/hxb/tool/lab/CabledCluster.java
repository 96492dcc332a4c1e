package io.hxb.tool.lab;

import io.hxb.config.ClusterConfig;
import io.hxb.pm.PmDevice;
import io.hxb.tool.cluster.Cluster;

import java.util.OptionalInt;

/**
 * A cluster whose cables are known, so that it is known how far its nodes are from each other.
 * Owned by the thread that measures.
 */
final class CabledCluster implements Cluster {
    private final Cluster cluster;
    private final LabCabling cabling;

    /** Takes over a cluster. */
    CabledCluster(final Cluster cluster, final LabCabling cabling) {
        this.cluster = cluster;
        this.cabling = cabling;
    }

    @Override
    public ClusterConfig config() {
        return cluster.config();
    }

    @Override
    public PmDevice device(final int node) {
        return cluster.device(node);
    }

    @Override
    public OptionalInt hops(final int from, final int to) {
        return OptionalInt.of(cabling.distances(from)[to]);
    }

    @Override
    public void close() {
        cluster.close();
    }
}
