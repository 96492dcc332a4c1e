package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.context.OtherUser;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.TestPorts;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Who talks to whom on real nodes, as an operator and two users see it. */
@Tag("system")
class FlowsSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int ALICE = 60_001;
    private static final int BOB = 60_002;

    @TempDir private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();
    private Path file;
    private Node last;

    @BeforeEach
    void startNodes() throws IOException {
        assumeTrue(Privileges.isRoot(), "skipped: becoming another user needs root");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        file = folder.resolve("cluster.yaml");
        Files.writeString(
                file,
                """
                name: talk
                shape: 2
                links: 2
                udp: {basePort: %d}
                hosts: {pc-a: "0", pc-b: "1"}
                attach: {directory: %s, countersDirectory: %s, allowedUids: [60001, 60002]}
                loop: {wait: block}
                """
                        .formatted(TestPorts.take(8), folder, folder));
        final ClusterConfig config = ClusterConfigYaml.read(file);
        for (int id = 0; id < 2; id++) {
            final NodeThreads threads = NodeThreads.start(config.loop());
            open.add(threads);
            last = Node.start(new NodeOptions(config, id, threads, true, true, link -> link));
            open.add(last);
        }
        assertTrue(last.awaitNeighbours(20 * SECOND), "no neighbours");
    }

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private OtherUser attached(final int uid, final int context) throws IOException {
        final OtherUser user = OtherUser.start(folder.resolve("talk-0.sock"), uid, uid, List.of());
        open.add(user);
        user.order("attach");
        user.order("open " + context);
        return user;
    }

    private static void receive(final PmContext context, final int count) {
        final PmMessage message = new PmMessage();
        for (int i = 0; i < count; i++) {
            assertEquals(PmStatus.OK, context.receive(message, 60 * SECOND), i + " messages");
            context.release(message);
        }
    }

    private static List<?> flows(final String json, final int index) {
        final Map<?, ?> report = Json.parse(json, Map.class, json);
        final Map<?, ?> node = (Map<?, ?>) ((List<?>) report.get("nodes")).get(index);
        return (List<?>) node.get("flows");
    }

    private static Map<?, ?> flow(final List<?> flows, final int context) {
        return flows.stream()
                .map(flow -> (Map<?, ?>) flow)
                .filter(flow -> flow.get("context").equals(context))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shouldShowOperatorsAllAndUsersWhatIsTheirs() throws Exception {
        // given: two users of one node, who send to a program on the other
        final OtherUser alice = attached(ALICE, 1);
        final OtherUser bob = attached(BOB, 2);
        for (final OtherUser user : List.of(alice, bob)) {
            assertEquals("attached", user.answer());
            assertEquals("opened", user.answer());
        }
        try (PmDevice device = last.device();
                PmContext to = device.openContext(9)) {
            alice.order("burst 1 9 100");
            receive(to, 100);
            assertEquals("sent", alice.answer());
            bob.order("send 1 9");
            receive(to, 1);
            assertEquals("sent", bob.answer());
            // when
            final String config = file.toString();
            final HxbOutput json = HxbOutput.of("flows", "--config", config, "--json");
            final HxbOutput text =
                    HxbOutput.of("flows", "--config", config, "--node", "pc-a", "--count", "2");
            // then the operator sees both, and what each has sent
            assertEquals(ExitStatus.OK, json.status(), json::errors);
            final Map<?, ?> ofAlice = flow(flows(json.text(), 0), 1);
            assertEquals("user 60001", ofAlice.get("user"));
            assertEquals("java", ofAlice.get("program"));
            assertEquals("pc-b", ofAlice.get("peer_host"));
            assertEquals(9, ofAlice.get("peer_context"));
            assertEquals("open", ofAlice.get("state"));
            assertEquals(100, ofAlice.get("sent_messages"));
            assertEquals(0, ofAlice.get("received_messages"));
            assertTrue((int) ofAlice.get("round_trip_ns") > 0, json::text);
            final Map<?, ?> link = (Map<?, ?>) ((List<?>) ofAlice.get("links")).getFirst();
            assertTrue(link.get("link").toString().startsWith("x."), json::text);
            assertEquals(1, flow(flows(json.text(), 0), 2).get("sent_messages"));
            // and at the other end what arrived
            final Map<?, ?> received = flow(flows(json.text(), 1), 9);
            assertEquals("receiving", received.get("state"));
            assertEquals(100, received.get("received_messages"));
            assertEquals(ofAlice.get("sent_bytes"), received.get("received_bytes"));
            assertTrue(text.text().contains("pc-b:9"), text::text);
            assertTrue(text.text().contains("out MB/s"), text::text);
            // and each user sees what is theirs
            assertEquals("1 to 1:9", alice.request("flows 0"));
            assertEquals("2 to 1:9", bob.request("flows 0"));
            final String refusal = alice.request("flows " + (1 + BOB));
            assertTrue(refusal.contains("only operators"), refusal);
        }
        // when a node is not there
        last.close();
        final HxbOutput gone = HxbOutput.of("flows", "--config", file.toString(), "--node", "1");
        // then
        assertEquals(ExitStatus.FAILED, gone.status());
        assertTrue(gone.text().contains("no node listens on"), gone::text);
    }
}
