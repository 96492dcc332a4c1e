package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.context.OtherUser;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;
import io.hxb.counter.ResourceUse;
import io.hxb.node.loop.NodeThreads;
import io.hxb.os.UserNames;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestPorts;
import io.hxb.tool.machine.Privileges;

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

/** Real nodes over UDP, and processes of users of several tenants. */
@Tag("system")
class TenantSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int A = 60_001;
    private static final int B = 60_002;
    private static final int C = 60_003;
    private static final int RATE = 500;
    private static final int HELD = 20;

    @TempDir private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeEach
    void needsRoot() throws IOException {
        assumeTrue(Privileges.isRoot(), "skipped: becoming another user needs root");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private List<Node> start(final int basePort, final String... tenants) throws IOException {
        final List<Node> nodes = new ArrayList<>();
        for (int id = 0; id < tenants.length; id++) {
            final String text =
                    """
                    name: tenants
                    shape: 2
                    links: 1
                    udp: {basePort: %d}
                    attach: {directory: %s, countersDirectory: %s}
                    loop: {wait: block}
                    %s
                    """
                            .formatted(basePort, folder, folder, tenants[id]);
            final ClusterConfig config = ClusterConfigYaml.parse(text, "cluster.yaml");
            final NodeThreads threads = NodeThreads.start(config.loop());
            open.add(threads);
            final Node node =
                    Node.start(new NodeOptions(config, id, threads, true, true, link -> link));
            open.add(node);
            nodes.add(node);
        }
        for (final Node node : nodes) {
            assertTrue(node.awaitNeighbours(20 * SECOND), "no neighbours");
        }
        return nodes;
    }

    private OtherUser attached(final int uid, final int node, final int context)
            throws IOException {
        final Path socket = folder.resolve("tenants-" + node + ".sock");
        final OtherUser user = OtherUser.start(socket, uid, uid, List.of());
        open.add(user);
        user.order("attach");
        user.order("open " + context);
        return user;
    }

    private static void awaitOpen(final OtherUser... users) throws IOException {
        for (final OtherUser user : users) {
            assertEquals("attached", user.answer());
            assertEquals("opened", user.answer());
        }
    }

    private static void assertRefused(final OtherUser from, final int node, final int context)
            throws IOException {
        final String answer = from.request("send " + node + " " + context);
        assertTrue(
                answer.startsWith("NOT_ALLOWED node " + node + " context " + context)
                        && answer.contains("this context's tenant may not send there"),
                answer);
    }

    @Test
    void shouldLetMessagesCrossTenantsOnlyWhereTheFileReportsIt() throws Exception {
        // given
        final String tenants =
                "tenants: {a: {uids: 60001}, b: {uids: 60002}, c: {uids: 60003, talksTo: b}}";
        final List<Node> nodes = start(TestPorts.take(8), tenants, tenants);
        final OtherUser a = attached(A, 0, 1);
        final OtherUser c = attached(C, 0, 2);
        final OtherUser b = attached(B, 1, 1);
        awaitOpen(a, b, c);
        // then nobody but c reaches b, and b does not reach c
        assertRefused(a, 1, 1);
        assertEquals("sent", c.request("send 1 1"));
        assertEquals("from 0:2", b.request("receive"));
        assertRefused(b, 0, 2);
        // nor does anybody within one node
        assertRefused(a, 0, 2);
        // and everybody reaches the nodes themselves, which answer
        assertEquals("sent", a.request("send 1 0"));
        awaitSome(nodes.get(1), CounterType.FLOW_NOT_ALLOWED_EVENTS);
        // and the operator reaches everybody, but nobody reaches him
        try (PmDevice device = nodes.getFirst().device();
                PmContext operator = device.openContext(9)) {
            final int slot = operator.claim(1, 1, 8);
            assertEquals(PmStatus.OK, operator.send(slot, 8, 1));
            assertEquals("from 0:9", b.request("receive"));
            assertRefused(b, 0, 9);
            assertEquals(PmStatus.EMPTY, operator.receive(new PmMessage()));
        }
    }

    @Test
    void shouldCheckAtBothEndsWhereOneNodesFileKnowsNoTenants() throws Exception {
        // given: node 1 lets everybody in
        start(
                TestPorts.take(8),
                "tenants: {a: {uids: 60001}}",
                "attach: {directory: %s, allowedUids: [60002]}"
                        .formatted(folder)
                        .replace("attach: {", "limits: {contexts: 4}\n# {"));
        final OtherUser a = attached(A, 0, 1);
        awaitOpen(a);
        try (PmDevice device = PmDevice.attach(folder.resolve("tenants-1.sock"));
                PmContext context = device.openContext(5)) {
            // when, then: the sender's own node does not let it
            assertRefused(a, 1, 5);
            assertEquals(PmStatus.EMPTY, context.receive(new PmMessage()));
        }
    }

    @Test
    void shouldHoldBackOnlySourcesThatSendTooMuch() throws Exception {
        // given
        final String tenants =
                "tenants: {a: {uids: 60001, userLimits: {messagesPerSecond: %d}}, b: {uids: 60002}}"
                        .formatted(RATE);
        final List<Node> nodes = start(TestPorts.take(8), tenants, tenants);
        final OtherUser a = attached(A, 0, 1);
        final OtherUser b = attached(B, 0, 2);
        awaitOpen(a, b);
        try (PmDevice device = nodes.get(1).device();
                PmContext sink = device.openContext(3)) {
            // when both send to the node's own context, one as fast as it can for a second
            a.order("flood 1 0");
            final String ofB = b.request("burst 1 0 2000");
            final String[] ofA = a.answer().split(" in ", -1);
            // then: what may go in that time and at once, and what waits in the application's slots
            final long inTime = RATE * Long.parseLong(ofA[1]) / SECOND;
            assertTrue(
                    Integer.parseInt(ofA[0]) <= inTime + RATE / 50 + 16 + 16,
                    () -> "a sent " + String.join(" in ns ", ofA));
            assertEquals("sent", ofB);
            awaitSome(nodes.getFirst(), CounterType.CONTEXT_LIMITED_MESSAGES_EVENTS);
            // and nothing is lost: what waits goes on
            assertEquals(PmStatus.EMPTY, sink.receive(new PmMessage()));
            assertEquals("sent", a.request("send 1 0"));
        }
    }

    @Test
    void shouldLimitTheBuffersOfATenantAndShowThemInTheCounterFile() throws Exception {
        // given
        final String tenants =
                """
                pool: {buffers: 1024}
                tenants:
                  a: {uids: 60001, limits: {heldBuffers: %d, contexts: 2}}
                  b: {uids: 60002, talksTo: [a]}
                """
                        .formatted(HELD);
        final List<Node> nodes = start(TestPorts.take(8), tenants, tenants);
        final OtherUser a = attached(A, 1, 1);
        final OtherUser b = attached(B, 0, 1);
        awaitOpen(a, b);
        assertEquals("opened", a.request("open 2"));
        assertTrue(a.request("open 3").contains("tenant a may have 2 contexts (tenants.a.limits"));
        // when: contexts that have earned credit stop receiving
        final String key = "heldBuffers";
        for (int i = 0; i < 30; i++) {
            assertEquals("sent", b.request("burst 1 1 8"));
            assertEquals("received", a.request("drain"));
        }
        b.order("burst 1 1 100000");
        // then: the counter file shows that they have what they may have, and are refused more
        final Path file = nodes.get(1).counters().file();
        ResourceUse tenant = use(file, "tenant a");
        final long untilNs = System.nanoTime() + 60 * SECOND;
        while (System.nanoTime() < untilNs
                && (tenant == null || tenant.shares().get(key).refused() == 0)) {
            tenant = use(file, "tenant a");
        }
        assertEquals(HELD, tenant.shares().get(key).limit());
        assertTrue(tenant.shares().get(key).held() <= HELD, tenant::toString);
        assertTrue(tenant.shares().get(key).held() > HELD / 2, tenant::toString);
        assertTrue(tenant.shares().get(key).refused() > 0, tenant::toString);
        assertEquals(new ResourceUse.Figures(2, 2, 1), tenant.shares().get("contexts"));
        final ResourceUse user = use(file, "user 60001");
        assertEquals("a", user.tenant());
        assertEquals(1, user.shares().get("connections").held());
        awaitSome(nodes.get(1), CounterType.CONTEXT_LIMITED_BUFFERS_EVENTS);
    }

    // Counters are copied a few times a second.
    private static void awaitSome(final Node node, final CounterType type) {
        TestNamespaces.await(type.name(), () -> node.counters().sum(type) > 0);
    }

    private static ResourceUse use(final Path file, final String who) throws IOException {
        try (CounterReader reader = CounterReader.open(file)) {
            return reader.shares().uses().stream()
                    .filter(use -> use.who().equals(who))
                    .findFirst()
                    .orElse(null);
        }
    }

    @Test
    void shouldKnowUsersByName() {
        assertEquals(65_534, UserNames.uid("nobody").orElseThrow());
        assertTrue(UserNames.uid("no such user").isEmpty());
        assertEquals(0, UserNames.gid("root").orElseThrow());
    }
}
