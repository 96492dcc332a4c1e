package io.hxb.tool.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LoopConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.counter.NodeFinding;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Memory;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicFeature;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicMark;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Causes of trouble that are named first in what doctor prints: prepared in network namespaces, or
 * as facts where namespaces cannot have them.
 */
@Tag("system")
class CausesSystemTest {
    private static final LinkSample.Traffic NONE = new LinkSample.Traffic(0, 0);
    private static final LinkSample LINK =
            new LinkSample("x.0", "p0", LinkCondition.GOOD, 0, 100, NONE, NONE, 0, 0, "");
    private static final NicTable.Nic NIC =
            new NicTable.Nic(true, true, 9_000, "ether", "02:00:00:00:00:01", "", false, "", 0);

    private static TestNamespaces namespaces;
    private static String namespace;
    private static String other;

    @TempDir private Path folder;

    @BeforeAll
    static void makeNics() {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        namespace = namespaces.add("a");
        other = namespaces.add("b");
        for (final String nic : List.of("p0", "p1")) {
            namespaces.veth(namespace, nic, other, nic, 9_000);
        }
    }

    @AfterAll
    static void removeThem() {
        if (namespaces != null) {
            namespaces.close();
        }
    }

    private static ClusterConfig raw(final String nics, final String rest) {
        return ClusterConfigYaml.parse(
                "name: n\nshape: 2\nbackend: raw\nnetns: "
                        + namespace
                        + "\nlinks: {x: ["
                        + nics
                        + "]}\n"
                        + rest,
                "c.yaml");
    }

    /** Expects that the first finding that doctor prints has these words. */
    private static void assertFirst(final List<Finding> findings, final String... words) {
        final String text =
                new FindingReport(List.of(FindingGroup.of("here", findings))).text(false);
        final List<String> lines = text.lines().toList();
        for (final String word : words) {
            assertTrue(lines.get(1).contains(word), text);
        }
        assertTrue(lines.get(2).strip().startsWith("-> "), text);
    }

    private static void assertFirst(final Finding finding, final String... words) {
        assertFirst(List.of(finding), words);
    }

    private static List<Finding> nics(final ClusterConfig config) {
        return NicsCheck.run(config, 0, false);
    }

    // What is well in the beginning, and in the end.
    private static void change(
            final String how, final String back, final String nics, final String... words) {
        final ClusterConfig config = raw(nics, "");
        assertEquals(0, failures(nics(config)), () -> nics(config).toString());
        TestNamespaces.ipIn(namespace, how.split("; ", -1));
        assertFirst(nics(config), words);
        TestNamespaces.ipIn(namespace, back.split("; ", -1));
        TestNamespaces.awaitCarrier(namespace, "p0");
        assertEquals(0, failures(nics(config)), () -> nics(config).toString());
    }

    private static long failures(final List<Finding> findings) {
        return findings.stream().filter(one -> one.level() == Finding.Level.FAIL).count();
    }

