package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.IpConfig;
import io.hxb.config.LoopConfig;
import io.hxb.counter.CounterType;
import io.hxb.node.loop.NodeThreads;
import io.hxb.os.NetworkNamespace;
import io.hxb.tap.IpPrefix;
import io.hxb.tool.lab.Lab;
import io.hxb.tool.lab.LabCluster;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.machine.Shell;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Nodes of this process with virtual NICs in namespaces of a lab. Owned by the test. */
final class IpLab {
    static final IpPrefix PREFIX = IpPrefix.parse("10.77.0.0/24");
    private static final long SECOND = 1_000_000_000L;

    final List<Node> nodes = new ArrayList<>();
    final String name = "ip" + ProcessHandle.current().pid();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private ClusterConfig config;
    private NodeThreads threads;

    /** Begins, with two links in each dimension; {@link #remove} follows also when this fails. */
    void start(final Path folder, final Shape shape, final long rateBps, final int mtu)
            throws IOException {
        final LabSpec spec = new LabSpec(name, shape, 2, Backend.RAW, rateBps, mtu);
        config =
                LabCluster.config(keep(Lab.up(new LabRegistry(folder.resolve("run/labs")), spec)))
                        .withIp(IpConfig.DEFAULT.withPrefixes(List.of(PREFIX)));
        threads = keep(NodeThreads.start(LoopConfig.DEFAULT));
        for (int id = 0; id < shape.nodeCount(); id++) {
            nodes.add(startNode(id));
        }
        awaitNeighbours();
    }

    /** Something that is closed before the nodes. */
    <T extends AutoCloseable> T keep(final T resource) {
        open.push(resource);
        return resource;
    }

    private Node startNode(final int id) throws IOException {
        return keep(Node.start(NodeOptions.embedded(config, id, threads)));
    }

    /** Starts a node again that was closed. */
    void restart(final int id) throws IOException {
        nodes.set(id, startNode(id));
        awaitNeighbours();
    }

    private void awaitNeighbours() {
        for (final Node node : nodes) {
            assertTrue(node.awaitNeighbours(20 * SECOND), () -> node.silentNeighbours().toString());
        }
    }

    String namespace(final int node) {
        return LabNames.namespace(name, node);
    }

    /** Runs the command {@code ip} in the namespace of a node. */
    void ip(final int node, final String arguments) {
        final List<String> command = new ArrayList<>(List.of("ip", "-n", namespace(node)));
        command.addAll(List.of(arguments.split(" ")));
        Shell.check("", command);
    }

    long sum(final CounterType type) {
        return nodes.stream().mapToLong(node -> node.counters().sum(type)).sum();
    }

    ServerSocket listen(final int node) throws IOException {
        return keep(
                NetworkNamespace.run(
                        namespace(node),
                        () -> new ServerSocket(0, 1, InetAddress.getByName(PREFIX.address(node)))));
    }

    Socket connect(final int from, final ServerSocket to, final int timeoutMs) throws IOException {
        return keep(
                NetworkNamespace.run(
                        namespace(from),
                        () -> {
                            final Socket socket = new Socket();
                            socket.connect(to.getLocalSocketAddress(), timeoutMs);
                            return socket;
                        }));
    }

    /** Closes everything, in reverse order. */
    void remove() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
