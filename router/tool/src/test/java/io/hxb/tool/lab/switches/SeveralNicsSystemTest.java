package io.hxb.tool.lab.switches;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.vlan.Rails;
import io.hxb.manager.ManagerClient;
import io.hxb.manager.ManagerMessage;
import io.hxb.manager.ManagerOperation;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.NicInfo;
import io.hxb.testing.OvsLab;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.machine.Shell;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Hosts with a NIC in each of two networks of real switches: one address, paths over both, and a
 * connection that goes on when any NIC goes down.
 *
 * <pre>
 *      s2a s3a         s2b s3b    top switches
 *      s0a s1a         s0b s1b    leaf switches
 *      eth0 of h0, h1 at s0a and of h2, h3 at s1a; eth1 at s0b and s1b
 * </pre>
 */
@Tag("system")
class SeveralNicsSystemTest {
    private static final SwitchGraph GRAPH = Rails.of(Trees.vbft(2, 2, 2), 2);
    private static final int FROM = 0;
    private static final int TO = 2;

    @TempDir private Path folder;

    private final String name = "ra" + ProcessHandle.current().pid();
    private final List<AutoCloseable> resources = new ArrayList<>();
    private final AtomicLong received = new AtomicLong();
    private SwitchLab lab;

    @BeforeEach
    void start() {
        OvsLab.assumePossible();
        lab =
                SwitchLab.start(
                        new LabRegistry(folder),
                        SwitchLabSpec.of(
                                new LabSpec(name, Shape.of(4), 1, Backend.RAW, 0, 1500),
                                "vbft:2,2",
                                GRAPH,
                                false,
                                true));
    }

    @AfterEach
    void stop() throws Exception {
        for (final AutoCloseable resource : resources.reversed()) {
            resource.close();
        }
        if (lab != null) {
            lab.close();
        }
    }

    private String namespace(final int host) {
        return lab.network().host(host).namespace();
    }

    private void stream() throws IOException {
        final ServerSocket server =
                NetworkNamespace.run(
                        namespace(TO),
                        () -> new ServerSocket(0, 1, InetAddress.getByName(HostPlace.address(TO))));
        resources.add(server);
        final Socket from = NetworkNamespace.run(namespace(FROM), Socket::new);
        resources.add(from);
        NetworkNamespace.run(
                namespace(FROM),
                () -> {
                    from.connect(
                            new InetSocketAddress(HostPlace.address(TO), server.getLocalPort()),
                            30_000);
                    return null;
                });
        final Socket to = server.accept();
        resources.add(to);
        Thread.ofPlatform().daemon().start(() -> send(from));
        Thread.ofPlatform().daemon().start(() -> read(to));
    }

    private static void send(final Socket socket) {
        final byte[] bytes = new byte[65_536];
        try (OutputStream out = socket.getOutputStream()) {
            while (true) {
                out.write(bytes);
                LockSupport.parkNanos(2_000_000);
            }
        } catch (final IOException e) {
            // The test has ended.
        }
    }

    private void read(final Socket socket) {
        final byte[] bytes = new byte[1 << 16];
        try (InputStream in = socket.getInputStream()) {
            for (int count = in.read(bytes); count > 0; count = in.read(bytes)) {
                received.addAndGet(count);
            }
        } catch (final IOException e) {
            // The test has ended.
        }
    }

    private void awaitMore(final String what) {
        final long before = received.get();
        TestNamespaces.await(what, () -> received.get() > before + (1 << 20));
    }

    private static ManagerMessage route(final ManagerClient client, final int host) {
        try {
            client.request(ManagerOperation.GET).peerHost(host);
            return client.exchange();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int nic(final SwitchLab lab, final int vid) {
        return io.hxb.vlan.HostTable.of(lab.plan()).nic(vid);
    }

    private void set(final int host, final int nic, final String state) {
        Shell.check("", List.of("ip", "-n", namespace(host), "link", "set", "eth" + nic, state));
    }

    @Test
    void shouldCarryAConnectionOnWhenAnyNicGoesDown() throws Exception {
        // given: one device with the address of the host, before both NICs
        final long mac = NetworkNamespace.run(namespace(FROM), () -> NicInfo.read("eth0")).mac();
        assertEquals(mac, NetworkNamespace.run(namespace(FROM), () -> NicInfo.read("eth1")).mac());
        final String device = device(FROM);
        assertEquals(mac, NetworkNamespace.run(namespace(FROM), () -> NicInfo.read(device)).mac());
        stream();
        awaitMore("the stream runs");
        try (ManagerClient from = ManagerClient.connect(lab.socket(FROM));
                ManagerClient to = ManagerClient.connect(lab.socket(TO))) {
            TestNamespaces.await(
                    "the hosts have heard one another",
                    () -> route(from, TO).value(1) == route(from, TO).vid());
            for (int turn = 0; turn < 4; turn++) {
                // when: the NIC that the pair uses goes down, at one end and then at the other
                final int nic = nic(lab, route(from, TO).vid());
                final int host = turn % 2 == 0 ? FROM : TO;
                set(host, nic, "down");
                final long start = System.nanoTime();
                // then
                TestNamespaces.await("h0 has moved", () -> nic(lab, route(from, TO).vid()) != nic);
                TestNamespaces.await("h2 has moved", () -> nic(lab, route(to, FROM).vid()) != nic);
                System.out.printf(
                        "both hosts have moved %d ms after eth%d of host %d went down%n",
                        (System.nanoTime() - start) / 1_000_000, nic, host);
                awaitMore("the stream goes on");
                // Probes that a busy machine delays move one of them for a moment.
                TestNamespaces.await(
                        "both hosts use one path",
                        () -> route(from, TO).vid() == route(to, FROM).vid());
                set(host, nic, "up");
                if (turn == 1) {
                    // The other NIC next.
                    TestNamespaces.await(
                            "the path is as in the table",
                            () -> nic(lab, route(from, TO).vid()) == nic);
                    for (final ManagerClient each : List.of(from, to)) {
                        each.request(ManagerOperation.SET)
                                .peerHost(each == from ? TO : FROM)
                                .vid(lab.plan().vid(nic == 0 ? 2 : 0));
                        each.exchange();
                    }
                }
                TestNamespaces.await(
                        "the path is back",
                        () -> route(from, TO).vid() == route(from, TO).wantedVid());
            }
        }
    }

    private String device(final int host) throws IOException {
        return NetworkNamespace.run(namespace(host), () -> "hxb" + NicInfo.read("eth0").ifindex());
    }

    @Test
    void shouldLeaveNothingAtTheNicsWhenItEnds() throws IOException {
        // given
        final String device = device(1);
        assertTrue(NetworkNamespace.run(namespace(1), () -> NicInfo.read(device)).exists());
        final String routes =
                Shell.check("", List.of("ip", "-n", namespace(1), "route", "get", "10.77.0.3"));
        assertTrue(routes.contains("dev " + device), routes);
        // when
        final String of = namespace(1);
        lab.stopManagers();
        // then
        assertFalse(NetworkNamespace.run(of, () -> NicInfo.read(device)).exists());
        assertTrue(
                Shell.check("", List.of("ip", "-n", of, "route", "get", "10.77.0.3"))
                        .contains("dev eth0"));
    }
}
