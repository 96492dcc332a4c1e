package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.IpConfig;
import io.hxb.config.LoopConfig;
import io.hxb.counter.CounterType;
import io.hxb.node.loop.NodeThreads;
import io.hxb.os.NetworkNamespace;
import io.hxb.tap.IpPrefix;
import io.hxb.tap.IpRoute;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.Lab;
import io.hxb.tool.lab.LabCluster;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A host behind a node that is its gateway, and another node: host - (1) - (0). */
@Tag("system")
class IpRouteSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Shape SHAPE = Shape.of(2);
    private static final int NODE = 0;
    private static final int GATEWAY = 1;
    private static final int BYTES = 20_000_000;
    private static final List<IpPrefix> PREFIXES =
            List.of(IpPrefix.parse("10.77.0.0/24"), IpPrefix.parse("fd68:7862::/64"));
    private static final List<IpRoute> ROUTES =
            List.of(IpRoute.parse("10.9.0.0/24 via 1"), IpRoute.parse("fd09::/64 via 1"));

    @TempDir private Path folder;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<Node> nodes = new ArrayList<>();
    private String node;
    private String host;

    @BeforeEach
    void start() throws IOException {
        TestNamespaces.assumeRoot();
        final String lab = "iproute" + ProcessHandle.current().pid();
        final LabSpec spec = new LabSpec(lab, SHAPE, 1, Backend.RAW, 0, 1_500);
        final ClusterConfig config =
                LabCluster.config(keep(Lab.up(new LabRegistry(folder.resolve("run/labs")), spec)))
                        .withIp(IpConfig.DEFAULT.withPrefixes(PREFIXES).withRoutes(ROUTES));
        node = LabNames.namespace(lab, NODE);
        addHost(LabNames.namespace(lab, GATEWAY));
        final NodeThreads threads = keep(NodeThreads.start(LoopConfig.DEFAULT));
        for (int id = 0; id < SHAPE.nodeCount(); id++) {
            nodes.add(keep(Node.start(NodeOptions.embedded(config, id, threads))));
        }
        for (final Node each : nodes) {
            assertTrue(each.awaitNeighbours(20 * SECOND), () -> each.silentNeighbours().toString());
        }
    }

    private void addHost(final String gateway) {
        final TestNamespaces namespaces = keep(new TestNamespaces());
        host = namespaces.add("host");
        namespaces.veth(gateway, "lan0", host, "eth0", 1_500);
        // Labs have none.
        TestNamespaces.exec(gateway, "sysctl", "-qw", "net.ipv6.conf.lan0.disable_ipv6=0");
        TestNamespaces.ipIn(
                gateway,
                "address add 10.9.0.1/24 dev lan0",
                "address add fd09::1/64 dev lan0 nodad");
        TestNamespaces.ipIn(
                host,
                "address add 10.9.0.2/24 dev eth0",
                "address add fd09::2/64 dev eth0 nodad",
                "route add 10.77.0.0/24 via 10.9.0.1",
                "route add fd68:7862::/64 via fd09::1");
        TestNamespaces.exec(gateway, "sysctl", "-qw", "net.ipv4.ip_forward=1");
        TestNamespaces.exec(gateway, "sysctl", "-qw", "net.ipv6.conf.all.forwarding=1");
    }

    @AfterEach
    void removeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private <T extends AutoCloseable> T keep(final T resource) {
        open.push(resource);
        return resource;
    }

    private static boolean answersPing(final String from, final String address) throws IOException {
        return NetworkNamespace.run(from, () -> InetAddress.getByName(address).isReachable(5_000));
    }

    /** Sends bytes by TCP to an address of a namespace; what arrived. */
    private byte[] transfer(
            final String from, final String to, final String address, final byte[] bytes)
            throws Exception {
        final ServerSocket listening =
                keep(
                        NetworkNamespace.run(
                                to, () -> new ServerSocket(0, 1, InetAddress.getByName(address))));
        final CompletableFuture<byte[]> received =
                CompletableFuture.supplyAsync(() -> receive(listening));
        try (Socket socket =
                NetworkNamespace.run(
                        from,
                        () -> {
                            final Socket made = new Socket();
                            made.connect(listening.getLocalSocketAddress(), 10_000);
                            return made;
                        })) {
            socket.getOutputStream().write(bytes);
        }
        return received.get(60, TimeUnit.SECONDS);
    }

    private static byte[] receive(final ServerSocket listening) {
        try (Socket socket = listening.accept()) {
            return socket.getInputStream().readAllBytes();
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource({"10.77.0.1, 10.9.0.2", "fd68:7862::1, fd09::2"})
    void shouldReachAHostBehindAGatewayAndBeReachedFromThere(
            final String ofNode, final String ofHost) throws Exception {
        // given
        final byte[] bytes = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            bytes[i] = (byte) ((i * 31) >> 3);
        }
        // when, then
        assertTrue(answersPing(node, ofHost), "the host answers the node");
        assertTrue(answersPing(host, ofNode), "the node answers the host");
        assertArrayEquals(bytes, transfer(node, host, ofHost, bytes));
        assertArrayEquals(bytes, transfer(host, node, ofNode, bytes));
        for (final Node each : nodes) {
            assertTrue(each.counters().sum(CounterType.IP_RECEIVED_BYTES) > BYTES);
            assertEquals(0, each.counters().sum(CounterType.IP_REFUSED_PACKETS));
        }
    }
}
