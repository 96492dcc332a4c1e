package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.PathHealthConfig;
import io.hxb.config.TaggerChoice;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.session.KeyRing;
import io.hxb.testing.FrameTap;
import io.hxb.testing.TestNamespaces;
import io.hxb.vlan.HostRow;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.TapTagger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A host, a veth pair, and the manager of its NIC. */
@Tag("system")
class VirtualNicSystemTest {
    private static final long OWN_MAC = 0x0200_0000_0001L;
    private static final long PEER_MAC = 0x0200_0000_0002L;
    private static final HostTable TABLE =
            new HostTable(
                    List.of(
                            new HostRow("near", OWN_MAC, 11, 0),
                            new HostRow("far", PEER_MAC, 12, 1)),
                    List.of(11, 12),
                    Map.of());

    @TempDir private Path folder;

    private final List<AutoCloseable> resources = new ArrayList<>();
    private TestNamespaces namespaces;
    private String near;
    private String far;

    @BeforeEach
    void makeHosts() {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        near = namespaces.add("near");
        far = namespaces.add("far");
        namespaces.veth(near, "eth0", far, "eth0", 1500);
        TestNamespaces.ipIn(near, "link set eth0 address 02:00:00:00:00:01");
        TestNamespaces.ipIn(far, "link set eth0 address 02:00:00:00:00:02");
    }

    @AfterEach
    void removeHosts() throws Exception {
        for (final AutoCloseable resource : resources.reversed()) {
            resource.close();
        }
        if (namespaces != null) {
            namespaces.close();
        }
    }

    private VirtualNic start(final String nic, final String socket, final Path pins)
            throws IOException {
        return start(nic, socket, TaggerChoice.KERNEL, pins);
    }

    private VirtualNic start(
            final String nic, final String socket, final TaggerChoice choice, final Path pins)
            throws IOException {
        final VirtualNic started =
                NetworkNamespace.run(
                        near,
                        () ->
                                VirtualNic.start(
                                        new VirtualNic.Options(
                                                TABLE,
                                                -1,
                                                List.of(nic),
                                                folder.resolve(socket),
                                                uid -> true,
                                                null,
                                                KeyRing.NONE,
                                                folder.resolve("state"),
                                                choice,
                                                pins,
                                                0,
                                                null,
                                                PathHealthConfig.DEFAULT)));
        resources.add(started);
        return started;
    }

    private FrameTap tap(final String namespace, final String nic) throws IOException {
        final FrameTap tap = FrameTap.open(namespace, List.of(nic)).getFirst();
        resources.add(tap);
        return tap;
    }

    private static int vidOnTheWire(final FrameTap from, final FrameTap to) {
        to.receive();
        from.send(OWN_MAC, PEER_MAC, FrameTap.NO_TAG, 1, 2);
        final List<FrameTap.Seen> seen = new ArrayList<>();
        TestNamespaces.await(
                "a frame has arrived",
                () -> {
                    seen.addAll(to.receive());
                    return !seen.isEmpty();
                });
        return seen.getFirst().vid();
    }

    private int programs(final String nic) throws IOException {
        return NetworkNamespace.run(
                near,
                () -> {
                    final int ifindex = TestNamespaces.info(near, nic).ifindex();
                    return BpfProgram.count(ifindex, BpfProgram.Hook.EGRESS)
                            + BpfProgram.count(ifindex, BpfProgram.Hook.INGRESS);
                });
    }

    private ManagerMessage ask(
            final ManagerClient client, final ManagerOperation operation, final int vid)
            throws IOException {
        client.request(operation).peerHost(1).vid(vid).flags(ManagerMessage.FLAG_PERMANENT);
        final ManagerMessage reply = client.exchange();
        assertEquals(Status.OK.code(), reply.status());
        return reply;
    }

