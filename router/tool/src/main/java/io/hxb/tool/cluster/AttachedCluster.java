package io.hxb.tool.cluster;

import io.hxb.config.ClusterConfig;
import io.hxb.pm.PmDevice;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * A cluster whose nodes are other processes; those on this machine are attached to by their Unix
 * sockets. Owned by the thread that measures.
 */
public final class AttachedCluster implements Cluster {
    private final ClusterConfig config;
    private final Map<Integer, PmDevice> devices = new HashMap<>();

    /** Makes one; nothing is attached to yet. */
    public AttachedCluster(final ClusterConfig config) {
        this.config = config;
    }

    @Override
    public ClusterConfig config() {
        return config;
    }

    @Override
    public PmDevice device(final int node) {
        final PmDevice known = devices.get(node);
        if (known != null) {
            return known;
        }
        try {
            final PmDevice device = PmDevice.attach(config.socketPath(node));
            devices.put(node, device);
            return device;
        } catch (final IOException e) {
            throw new ToolException(e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        devices.values().forEach(PmDevice::close);
        devices.clear();
    }
}
