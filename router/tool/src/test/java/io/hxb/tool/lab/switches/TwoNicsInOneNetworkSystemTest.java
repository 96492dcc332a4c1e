package io.hxb.tool.lab.switches;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.vlan.HostNics;
import io.hxb.manager.ManagerClient;
import io.hxb.manager.ManagerOperation;
import io.hxb.os.NetworkNamespace;
import io.hxb.testing.OvsLab;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.machine.Shell;
import io.hxb.topology.Shape;
import io.hxb.vlan.HostTable;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.List;

/**
 * Hosts that are plugged twice into one network of real switches, each time into another switch.
 *
 * <pre>
 *         top
 *        /   \
 *     left   right
 *     eth0   eth1   of h0, h1 and h2
 * </pre>
 */
@Tag("system")
class TwoNicsInOneNetworkSystemTest {
    private static final int HOSTS = 3;

    @TempDir private Path folder;

    private final String name = "on" + ProcessHandle.current().pid();
    private SwitchLab lab;

    private static SwitchGraph graph() {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        final int left = builder.addSwitch("left");
        final int right = builder.addSwitch("right");
        final int top = builder.addSwitch("top");
        builder.addLink(left, "1", top, "1", 0).addLink(right, "1", top, "2", 0);
        for (int host = 0; host < HOSTS; host++) {
            final int node = builder.addSwitch("h" + host);
            final String port = Integer.toString(2 + host);
            builder.addLink(node, "nic0", left, port, 0).addLink(node, "nic1", right, port, 0);
            builder.addHost("h" + host, node, HostNics.PORT, 0, 0);
        }
        return builder.build();
    }

    private DatagramSocket socket(final int host) throws IOException {
        return NetworkNamespace.run(
                lab.network().host(host).namespace(),
                () -> {
                    final DatagramSocket socket =
                            new DatagramSocket(
                                    new InetSocketAddress(
                                            InetAddress.getByName(HostPlace.address(host)), 0));
                    socket.setSoTimeout(20);
                    return socket;
                });
    }

    /** Sends until something has come. */
    private void awaitArrival(
            final DatagramSocket from, final DatagramSocket to, final String what) {
        final DatagramPacket packet =
                new DatagramPacket(new byte[100], 100, to.getLocalSocketAddress());
        TestNamespaces.await(
                what,
                () -> {
                    try {
                        from.send(packet);
                        to.receive(new DatagramPacket(new byte[100], 100));
                        return true;
                    } catch (final SocketTimeoutException e) {
                        return false;
                    } catch (final IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    private int nic(final int host, final int peer) throws IOException {
        try (ManagerClient client = ManagerClient.connect(lab.socket(host))) {
            client.request(ManagerOperation.GET).peerHost(peer);
            return HostTable.of(lab.plan()).nic(client.exchange().vid());
        }
    }

    @Test
    void shouldUseBothNicsAndGoOnWithOne() throws Exception {
        OvsLab.assumePossible();
        lab =
                SwitchLab.start(
                        new LabRegistry(folder),
                        SwitchLabSpec.of(
                                new LabSpec(name, Shape.of(HOSTS), 1, Backend.RAW, 0, 1500),
                                "graph",
                                graph(),
                                false,
                                true));
        try (SwitchLab running = lab;
                DatagramSocket first = socket(0);
                DatagramSocket second = socket(1);
                DatagramSocket third = socket(2)) {
            // then: pairs take the NICs in turn, at both ends alike
            awaitArrival(first, second, "host 0 reaches host 1");
            awaitArrival(first, third, "host 0 reaches host 2");
            awaitArrival(third, second, "host 2 reaches host 1");
            assertEquals(1 - nic(0, 2), nic(0, 1));
            assertEquals(nic(0, 1), nic(1, 0));
            // when: the NIC of a pair goes down
            final int nic = nic(0, 1);
            Shell.check(
                    "",
                    List.of(
                            "ip",
                            "-n",
                            running.network().host(1).namespace(),
                            "link",
                            "set",
                            "eth" + nic,
                            "down"));
            // then
            TestNamespaces.await(
                    "both ends have left it",
                    () -> {
                        awaitArrival(first, second, "host 0 reaches host 1 by the other NIC");
                        try {
                            return nic(0, 1) != nic && nic(1, 0) != nic;
                        } catch (final IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
            awaitArrival(second, first, "host 1 reaches host 0");
            assertTrue(nic(0, 2) == 1 - nic, "others stay");
        }
    }
}