    @Test
    void shouldTagAsConfiguredAndFollowTheNicThroughNewNamesAndANewLife() throws IOException {
        // given
        final VirtualNic nic = start("eth0", "a.sock", null);
        assertEquals(0, nic.here());
        final FrameTap to = tap(far, "eth0");
        assertEquals(11, vidOnTheWire(tap(near, "eth0"), to));
        try (ManagerClient client = ManagerClient.connect(folder.resolve("a.sock"))) {
            // when: it is renamed
            TestNamespaces.ipIn(
                    near, "link set eth0 down", "link set eth0 name lan0", "link set lan0 up");
            TestNamespaces.awaitCarrier(near, "lan0");
            ask(client, ManagerOperation.SET, 12);
            // then
            assertEquals(12, vidOnTheWire(tap(near, "lan0"), to));
            TestNamespaces.await("the new name is known", () -> isCalled(client, "lan0", true));
            // when: it goes, and another one of its name comes
            namespaces.vethDown(near, "lan1", far, "eth1", 1500);
            TestNamespaces.ipIn(near, "link del lan0");
            TestNamespaces.await("it is missed", () -> isCalled(client, "lan0", false));
            TestNamespaces.ipIn(
                    near,
                    "link set lan1 name lan0",
                    "link set lan0 address 02:00:00:00:00:01",
                    "link set lan0 up");
            TestNamespaces.ipIn(far, "link set eth1 up");
            TestNamespaces.awaitCarrier(near, "lan0");
            TestNamespaces.await("it is back", () -> isCalled(client, "lan0", true));
            // then
            assertEquals(12, vidOnTheWire(tap(near, "lan0"), tap(far, "eth1")));
        }
        nic.close();
        assertEquals(0, programs("lan0"), "nothing is left at the NIC");
    }

    @Test
    void shouldFollowTheNicWithADeviceBeforeIt() throws IOException {
        // given
        final VirtualNic nic = start("eth0", "a.sock", TaggerChoice.TAP, null);
        final FrameTap to = tap(far, "eth0");
        assertEquals(11, vidOnTheWire(tap(near, nic.device()), to));
        try (ManagerClient client = ManagerClient.connect(folder.resolve("a.sock"))) {
            // when: it is renamed
            TestNamespaces.ipIn(
                    near, "link set eth0 down", "link set eth0 name lan0", "link set lan0 up");
            TestNamespaces.awaitCarrier(near, "lan0");
            ask(client, ManagerOperation.SET, 12);
            // then
            assertEquals(12, vidOnTheWire(tap(near, nic.device()), to));
            TestNamespaces.await("the new name is known", () -> isCalled(client, "lan0", true));
            // when: it goes, and another one of its name comes
            namespaces.vethDown(near, "lan1", far, "eth1", 1500);
            TestNamespaces.ipIn(near, "link del lan0");
            TestNamespaces.await(
                    "the device goes with it",
                    () -> !TestNamespaces.info(near, nic.device()).exists());
            TestNamespaces.ipIn(
                    near,
                    "link set lan1 name lan0",
                    "link set lan0 address 02:00:00:00:00:01",
                    "link set lan0 up");
            TestNamespaces.ipIn(far, "link set eth1 up");
            TestNamespaces.awaitCarrier(near, "lan0");
            final String device = TapTagger.deviceName(TestNamespaces.info(near, "lan0").ifindex());
            TestNamespaces.await(
                    "there is one before the new NIC",
                    () -> TestNamespaces.info(near, device).hasCarrier());
            // then
            assertEquals(12, vidOnTheWire(tap(near, device), tap(far, "eth1")));
            nic.close();
            assertFalse(TestNamespaces.info(near, device).exists());
        }
    }

