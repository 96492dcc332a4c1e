package io.hxb.node;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.FlowConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.link.Link;
import io.hxb.node.loop.NodeThreads;
import io.hxb.topology.Shape;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * All nodes of a cluster over UDP in this process, which programs can attach to, and whatever else
 * a test opens. Used by one thread.
 */
final class UdpNodes {
    private static final int LINKS = 2;
    private static final int CONTEXTS = 16;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final ClusterConfig config;
    private final UnaryOperator<Link> wrapper;

    private UdpNodes(final ClusterConfig config, final UnaryOperator<Link> wrapper) {
        this.config = config;
        this.wrapper = wrapper;
    }

    /**
     * Starts them, on the loops of one set of threads.
     *
     * @param folder for their sockets.
     * @param basePort first of the UDP ports.
     */
    static UdpNodes start(
            final String name, final Shape shape, final Path folder, final int basePort)
            throws Exception {
        return start(name, shape, folder, basePort, FlowConfig.DEFAULT, link -> link);
    }

    /**
     * The same with flows of another kind.
     *
     * @param wrapper put around each link.
     */
    static UdpNodes start(
            final String name,
            final Shape shape,
            final Path folder,
            final int basePort,
            final FlowConfig flow,
            final UnaryOperator<Link> wrapper)
            throws Exception {
        final ClusterConfig config =
                ClusterConfig.of(
                                name,
                                shape,
                                Backend.UDP,
                                LinkPlan.udp(shape.dimensions(), LINKS, basePort))
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()))
                        .withContext(new ContextConfig(CONTEXTS, 0))
                        .withFlow(flow);
        final UdpNodes started = new UdpNodes(config, wrapper);
        try {
            started.startAll();
        } catch (final Exception e) {
            started.close();
            throw e;
        }
        return started;
    }

    private void startAll() throws Exception {
        final NodeThreads threads = keep(NodeThreads.start(LoopConfig.DEFAULT));
        for (int id = 0; id < config.shape().nodeCount(); id++) {
            nodes.add(keep(Node.start(new NodeOptions(config, id, threads, true, false, wrapper))));
        }
    }

    /** Closes {@code resource} with the nodes, and before them. */
    <T extends AutoCloseable> T keep(final T resource) {
        open.add(resource);
        return resource;
    }

    /** Where programs attach to a node. */
    String socket(final int node) {
        return config.ownSocketPath(node).toString();
    }

    Node node(final int node) {
        return nodes.get(node);
    }

    /** Closes all that was opened, last first. */
    void close() throws Exception {
        for (final AutoCloseable resource : open.reversed()) {
            resource.close();
        }
    }
}
