package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.PathHealthConfig;
import io.hxb.config.TaggerChoice;
import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.config.Dialect;
import io.hxb.fabric.vlan.config.SetupMaker;
import io.hxb.fabric.vlan.tree.TopTrees;
import io.hxb.os.NetworkNamespace;
import io.hxb.session.ClusterKey;
import io.hxb.session.KeyRing;
import io.hxb.testing.OvsLab;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.switches.HostPlace;
import io.hxb.vlan.HostTable;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A top switch of real switches dies while TCP runs: the pairs of hosts take the other one.
 *
 * <pre>
 *      t0     t1       two top switches, so two VLANs
 *      | \\   / |
 *      l0  X   l1      two leaf switches
 *     h0 h1   h2 h3    hosts, each in a network namespace of its own
 * </pre>
 */
@Tag("system")
class PathHealthSystemTest {
    private static final int FROM = 0;
    private static final int TO = 2;
    private static final long PIECE = 1 << 16;

    @TempDir private Path folder;

    private final List<AutoCloseable> resources = new ArrayList<>();
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong broadcasts = new AtomicLong();
    private VlanPlan plan;
    private OvsLab lab;

    private void makeNetwork() throws IOException {
        plan =
                VlanPlanner.of(PlanKind.HOST_TAGGED, 4)
                        .plan(Trees.vbft(2, 2, 2), new TopTrees(), "tops");
        lab = new OvsLab(plan.graph(), Files.createDirectory(folder.resolve("ovs")), true);
        resources.add(lab);
        final StringBuilder scripts = new StringBuilder();
        SetupMaker.of(plan).forEach(setup -> scripts.append(Dialect.parse("ovs").full(setup)));
        lab.run(scripts.toString());
    }

    private Path socket(final int host) {
        return folder.resolve("h" + host + ".sock");
    }

    private void start(final int host, final KeyRing keys) throws IOException {
        resources.add(
                NetworkNamespace.run(
                        lab.namespace(host),
                        () ->
                                VirtualNic.start(
                                        new VirtualNic.Options(
                                                HostTable.of(plan),
                                                host,
                                                List.of("eth0"),
                                                socket(host),
                                                uid -> true,
                                                null,
                                                keys,
                                                null,
                                                TaggerChoice.AUTO,
                                                null,
                                                0,
                                                () -> plan,
                                                PathHealthConfig.DEFAULT))));
    }

    /** A stream of bytes that ends only with the test. */
    private void stream() throws IOException {
        final ServerSocket server =
                NetworkNamespace.run(
                        lab.namespace(TO),
                        () -> new ServerSocket(0, 1, InetAddress.getByName(HostPlace.address(TO))));
        resources.add(server);
        final Socket from = NetworkNamespace.run(lab.namespace(FROM), Socket::new);
        NetworkNamespace.run(
                lab.namespace(FROM),
                () -> {
                    from.connect(
                            new InetSocketAddress(HostPlace.address(TO), server.getLocalPort()),
                            30_000);
                    return null;
                });
        resources.add(from);
        final Socket to = server.accept();
        resources.add(to);
        Thread.ofPlatform().daemon().start(() -> send(from));
        Thread.ofPlatform().daemon().start(() -> read(to));
    }