    private static boolean isCalled(
            final ManagerClient client, final String name, final boolean isUp) {
        try {
            client.request(ManagerOperation.NIC);
            final ManagerMessage reply = client.exchange();
            return reply.name().equals(name) && (reply.value(2) & 1) == (isUp ? 1 : 0);
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void shouldKeepASecondManagerOffTheNicAndLiveBesideForeignPrograms() throws Exception {
        // given: somebody else's program is there first
        final io.hxb.vlan.KernelTagger foreign = io.hxb.vlan.KernelTagger.load(new int[] {77}, 1);
        resources.add(foreign);
        NetworkNamespace.run(
                near,
                () -> {
                    foreign.attach(0, TestNamespaces.info(near, "eth0").ifindex());
                    return null;
                });
        start("eth0", "a.sock", null);
        // when, then
        final IOException e = assertThrows(IOException.class, () -> start("eth0", "b.sock", null));
        assertTrue(e.getMessage().contains("another manager has NIC eth0"), e.getMessage());
        try (ManagerClient client = ManagerClient.connect(folder.resolve("a.sock"))) {
            client.request(ManagerOperation.NIC);
            assertEquals(2, client.exchange().value(2) >>> Integer.SIZE, "foreign programs");
        }
        assertEquals(11, vidOnTheWire(tap(near, "eth0"), tap(far, "eth0")));
    }

    @Test
    void shouldRefuseNicsThatAreNotOfThePlan() {
        IOException e = assertThrows(IOException.class, () -> start("eth9", "a.sock", null));
        assertTrue(e.getMessage().contains("there is no NIC eth9"), e.getMessage());
        TestNamespaces.ipIn(near, "link set eth0 address 02:00:00:00:00:0f");
        e = assertThrows(IOException.class, () -> start("eth0", "a.sock", null));
        assertTrue(e.getMessage().contains("no host of the plan has"), e.getMessage());
    }

    @Test
    void shouldRestoreWhatWasCommittedAndStartWithoutWhatWasNot() throws IOException {
        final VirtualNic first = start("eth0", "a.sock", null);
        try (ManagerClient client = ManagerClient.connect(folder.resolve("a.sock"))) {
            ask(client, ManagerOperation.SET, 12);
            ask(client, ManagerOperation.COMMIT, 0);
        }
        first.close();
        final VirtualNic second = start("eth0", "a.sock", null);
        try (ManagerClient client = ManagerClient.connect(folder.resolve("a.sock"))) {
            assertEquals(12, ask(client, ManagerOperation.GET, 0).vid());
            ask(client, ManagerOperation.SET, 11);
        }
        second.close();
        start("eth0", "a.sock", null);
        assertEquals(12, vidOnTheWire(tap(near, "eth0"), tap(far, "eth0")));
    }

    @Test
    void shouldLeaveThePathsAsTheyAreWhereThatIsWanted() throws Exception {
        // given
        final Path pins = Files.createDirectory(folder.resolve("bpf"));
        final Process mount =
                new ProcessBuilder("mount", "-t", "bpf", "bpf", pins.toString()).start();
        Assumptions.assumeTrue(mount.waitFor() == 0, "skipped: no BPF file system here");
        resources.add(() -> new ProcessBuilder("umount", pins.toString()).start().waitFor());
        final FrameTap from = tap(near, "eth0");
        final FrameTap to = tap(far, "eth0");
        final VirtualNic first = start("eth0", "a.sock", pins);
        try (ManagerClient client = ManagerClient.connect(folder.resolve("a.sock"))) {
            ask(client, ManagerOperation.SET, 12);
        }
        // when
        first.close();
        // then
        assertEquals(12, vidOnTheWire(from, to), "the programs are still there");
        assertEquals(2, programs("eth0"));
        // when: another one takes over
        final VirtualNic second = start("eth0", "a.sock", pins);
        // then
        assertEquals(2, programs("eth0"), "in their places");
        assertEquals(11, vidOnTheWire(from, to));
        second.close();
        // when
        Files.delete(pins.resolve("egress"));
        Files.delete(pins.resolve("ingress"));
        // then
        TestNamespaces.await(
                "they are gone",
                () -> {
                    try {
                        return programs("eth0") == 0;
                    } catch (final IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                });
        assertEquals(FrameTap.NO_TAG, vidOnTheWire(from, to));
    }

    @Test
    void shouldReportWhereProgramsCanStay() {
        final IOException e =
                assertThrows(IOException.class, () -> start("eth0", "a.sock", folder));
        assertTrue(e.getMessage().contains("must be a folder in a BPF file system"), e::toString);
    }
}
