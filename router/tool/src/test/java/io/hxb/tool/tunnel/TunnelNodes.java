package io.hxb.tool.tunnel;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.NodeThreads;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import picocli.CommandLine;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Two nodes with two UDP links in this process, and tunnels and services of them. */
public final class TunnelNodes implements AutoCloseable {
    /** Longest wait for anything. */
    public static final int LIMIT_MS = 30_000;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final ClusterConfig config;
    private final Path file;

    /** Starts them; their sockets and the cluster file are in a folder. */
    public TunnelNodes(final Path folder) throws IOException {
        config =
                ClusterConfig.of(
                                "tunnel",
                                Shape.of(2),
                                Backend.UDP,
                                LinkPlan.udp(1, 2, TestPorts.take(4)))
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()))
                        .withHosts(Map.of("beta", 1L));
        file = Files.writeString(folder.resolve("cluster.yaml"), ClusterConfigYaml.write(config));
        final NodeThreads threads =
                keep(
                        NodeThreads.start(
                                new LoopConfig(1, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0)));
        for (int id = 0; id < 2; id++) {
            nodes.add(
                    keep(
                            Node.start(
                                    new NodeOptions(
                                            config, id, threads, true, false, link -> link))));
        }
        for (final Node node : nodes) {
            assertTrue(node.awaitNeighbours(LIMIT_MS * 1_000_000L));
        }
    }

    /** Their configuration. */
    public ClusterConfig config() {
        return config;
    }

    /** The cluster file. */
    public Path file() {
        return file;
    }

    /** Attaches a tunnel to a node, with these options of its command. */
    public Tunnel tunnel(final int node, final String... arguments) throws IOException {
        final TunnelOptions options = new TunnelOptions();
        new CommandLine(
                        CommandLine.Model.CommandSpec.wrapWithoutInspection(new Object())
                                .addMixin(
                                        "all",
                                        CommandLine.Model.CommandSpec.forAnnotatedObject(options)))
                .parseArgs(arguments);
        return keep(Tunnel.attach(config, config.socketPath(node), options));
    }

    /** A service on a free port of the loopback address. */
    public ServerSocket service() throws IOException {
        final ServerSocket service = new ServerSocket();
        service.setReceiveBufferSize(1 << 16);
        service.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1000);
        service.setSoTimeout(LIMIT_MS);
        return keep(service);
    }

    /** Exposes a service of node 1 under port 80. */
    public Tunnel expose(final ServerSocket service, final String... arguments) throws IOException {
        final Tunnel tunnel = tunnel(1, arguments);
        tunnel.expose(
                80,
                List.of(
                        new InetSocketAddress(
                                InetAddress.getLoopbackAddress(), service.getLocalPort())));
        return tunnel;
    }

    /** A connection to a port of the loopback address. */
    public Socket connect(final InetSocketAddress address) throws IOException {
        final Socket socket = keep(new Socket());
        socket.connect(address, LIMIT_MS);
        socket.setSoTimeout(LIMIT_MS);
        return socket;
    }

    /** The next connection to a service. */
    public Socket accept(final ServerSocket service) throws IOException {
        final Socket socket = keep(service.accept());
        socket.setSoTimeout(LIMIT_MS);
        return socket;
    }

    /** Any free port of the loopback address. */
    public static InetSocketAddress any() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Closes something with the nodes. */
    public <T extends AutoCloseable> T keep(final T resource) {
        open.add(resource);
        return resource;
    }

    /** Waits for a condition. */
    public static void await(final String what, final Callable<Boolean> condition)
            throws Exception {
        final long startNs = System.nanoTime();
        while (!condition.call()) {
            if (System.nanoTime() - startNs > LIMIT_MS * 1_000_000L) {
                fail("waited in vain for " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void close() {
        while (!open.isEmpty()) {
            try {
                open.removeLast().close();
            } catch (final Exception e) {
                throw new AssertionError(e);
            }
        }
    }
}
