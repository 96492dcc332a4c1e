package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Labs whose nodes have virtual NICs, and {@code hxb ip}. */
@Tag("system")
class LabIpSystemTest {
    private static final int USAGE = 2;
    private static final Path NAMESPACES = Path.of("/etc/netns");

    @TempDir private static Path folder;

    private final String name = "i" + ProcessHandle.current().pid();

    @AfterEach
    void removesTheLab() throws Exception {
        try (HxbProcess down = run("lab", "down", "--all")) {
            down.status();
        }
    }

    private static HxbProcess hxb(final String... arguments) throws Exception {
        return HxbProcess.start(folder, arguments);
    }

    /** Where nothing depends on the process of the command. */
    private static HxbProcess run(final String... arguments) throws Exception {
        return HxbProcess.run(folder, arguments);
    }

    @Test
    void shouldGiveEachNodeAVirtualNicThatOthersReach() throws Exception {
        assumeTrue(Privileges.isRoot(), "skipped: root makes namespaces");
        assumeTrue(Files.exists(Path.of("/dev/net/tun")), "skipped: there is no /dev/net/tun");
        // given
        try (HxbProcess up =
                hxb("lab", "up", "--shape", "2", "--name", name, "--ip=10.78.0.0/24")) {
            assertEquals(ExitStatus.OK, up.status(), () -> up.output() + up.errors());
            assertTrue(up.output().contains("0 -- ping -c 3 10.78.0.2"), up::output);
        }
        final String routes =
                Shell.check("", List.of("ip", "-n", LabNames.namespace(name, 1), "route"));
        assertTrue(routes.contains("10.78.0.0/24 dev hxb0"), routes);
        // Two veth NICs of 10 Gbit/s each.
        assertEquals("20000", inNode(1, "cat", "/sys/class/net/hxb0/speed"));

        // when
        try (HxbProcess ip = run("ip", "--name", name, "--json")) {
            // then
            assertEquals(ExitStatus.OK, ip.status(), () -> ip.output() + ip.errors());
            assertEquals(65_000, ip.json().get("mtu"));
            final List<?> nodes = (List<?>) ip.json().get("nodes");
            assertEquals(2, nodes.size());
            final Map<?, ?> second = (Map<?, ?>) nodes.get(1);
            assertEquals(List.of("10.78.0.2"), second.get("addresses"));
            assertEquals(true, second.get("answers"));
        }
        TestNamespaces.await("a node has counted packets", this::hasCounted);
        try (HxbProcess hosts = run("ip", "--name", name, "--hosts", "1")) {
            assertEquals(ExitStatus.OK, hosts.status(), hosts::errors);
            assertEquals("10.78.0.2 node1." + name + ".hxb\n", hosts.output());
            assertResolves(hosts.output(), "10.78.0.2", "node1." + name + ".hxb");
        }
        try (HxbProcess doctor = run("doctor", "--name", name, "--all")) {
            doctor.status();
            assertTrue(doctor.output().contains("hxb0: is up, MTU 65000"), doctor::output);
        }
    }

    // By a hosts file of the namespace of node 0, as docs/howto/ip.md describes it.
    private void assertResolves(final String hosts, final String address, final String host)
            throws Exception {
        final boolean isFirst = Files.notExists(NAMESPACES);
        final Path own = NAMESPACES.resolve(LabNames.namespace(name, 0));
        Files.createDirectories(own);
        try {
            Files.writeString(own.resolve("hosts"), hosts);
            final String found = inNode(0, "getent", "hosts", host);
            assertEquals(List.of(address, host), List.of(found.split(" +", -1)));
            assertEquals("", Shell.run("", List.of("getent", "hosts", host)).output());
        } finally {
            Files.deleteIfExists(own.resolve("hosts"));
            Files.delete(own);
            if (isFirst && isEmpty(NAMESPACES)) {
                Files.delete(NAMESPACES);
            }
        }
    }

    private static boolean isEmpty(final Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }

    private String inNode(final int node, final String... command) {
        final List<String> words =
                new ArrayList<>(List.of("ip", "netns", "exec", LabNames.namespace(name, node)));
        words.addAll(List.of(command));
        return Shell.check("", words);
    }

    // Counters are copied to their file a few times a second.
    private boolean hasCounted() {
        try (HxbProcess ip = run("ip", "--name", name, "--no-probe", "--json")) {
            assertEquals(ExitStatus.OK, ip.status(), () -> ip.output() + ip.errors());
            return ((Map<?, ?>) ip.json().get("counters")).containsKey("sent_packets");
        } catch (final Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldSayWhatALabOverUdpLacks() throws Exception {
        try (HxbProcess up = hxb("lab", "up", "--shape", "2", "--backend", "udp", "--ip")) {
            assertEquals(USAGE, up.status(), up::output);
            assertTrue(up.errors().contains("--ip needs --backend raw"), up::errors);
        }
    }

    @Test
    void shouldSayThatNodesHaveNoVirtualNics() throws Exception {
        // given
        final Path file = Files.writeString(folder.resolve("c.yaml"), "shape: 2\nlinks: 1\n");
        // when
        try (HxbProcess ip = run("ip", "--config", file.toString(), "--node", "0")) {
            // then
            assertEquals(ExitStatus.FAILED, ip.status(), ip::output);
            assertTrue(ip.errors().contains("add ip.prefix to the cluster file"), ip::errors);
        }
    }
}
