package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.testing.TestNamespaces;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A node whose cluster file also names a plan and a NIC: it runs the network manager, too. */
@Tag("system")
class NodeManagerSystemTest {
    @TempDir private Path folder;

    private TestNamespaces namespaces;
    private String host;
    private String plan;

    @BeforeEach
    void makeHost() {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        host = namespaces.add("host");
        final String switches = namespaces.add("switch");
        namespaces.veth(host, "eth0", switches, "p0", 1500);
        TestNamespaces.ipIn(host, "link set eth0 address 02:48:58:42:00:01");
        plan = folder.resolve("net.plan").toString();
        final HxbOutput made =
                HxbOutput.of(
                        "plan",
                        "vlan",
                        "--graph",
                        "vbft:2,2",
                        "--kind",
                        "host-tagged",
                        "--save",
                        plan);
        assertEquals(ExitStatus.OK, made.status(), made.errors());
    }

    @AfterEach
    void removeHost() {
        if (namespaces != null) {
            namespaces.close();
        }
    }

    private HxbProcess node(final String nic) throws IOException {
        final Path file =
                Files.writeString(
                        folder.resolve("cluster.yaml"),
                        """
                        name: managed
                        shape: 2
                        backend: udp
                        links: 1
                        attach: {directory: %s, countersDirectory: %s}
                        manager: {plan: %s, nic: %s, state: %s}
                        """
                                .formatted(folder, folder, plan, nic, folder.resolve("state")));
        return HxbProcess.start(
                folder,
                List.of("ip", "netns", "exec", host),
                "node",
                "--config",
                file.toString(),
                "--node",
                "0",
                "--json");
    }

    @Test
    void shouldManageTheNicOfItsHost() throws Exception {
        final String socket = folder.resolve("manager.sock").toString();
        try (HxbProcess node = node("eth0")) {
            node.await("the node", () -> node.output().contains("\"manager\":true"));
            final HxbOutput show = HxbOutput.of("route", "show", "--manager", socket);
            assertEquals(ExitStatus.OK, show.status(), show.errors());
            assertTrue(show.text().startsWith("h1 (1)"), show.text());
            final HxbOutput set =
                    HxbOutput.of("route", "set", "h0", "3", "--commit", "--manager", socket);
            assertEquals(ExitStatus.OK, set.status(), set.errors());
            assertTrue(set.text().contains("h1 sends to h0 in VID 3"), set.text());
        }
        assertTrue(
                Files.readString(folder.resolve("state")).contains("02:48:58:42:00:00 3"),
                "what was committed is kept");
    }

    @Test
    void shouldNotStartWithoutTheNic() throws Exception {
        try (HxbProcess node = node("eth7")) {
            assertEquals(ExitStatus.FAILED, node.status());
            assertTrue(node.errors().contains("there is no NIC eth7"), node.errors());
        }
    }
}
