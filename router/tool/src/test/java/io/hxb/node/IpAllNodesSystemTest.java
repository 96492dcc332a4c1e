package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.os.NetworkNamespace;
import io.hxb.testing.TestNamespaces;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.NoRouteToHostException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Programs that ask all nodes at once, as mDNS and DHCP do, and those that ask a node that is gone,
 * by the virtual NICs of real nodes: node 3 gets what node 0 sends to all from node 1.
 */
@Tag("system")
class IpAllNodesSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Shape SHAPE = Shape.of(2, 2);
    private static final int FAR = 3;
    private static final int WAIT_MS = 60_000;
    private static final int MAX_TRIES = 5;
    private static final int MDNS_PORT = 5_353;
    private static final int DHCP_SERVER = 67;
    private static final int DHCP_CLIENT = 68;
    private static final int BYTES = 100_000;

    @TempDir private Path folder;
    private final IpLab lab = new IpLab();

    @BeforeEach
    void start() throws IOException {
        TestNamespaces.assumeRoot();
        lab.start(folder, SHAPE, 2_000_000_000L, 9_000);
    }

    @AfterEach
    void removeAll() throws Exception {
        lab.remove();
    }

    private static void send(
            final DatagramSocket socket, final String text, final InetSocketAddress to)
            throws IOException {
        final byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        socket.send(new DatagramPacket(bytes, bytes.length, to));
    }

    private static String receive(final DatagramSocket socket) throws IOException {
        final DatagramPacket packet = new DatagramPacket(new byte[100], 100);
        socket.receive(packet);
        return packet.getAddress().getHostAddress()
                + " "
                + new String(packet.getData(), 0, packet.getLength(), StandardCharsets.US_ASCII);
    }

    private MulticastSocket joined(final int node, final InetSocketAddress group)
            throws IOException {
        return lab.keep(
                NetworkNamespace.run(
                        lab.namespace(node),
                        () -> {
                            final MulticastSocket socket = new MulticastSocket(MDNS_PORT);
                            final NetworkInterface nic = NetworkInterface.getByName("hxb0");
                            socket.joinGroup(group, nic);
                            socket.setNetworkInterface(nic);
                            socket.setTimeToLive(255);
                            socket.setSoTimeout(WAIT_MS);
                            return socket;
                        }));
    }

    @Test
    void shouldCarryQuestionsAndAnswersByMulticast() throws Exception {
        // given
        final InetSocketAddress group =
                new InetSocketAddress(InetAddress.getByName("224.0.0.251"), MDNS_PORT);
        final List<MulticastSocket> sockets = new ArrayList<>();
        for (int node = 0; node < SHAPE.nodeCount(); node++) {
            sockets.add(joined(node, group));
        }
        // when
        send(sockets.getFirst(), "who", group);
        for (int node = 1; node < SHAPE.nodeCount(); node++) {
            assertEquals("10.77.0.1 who", receive(sockets.get(node)));
        }
        for (int node = 1; node < SHAPE.nodeCount(); node++) {
            send(sockets.get(node), "node " + node, group);
        }
        // then
        final Set<String> answers = new TreeSet<>();
        while (answers.size() < SHAPE.nodeCount() - 1) {
            final String answer = receive(sockets.getFirst());
            assertTrue(answer.endsWith("who") || answers.add(answer), "twice: " + answer);
        }
        assertEquals(Set.of("10.77.0.2 node 1", "10.77.0.3 node 2", "10.77.0.4 node 3"), answers);
        TestNamespaces.await(
                "they were passed on", () -> lab.sum(CounterType.IP_FORWARDED_PACKETS) > 0);
        assertEquals(0, lab.sum(CounterType.IP_REFUSED_PACKETS));
    }

    private DatagramSocket bound(final int node, final int port) throws IOException {
        lab.ip(node, "route add 255.255.255.255 dev hxb0");
        return lab.keep(
                NetworkNamespace.run(
                        lab.namespace(node),
                        () -> {
                            final DatagramSocket socket = new DatagramSocket(port);
                            socket.setBroadcast(true);
                            socket.setSoTimeout(WAIT_MS);
                            return socket;
                        }));
    }

    @Test
    void shouldCarryARequestForAnAddressByBroadcast() throws Exception {
        // given
        final InetAddress all = InetAddress.getByName("255.255.255.255");
        final DatagramSocket client = bound(0, DHCP_CLIENT);
        final DatagramSocket server = bound(FAR, DHCP_SERVER);
        // when
        send(client, "discover", new InetSocketAddress(all, DHCP_SERVER));
        assertEquals("10.77.0.1 discover", receive(server));
        send(server, "offer", new InetSocketAddress(all, DHCP_CLIENT));
        // then
        assertEquals("10.77.0.4 offer", receive(client));
        assertEquals(0, lab.sum(CounterType.IP_REFUSED_PACKETS));
    }

    @Test
    void shouldTellProgramsThatANodeIsGoneAndKeepTheirConnections() throws Exception {
        // given
        final ServerSocket listening = lab.listen(FAR);
        final Socket open = lab.connect(0, listening, WAIT_MS);
        final Socket other = lab.keep(listening.accept());
        // when
        lab.nodes.get(FAR).close();
        open.getOutputStream().write(new byte[BYTES]);
        final long firstNs = noRouteAfterNs(listening);
        // then
        assertTrue(firstNs > SECOND, "not at once: " + firstNs);
        // A machine that is busy with something else makes some answers late, but not all.
        long laterNs = noRouteAfterNs(listening);
        for (int tries = 1; tries < MAX_TRIES && laterNs >= 3 * SECOND; tries++) {
            laterNs = noRouteAfterNs(listening);
        }
        assertTrue(laterNs < 3 * SECOND, "known by now: " + laterNs);
        TestNamespaces.await(
                "answers were counted",
                () -> lab.nodes.getFirst().counters().sum(CounterType.IP_UNREACHABLE_PACKETS) >= 2);
        // when it is back
        lab.restart(FAR);
        // then
        final CompletableFuture<Integer> got = CompletableFuture.supplyAsync(() -> count(other));
        assertEquals(BYTES, got.get(60, TimeUnit.SECONDS));
        assertFalse(open.isClosed());
        lab.connect(0, lab.listen(FAR), WAIT_MS);
    }

    private long noRouteAfterNs(final ServerSocket listening) {
        final long beginNs = System.nanoTime();
        assertThrows(NoRouteToHostException.class, () -> lab.connect(0, listening, WAIT_MS));
        return System.nanoTime() - beginNs;
    }

    private static int count(final Socket socket) {
        try {
            final InputStream input = socket.getInputStream();
            return input.readNBytes(BYTES).length;
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }
}