    @Test
    void shouldNameWhatTakesFramesBetweenTheNicAndTheSockets() throws Exception {
        final ClusterConfig config = raw("p0", "");
        final Set<Integer> types = Set.of(config.frame().etherType());
        // given: a BPF program of tc drops all
        TestNamespaces.exec(namespace, "tc qdisc add dev p0 clsact".split(" "));
        TestNamespaces.exec(
                namespace,
                "tc",
                "filter",
                "add",
                "dev",
                "p0",
                "ingress",
                "bpf",
                "da",
                "bytecode",
                "1,6 0 0 2");
        assertTrue(
                nics(config).stream().anyMatch(one -> one.text().contains("a BPF program of tc")));
        // when: frames of HXB arrive
        final IngressCheck.Received received =
                NetworkNamespace.run(
                        namespace,
                        () -> {
                            try (AutoCloseable _ = sender(types.iterator().next(), 64)) {
                                return IngressCheck.receive("p0", types, 10_000_000_000L);
                            } catch (final Exception e) {
                                throw new IllegalStateException(e);
                            }
                        });
        // then
        assertTrue(received.hxbFrames() > 0, received::toString);
        assertFirst(
                IngressCheck.judge(
                        "nic p0",
                        "p0",
                        NetworkNamespace.run(namespace, () -> IngressCheck.program("p0")),
                        Optional.of(received)),
                "arrive at the NIC",
                "a BPF program of tc");
        // and: a redirect
        TestNamespaces.exec(namespace, "tc filter del dev p0 ingress".split(" "));
        TestNamespaces.exec(
                namespace,
                ("tc filter add dev p0 ingress protocol all u32 match u8 0 0 action mirred egress"
                                + " redirect dev p1")
                        .split(" "));
        assertTrue(
                nics(config).stream()
                        .anyMatch(
                                one ->
                                        one.text()
                                                .contains(
                                                        "redirects frames that it receives to"
                                                                + " p1")));
        TestNamespaces.exec(namespace, "tc qdisc del dev p0 clsact".split(" "));
        assertEquals(0, failures(nics(config)));
        // and: promiscuous mode
        TestNamespaces.ipIn(namespace, "link set p0 promisc on");
        assertTrue(
                nics(config).stream().anyMatch(one -> one.text().contains("promiscuous mode (1")));
        TestNamespaces.ipIn(namespace, "link set p0 promisc off");
    }

    @Test
    void shouldNameWhatTakesOnlySomeFrames() throws Exception {
        final int type = raw("p0", "").frame().etherType();
        TestNamespaces.exec(namespace, "tc qdisc add dev p0 clsact".split(" "));
        assertEquals(Optional.empty(), sample(type).text());
        // given: a BPF program of tc drops what is longer than 1,000 bytes
        TestNamespaces.exec(
                namespace,
                "tc",
                "filter",
                "add",
                "dev",
                "p0",
                "ingress",
                "bpf",
                "da",
                "bytecode",
                "4,128 0 0 0,37 0 1 1000,6 0 0 2,6 0 0 4294967295");
        // when
        final IngressSample sample = sample(type);
        // then
        assertTrue(sample.passed().size() > 3, sample::toString);
        assertFirst(
                IngressCheck.judge(
                        "nic p0",
                        "p0",
                        NetworkNamespace.run(namespace, () -> IngressCheck.program("p0")),
                        "",
                        sample),
                "FAIL",
                "those of 1400 bytes and more, while 64 bytes pass: a BPF program of tc");
        // and
        TestNamespaces.exec(namespace, "tc filter del dev p0 ingress".split(" "));
        assertEquals(Optional.empty(), sample(type).text());
        TestNamespaces.exec(namespace, "tc qdisc del dev p0 clsact".split(" "));
    }

    private static IngressSample sample(final int type) throws Exception {
        final IngressSample.Wanted wanted = new IngressSample.Wanted(Set.of(type), 0);
        try (AutoCloseable _ = sender(type, 64, 1_400)) {
            return NetworkNamespace.run(
                    namespace,
                    () -> IngressSample.take("p0", wanted, 20_000_000_000L, 50).orElseThrow());
        }
    }

    @Test
    void shouldNameWhichFramesAreTaken() {
        // given: fragments of long frames pass, and segments do not
        final IngressSample.Frame hello = new IngressSample.Frame(0x88B5, 90);
        final IngressSample.Frame segment = new IngressSample.Frame(0x0800, 90);
        final IngressSample sample =
                new IngressSample(List.of(hello, hello), List.of(segment, segment, segment));
        // when, then
        assertFirst(
                IngressCheck.judge("nic p0", "p0", Optional.empty(), "netdev t c", sample),
                "3 of 5 frames of HXB",
                "those of EtherType 0x0800, long frames as segments of TCP",
                "nftables drops frames by netdev t c");
        assertFirst(
                IngressCheck.judge(
                        "nic p0",
                        "p0",
                        Optional.empty(),
                        "",
                        new IngressSample(List.of(hello), List.of(hello, hello, hello))),
                "of the same lengths as others",
                "something in between");
        assertEquals(
                Optional.empty(), new IngressSample(List.of(hello), List.of(hello, hello)).text());
    }

