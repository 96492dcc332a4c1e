package io.hxb.stream;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.FlowConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.link.Link;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmDevice;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.pm.stream.StreamOptions;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/** Two nodes with two UDP links on loopback, in this process: RI2N's two hosts. */
final class StreamNodes implements AutoCloseable {
    static final long SECOND = 1_000_000_000L;
    static final long LIMIT = 30 * SECOND;

    /** So that silent peers are noticed soon. */
    static final StreamOptions OPTIONS =
            StreamOptions.DEFAULT.withKeepAliveNs(SECOND / 5).withWindowBytes(1 << 18);

    private static final int PORTS = 4;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<List<AutoCloseable>> users = List.of(new ArrayList<>(), new ArrayList<>());
    private final Node[] nodes = new Node[2];
    private final ClusterConfig config;
    private final NodeThreads invoker;
    private final UnaryOperator<Link> wrapper;
    private final NodeThreads[] threads = new NodeThreads[2];

    StreamNodes() throws IOException {
        this(null);
    }

    /** Both nodes on the caller's thread, unless {@code invoker} is null. */
    StreamNodes(final NodeThreads invoker) throws IOException {
        this(invoker, link -> link);
    }

    /** The same with something around each link. */
    StreamNodes(final NodeThreads invoker, final UnaryOperator<Link> wrapper) throws IOException {
        this(invoker, wrapper, FlowConfig.DEFAULT);
    }

    /** The same with other flows. */
    StreamNodes(final NodeThreads invoker, final UnaryOperator<Link> wrapper, final FlowConfig flow)
            throws IOException {
        this.invoker = invoker;
        this.wrapper = wrapper;
        config =
                ClusterConfig.of(
                                "test",
                                Shape.of(2),
                                Backend.UDP,
                                LinkPlan.udp(1, 2, TestPorts.take(PORTS)))
                        .withFlow(flow);
        startNode(0);
        startNode(1);
        awaitNeighbours();
    }

    /** Starts a node, for the first time or again. */
    void startNode(final int id) throws IOException {
        threads[id] = invoker;
        if (invoker == null) {
            threads[id] =
                    NodeThreads.start(
                            new LoopConfig(1, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0));
        }
        nodes[id] = Node.start(NodeOptions.embedded(config, id, threads[id]).withWrapper(wrapper));
    }

    void awaitNeighbours() {
        for (final Node node : nodes) {
            assertTrue(node.awaitNeighbours(LIMIT), () -> node.silentNeighbours().toString());
        }
    }

    PmDevice device(final int node) {
        final PmDevice device = nodes[node].device();
        users.get(node).add(device);
        return device;
    }

    HxbStreams streams(final int node) throws IOException {
        return streams(node, OPTIONS);
    }

    HxbStreams streams(final int node, final StreamOptions options) throws IOException {
        final HxbStreams streams = HxbStreams.open(device(node), options);
        users.get(node).add(streams);
        return streams;
    }

    /** Runs the nodes' loop on the caller's thread, if it has none of its own. */
    void run() {
        invoker.run(0);
    }

    /** Stops a node; its contexts that end their streams do so, others vanish with it. */
    void stopNode(final int id) {
        closeUsers(id);
        closeNode(id);
    }

    private void closeNode(final int id) {
        nodes[id].close();
        if (invoker == null) {
            threads[id].close();
        }
    }

    private void closeUsers(final int id) {
        final List<AutoCloseable> list = users.get(id);
        while (!list.isEmpty()) {
            close(list.removeLast());
        }
    }

    void keep(final AutoCloseable resource) {
        open.add(resource);
    }

    @Override
    public void close() {
        while (!open.isEmpty()) {
            close(open.removeLast());
        }
        closeUsers(0);
        closeUsers(1);
        closeNode(0);
        closeNode(1);
        if (invoker != null) {
            invoker.close();
        }
    }

    private static void close(final AutoCloseable resource) {
        try {
            resource.close();
        } catch (final Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Waits for a condition. */
    static void await(final String what, final Callable<Boolean> condition) throws Exception {
        final long startNs = System.nanoTime();
        while (!condition.call()) {
            if (System.nanoTime() - startNs > LIMIT) {
                fail("waited in vain for " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
