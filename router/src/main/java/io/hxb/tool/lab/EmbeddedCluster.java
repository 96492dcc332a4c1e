package io.hxb.tool.lab;

import io.hxb.config.ClusterConfig;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.NodeThreads;
import io.hxb.pm.PmDevice;
import io.hxb.tool.measure.Cluster;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All nodes of a cluster in this process, on one shared set of loops: best where virtual nodes
 * outnumber CPUs. Owned by the thread that made it.
 */
public final class EmbeddedCluster implements Cluster {
    private final ClusterConfig config;
    private final NodeThreads threads;
    private final List<Node> nodes = new ArrayList<>();
    private final Map<Integer, PmDevice> devices = new HashMap<>();

    /**
     * Starts every node.
     *
     * @throws ToolException when one cannot start, saying why; none then runs.
     */
    public EmbeddedCluster(final ClusterConfig config, final Capture capture) {
        this.config = config;
        threads = NodeThreads.start(config.loop());
        try {
            for (int node = 0; node < config.shape().nodeCount(); node++) {
                nodes.add(
                        Node.start(
                                capture.apply(
                                        new NodeOptions(
                                                config, node, threads, true, true, link -> link))));
            }
        } catch (final IOException e) {
            close();
            throw new ToolException("node " + nodes.size() + " cannot start: " + e.getMessage(), e);
        } catch (final RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public ClusterConfig config() {
        return config;
    }

    @Override
    public PmDevice device(final int node) {
        return devices.computeIfAbsent(node, key -> nodes.get(key).device());
    }

    @Override
    public List<Long> pids() {
        return List.of(ProcessHandle.current().pid());
    }

    @Override
    public void close() {
        devices.values().forEach(PmDevice::close);
        devices.clear();
        nodes.forEach(Node::close);
        nodes.clear();
        threads.close();
    }
}