    /** Sends frames of an EtherType from the other end of p0, in turn of each length. */
    private static AutoCloseable sender(final int etherType, final int... lengths) {
        final AtomicBoolean isOver = new AtomicBoolean();
        final Thread thread =
                new Thread(
                        () -> {
                            try {
                                NetworkNamespace.run(
                                        other,
                                        () -> {
                                            send(etherType, lengths, isOver);
                                            return null;
                                        });
                            } catch (final IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        thread.start();
        return () -> {
            isOver.set(true);
            thread.join();
        };
    }

    private static void send(final int etherType, final int[] lengths, final AtomicBoolean isOver)
            throws IOException {
        final int socket = PacketSocket.open();
        try (Arena arena = Arena.ofConfined()) {
            PacketSocket.bind(socket, etherType, NicInfo.read("p0").ifindex(), "p0");
            final long frame = arena.allocate(2_048, 8).address();
            Memory.fill(frame, 6, 0xFF);
            Memory.putShortBigEndian(frame + 12, etherType);
            for (int i = 0; !isOver.get(); i++) {
                Sockets.send(socket, frame, lengths[i % lengths.length]);
                LockSupport.parkNanos(1_000_000);
            }
        } finally {
            Descriptors.close(socket);
        }
    }

    @Test
    void shouldNameWhatIsWrongWithANic() throws Exception {
        change("link set p0 down", "link set p0 up", "p0, p1", "p0", "is down");
        change(
                "link add br0 type bridge; link set p0 master br0",
                "link set p0 nomaster; link del br0",
                "p0, p1",
                "p0",
                "is a port of the bridge br0");
        final String mac = mac("p1");
        change(
                "link set p1 address " + mac("p0"),
                "link set p1 address " + mac,
                "p0, p1",
                "has the MAC address of p1");
        change("link set p0 mtu 1500", "link set p0 mtu 9000", "p0, p1", "mtu: differs among");
        assertFirst(nics(raw("p0, p7", "")), "p7", "is not there");
        assertFirst(nics(raw("lo", "")), "lo", "is the loopback");
        TestNamespaces.ipIn(namespace, "tuntap add ts0 mode tun", "link set ts0 up");
        assertFirst(
                NicCheck.use(
                        "nic ts0 (x.0)",
                        "ts0",
                        NicTable.of(namespace).orElseThrow().nics().get("ts0")),
                "ts0",
                "has no Ethernet headers");
        assertFirst(nics(raw("p0", "socket: {mtu: 9100}\n")), "p0", "the cluster file wants 9100");
    }

    private static String mac(final String nic) {
        return NicTable.of(namespace).orElseThrow().nics().get(nic).mac();
    }

    @Test
    void shouldNameAMissingCarrier() {
        // given
        TestNamespaces.ipIn(other, "link set p1 down");
        TestNamespaces.await(
                "p1 has no carrier", () -> !TestNamespaces.info(namespace, "p1").hasCarrier());
        // when, then
        assertFirst(nics(raw("p1", "")), "p1", "has no carrier");
        TestNamespaces.ipIn(other, "link set p1 up");
        TestNamespaces.awaitCarrier(namespace, "p1");
    }

    @Test
    void shouldNameWhatAKilledNodeHasLeftChanged() throws Exception {
        // given
        final Process ended = new ProcessBuilder("true").start();
        assertEquals(0, ended.waitFor());
        final int index = TestNamespaces.info(namespace, "p0").ifindex();
        assertTrue(setForwarding(true));
        NicMark.put(namespace, index, ended.pid());
        final ClusterConfig config = raw("p0", "");
        // when, then
        assertFirst(nics(config), "p0", "left rx-udp-gro-forwarding on");
        final Repair shown = Repair.run(config, List.of(0), folder, true);
        assertTrue(shown.text().contains("SHOWN   nic p0: switch rx-udp-gro"), shown::text);
        assertEquals(List.of(ended.pid()), NicMark.owners(namespace, index));
        // and when
        final Repair repair = Repair.run(config, List.of(0), folder, false);
        // then
        assertTrue(repair.isOk(), repair::text);
        assertEquals(List.of(), NicMark.owners(namespace, index));
        assertTrue(setForwarding(true), "it was switched off");
        assertTrue(setForwarding(false));
        assertEquals(List.of(), Repair.run(config, List.of(0), folder, false).steps());
    }

    private static boolean setForwarding(final boolean isOn) throws Exception {
        return NetworkNamespace.run(
                namespace,
                () -> {
                    final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
                    try {
                        return NicFeature.UDP_GRO_FORWARDING.set(fd, "p0", isOn);
                    } finally {
                        Descriptors.close(fd);
                    }
                });
    }

    @Test
    void shouldNameWhatStandsBeforeTheSockets() {
        // given: as ip and nft list them
        final NicTable.Nic withXdp =
                new NicTable.Nic(true, true, 9_000, "ether", NIC.mac(), "", false, "10110", 0);
        final String rules =
                """
                table inet filter {
                \tchain input {
                \t\ttype filter hook input priority filter; policy drop;
                \t}
                }
                table netdev guard {
                \tchain in {
                \t\ttype filter hook ingress device "p0" priority filter; policy accept;
                \t\tether type arp accept
                \t\tdrop
                \t}
                }
                """;
        // when, then
        assertFirst(NicCheck.before("nic p0", "p0", withXdp, true, ""), "FAIL", "XDP", "10110");
        assertFirst(NicCheck.before("nic p0", "p0", withXdp, false, ""), "WARN", "XDP", "10110");
        assertFirst(
                NicCheck.before("nic p0", "p0", NIC, true, rules),
                "FAIL",
                "nftables drops",
                "netdev guard in");
        assertEquals(List.of(), NicCheck.before("nic p1", "p1", NIC, true, rules));
        assertEquals(List.of(), NicCheck.before("nic p0", "p0", NIC, true, ""));
    }

    @Test
    void shouldNameAPortInUseAndItsOwner() throws Exception {
        // given
        try (DatagramSocket taken = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            final ClusterConfig config =
                    ClusterConfigYaml.parse(
                            "name: n\nshape: 2\nbackend: udp\nlinks: 1\nattach: {directory: "
                                    + folder
                                    + ", countersDirectory: "
                                    + folder
                                    + "}\nnodes:\n  0: {links: {x: [\"127.0.0.1:"
                                    + taken.getLocalPort()
                                    + "\"]}}\n  1: {links: {x: [\"127.0.0.1:1\"]}}\n",
                            "c.yaml");
            // when, then
            assertFirst(
                    ClusterCheck.run(config, 0),
                    "udp x.0",
                    "is taken by pid " + ProcessHandle.current().pid() + " (");
        }
    }

    @Test
    void shouldNameAKeyThatOthersMayRead() throws Exception {
        // given
        final Path key = folder.resolve("key");
        final ClusterConfig config =
                raw("p0", "security: {mode: authenticate, keys: [\"" + key + "\"]}\n");
        assertFirst(ClusterCheck.keys(config), "security.keys", "no such file");
        Files.writeString(key, "hxb-key-1\n" + "ab".repeat(32) + "\n");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        // when, then
        assertFirst(ClusterCheck.keys(config), "security.keys", key.toString());
        // and
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        assertEquals(0, failures(ClusterCheck.keys(config)));
    }

    @Test
    void shouldNameWhatTheNodeItselfFound() {
        // as MisconfigurationDetector words it
        for (final String sentence :
                List.of(
                        "the cables of x.0 and x.1 of (0) are interchanged: plug them the other"
                                + " way",
                        "x.0 and x.1 of (1) on host b are on one switch or cable: give each link a"
                                + " switch, VLAN or cable of its own on all nodes",
                        "two nodes have the coordinates (1): start one with its own --node",
                        "x.0 of (0) and x.0 of (1) have different MTUs, 9000 and 1500: set both",
                        "a node on x.0 of (0) has key 1, this node has key 2: give both the"
                                + " same")) {
            final NodeFinding finding = NodeFinding.of(NodeFinding.Kind.MISMATCH, sentence);
            assertFirst(Finding.ofNode("node", finding), "FAIL", finding.text());
        }
    }

    @Test
    void shouldNameLongFramesThatAreCutOrLost() {
        assertFirst(LinkCheck.cut(LINK, 4_000, 8_178, 9_000), "FAIL", "x.0", "cut", "8178 bytes");
        assertFirst(LinkCheck.cut(LINK, 1, 8_178, 9_000), "WARN", "cut");
        assertEquals(List.of(), LinkCheck.cut(LINK, 0, 0, 9_000));
        assertFirst(LinkCheck.longFrames(LINK, 3, 0, 0), "x.0", "long frames did not arrive");
    }

    @Test
    void shouldNameCpusThatLoopsCannotHave() {
        // given
        final CpuCheck.Cpus cpus = new CpuCheck.Cpus("0-1,4", "0-1");
        final Map<String, Object> spin =
                Map.of("wait", LoopConfig.Waiting.SPIN, "loops", 2, "priority", 10);
        // when, then
        assertFirst(
                CpuCheck.loops(
                        LoopConfig.KEYS.with(
                                LoopConfig.KEYS.defaults(), Map.of("cpus", List.of(1, 7))),
                        cpus),
                "loop.cpus",
                "[7] that are offline",
                "0-1,4");
        assertFirst(
                CpuCheck.loops(
                        LoopConfig.KEYS.with(
                                LoopConfig.KEYS.defaults(), Map.of("cpus", List.of(1, 4))),
                        cpus),
                "loop.cpus",
                "[4]",
                "cpuset");
        assertFirst(
                CpuCheck.loops(LoopConfig.KEYS.with(LoopConfig.KEYS.defaults(), spin), cpus),
                "loop.priority",
                "SCHED_FIFO",
                "all of 2 CPUs");
        assertEquals(List.of(), CpuCheck.loops(LoopConfig.KEYS.defaults(), cpus));
        assertEquals(
                List.of(),
                CpuCheck.loops(
                        LoopConfig.KEYS.with(LoopConfig.KEYS.defaults(), spin),
                        new CpuCheck.Cpus("0-7", "0-7")));
    }

    @Test
    void shouldNameWhatDelaysAMachine() throws Exception {
        // given
        final Path state = Files.createDirectories(folder.resolve("cpu0/cpuidle/state3"));
        Files.writeString(state.resolve("latency"), "890\n");
        Files.writeString(state.resolve("name"), "C10\n");
        Files.writeString(state.resolve("disable"), "0\n");
        final Path groups = Files.writeString(folder.resolve("autogroup"), "1\n");
        // when, then
        assertFirst(CpuCheck.sleep(folder), "cpu sleep", "890us", "C10");
        assertFirst(TuningCheck.sessionGroups(groups), "CPU time of sessions");
        assertFirst(TuningCheck.hugePages(0), "huge pages");
        // and
        Files.writeString(state.resolve("disable"), "1\n");
        assertEquals(Finding.Level.OK, CpuCheck.sleep(folder).level());
        assertEquals(Finding.Level.OK, CpuCheck.sleep(folder.resolve("nowhere")).level());
    }
}
