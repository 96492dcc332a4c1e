package io.hxb.tool.lab;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LoopConfig;
import io.hxb.node.LinkLog;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmDevice;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.machine.OpenJars;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * All nodes of a cluster in this process, on as many loops as there are CPUs: best where virtual
 * nodes outnumber CPUs. Neighbours run on different loops, so that a frame and its answer are not
 * the work of one thread. Owned by the thread that made it.
 */
public final class EmbeddedCluster implements Cluster {
    private static final long CROWDED_SPIN_NS = 5_000;

    private final ClusterConfig config;
    private final List<NodeThreads> threads = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Map<Integer, PmDevice> devices = new HashMap<>();

    /**
     * Starts every node.
     *
     * @throws ToolException when one cannot start, with the reason; none then runs.
     */
    public EmbeddedCluster(final ClusterConfig config, final Capture capture) {
        this.config = config;
        OpenJars.openAll();
        final int cpus = Runtime.getRuntime().availableProcessors();
        final int shares =
                Math.clamp(cpus / config.loop().loopCount(), 1, config.shape().nodeCount());
        final LoopConfig loop = placed(config.loop(), shares, cpus);
        for (int i = 0; i < shares; i++) {
            threads.add(NodeThreads.start(loop, i * loop.loopCount()));
        }
        try {
            for (int node = 0; node < config.shape().nodeCount(); node++) {
                nodes.add(
                        Node.start(
                                capture.apply(
                                        new NodeOptions(
                                                config,
                                                node,
                                                threadsOf(node),
                                                true,
                                                true,
                                                link -> link))));
            }
        } catch (final IOException e) {
            close();
            throw new ToolException("node " + nodes.size() + " cannot start: " + e.getMessage(), e);
        } catch (final RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Loops that fill all CPUs get one each, because the scheduler would put two on one for
     * milliseconds; and they hardly spin, because it is the application that waits for the CPU.
     */
    private static LoopConfig placed(final LoopConfig loop, final int shares, final int cpus) {
        if (shares * loop.loopCount() < cpus) {
            return loop;
        }
        return loop.withCpus(
                loop.cpus().isEmpty() ? IntStream.range(0, cpus).boxed().toList() : loop.cpus(),
                CROWDED_SPIN_NS);
    }

    private NodeThreads threadsOf(final int node) {
        final long coordinates = config.shape().coordinates(node);
        int sum = 0;
        for (int i = 0; i < config.shape().dimensions(); i++) {
            sum += Shape.coordinate(coordinates, i);
        }
        return threads.get(sum % threads.size());
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
    public void close() {
        devices.values().forEach(PmDevice::close);
        devices.clear();
        // Those that are still there miss those that are closed already.
        LinkLog.ofThisProcess().mute();
        try {
            nodes.forEach(Node::close);
        } finally {
            LinkLog.ofThisProcess().unmute();
        }
        nodes.clear();
        threads.forEach(NodeThreads::close);
        threads.clear();
    }
}