    private static void send(final Socket socket) {
        final byte[] bytes = new byte[4_096];
        try (OutputStream out = socket.getOutputStream()) {
            while (true) {
                out.write(bytes);
                java.util.concurrent.locks.LockSupport.parkNanos(200_000);
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
        TestNamespaces.await(what, () -> received.get() > before + PIECE);
    }

    /** Broadcasts that go out all the time, and are counted where they arrive. */
    private void broadcast() throws IOException {
        final DatagramSocket to =
                NetworkNamespace.run(lab.namespace(TO), () -> new DatagramSocket(0));
        resources.add(to);
        final DatagramSocket from =
                NetworkNamespace.run(lab.namespace(FROM), () -> new DatagramSocket());
        resources.add(from);
        final InetSocketAddress all = new InetSocketAddress("10.77.255.255", to.getLocalPort());
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                while (true) {
                                    from.send(new DatagramPacket(new byte[1], 1, all));
                                    java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
                                }
                            } catch (final IOException e) {
                                // The test has ended.
                            }
                        });
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                while (true) {
                                    to.receive(new DatagramPacket(new byte[1], 1));
                                    broadcasts.incrementAndGet();
                                }
                            } catch (final IOException e) {
                                // The test has ended.
                            }
                        });
    }

    private void awaitBroadcasts(final String what) {
        final long before = broadcasts.get();
        TestNamespaces.await(what, () -> broadcasts.get() > before + 2);
    }

    private static ManagerMessage self(final ManagerClient client) {
        try {
            client.request(ManagerOperation.HELLO);
            return client.exchange();
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void shouldBroadcastInAnotherVidWhenTheDefaultOneDies() throws Exception {
        OvsLab.assumePossible();
        try {
            makeNetwork();
            start(FROM, KeyRing.NONE);
            start(TO, KeyRing.NONE);
            broadcast();
            try (ManagerClient from = ManagerClient.connect(socket(FROM))) {
                awaitBroadcasts("broadcasts arrive");
                checkDefault(from);
            }
        } finally {
            for (final AutoCloseable resource : resources.reversed()) {
                resource.close();
            }
        }
    }

    private void checkDefault(final ManagerClient from) throws IOException {
        final int vlan = plan.vlanOf(FROM);
        final int first = plan.vid(vlan);
        final int second = plan.vid(1 - vlan);
        TestNamespaces.await(
                "the witness answers",
                () -> {
                    try {
                        return counts(from).get("probes_received") > 20;
                    } catch (final IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                });
        // Probes that a busy machine delays move it for a moment.
        TestNamespaces.await("h0 is as planned", () -> self(from).vid() == first);
        final long moves = counts(from).get("default_moves");
        final String top = plan.graph().switchName(topOf(vlan));
        // when: its switch dies
        lab.run(
                "ovs-ofctl --protocols=OpenFlow10 add-flow "
                        + top
                        + " priority=65535,actions=drop");
        final long start = System.nanoTime();
        // then
        TestNamespaces.await("h0 has moved", () -> self(from).vid() == second);
        System.out.printf(
                "the default VID has moved %d ms after the switch died%n",
                (System.nanoTime() - start) / 1_000_000);
        awaitBroadcasts("broadcasts arrive again");
        assertEquals(first, self(from).wantedDefaultVid());
        // PathHealthTest counts that one dead switch moves it once.
        assertTrue(counts(from).get("default_moves") > moves);
        // when: the switch is back
        lab.run("ovs-ofctl del-flows --strict " + top + " priority=65535");
        // then
        TestNamespaces.await("h0 is back", () -> self(from).vid() == first);
        awaitBroadcasts("broadcasts arrive there");
    }

    private static ManagerMessage route(final ManagerClient client, final int host) {
        try {
            client.request(ManagerOperation.GET).peerHost(host);
            final ManagerMessage reply = client.exchange();
            assertEquals(Status.OK.code(), reply.status());
            return reply;
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** A path that only seemed dead on a busy machine is found alive again soon. */
    private static void awaitOneDeadPath(final ManagerClient client) {
        awaitCount(client, "dead_paths", 1);
    }

    private static void awaitCount(
            final ManagerClient client, final String name, final long count) {
        TestNamespaces.await(
                name + " is " + count,
                () -> {
                    try {
                        return counts(client).get(name) == count;
                    } catch (final IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                });
    }

    private static Map<String, Long> counts(final ManagerClient client) throws IOException {
        final Map<String, Long> counts = new HashMap<>();
        for (int i = 0; ; i++) {
            client.request(ManagerOperation.COUNT).index(i);
            final ManagerMessage reply = client.exchange();
            if (reply.status() != Status.OK.code()) {
                return counts;
            }
            counts.put(reply.hostName(), reply.value(0));
        }
    }

    @Test
    void shouldTakeTheOtherSwitchWhenOneDiesAndReturnWhenItIsBack() throws Exception {
        OvsLab.assumePossible();
        try {
            makeNetwork();
            final KeyRing keys = KeyRing.of(new ClusterKey(new byte[ClusterKey.LENGTH]));
            start(FROM, keys);
            start(TO, keys);
            stream();
            try (ManagerClient from = ManagerClient.connect(socket(FROM));
                    ManagerClient to = ManagerClient.connect(socket(TO))) {
                awaitMore("the stream runs");
                checkDeath(from, to);
            }
        } finally {
            for (final AutoCloseable resource : resources.reversed()) {
                resource.close();
            }
        }
    }

    private void checkDeath(final ManagerClient from, final ManagerClient to) throws IOException {
        final int vlan = plan.vlanOf(FROM, TO);
        final int first = plan.vid(vlan);
        final int second = plan.vid(1 - vlan);
        TestNamespaces.await(
                "both hosts have heard one another",
                () -> {
                    try {
                        return counts(from).get("probes_received") > 20
                                && counts(to).get("probes_received") > 20;
                    } catch (final IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                });
        // Probes that a busy machine delays move them for a moment.
        TestNamespaces.await(
                "both hosts are as planned",
                () -> route(from, TO).vid() == first && route(to, FROM).vid() == first);
        assertEquals(0, counts(from).get("probes_refused"));
        final String top = plan.graph().switchName(topOf(vlan));
        // when: its switch dies
        lab.run(
                "ovs-ofctl --protocols=OpenFlow10 add-flow "
                        + top
                        + " priority=65535,actions=drop");
        final long start = System.nanoTime();
        // then
        TestNamespaces.await("h0 has moved", () -> route(from, TO).vid() == second);
        TestNamespaces.await("h2 has moved", () -> route(to, FROM).vid() == second);
        System.out.printf(
                "both hosts have moved %d ms after the switch died%n",
                (System.nanoTime() - start) / 1_000_000);
        awaitMore("the stream goes on");
        assertEquals(first, route(from, TO).wantedVid());
        TestNamespaces.await(
                "h2 reports where it sends", () -> (int) route(from, TO).value(1) == second);
        awaitOneDeadPath(from);
        awaitCount(from, "half_pairs", 0);
        assertTrue(counts(from).get("path_moves") >= 1);
        // when: somebody insists on the dead VID
        from.request(ManagerOperation.SET).peerHost(TO).vid(first);
        assertEquals(second, from.exchange().vid());
        // when: the switch is back
        lab.run("ovs-ofctl del-flows --strict " + top + " priority=65535");
        // then
        TestNamespaces.await("h0 is back", () -> route(from, TO).vid() == first);
        TestNamespaces.await("h2 is back", () -> route(to, FROM).vid() == first);
        awaitMore("the stream goes on");
        assertNotEquals(0L, counts(from).get("path_recoveries"));
    }

    /** The switch that a VLAN's paths between the leaves go through. */
    private int topOf(final int vlan) {
        final int[] path =
                plan.tree(vlan).path(plan.graph().hostSwitch(FROM), plan.graph().hostSwitch(TO));
        return plan.graph().target(path[0]);
    }
}
