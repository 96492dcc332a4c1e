package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.ResourceShare;
import io.hxb.config.TenantPlan;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.AttachMessage;

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
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Processes of several users at the socket of one node. */
@Tag("system")
class AttachUsersSystemTest {
    private static final int FEW_CONNECTIONS = 8;
    private static final int ALICE = 60_001;
    private static final int BOB = 60_002;
    private static final int PHYSICS = 60_011;
    private static final int BIOLOGY = 60_012;

    @TempDir private Path directory;

    private final List<OtherUser> users = new ArrayList<>();
    private final List<String> audit = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void needsRoot() throws IOException {
        assumeTrue(AttachAccess.ownUid() == 0, "skipped: becoming another user needs root");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterEach
    void endProcesses() {
        users.forEach(OtherUser::close);
    }

    private Path socket() {
        return directory.resolve("node.sock");
    }

    private OtherUser user(final int uid, final int gid, final Integer... groups)
            throws IOException {
        final OtherUser user = OtherUser.start(socket(), uid, gid, List.of(groups));
        users.add(user);
        return user;
    }

    private static TestNode node(final String file) throws Exception {
        return new TestNode(ClusterConfigYaml.parse("shape: 2\nlinks: 1\n" + file, "c.yaml"))
                .start();
    }

    private AttachServer serve(final TestNode node) throws IOException {
        return serve(node, ContextManager.MAX_CONNECTIONS);
    }

    private AttachServer serve(final TestNode node, final int maxConnections) throws IOException {
        return new AttachServer(
                        node.manager,
                        socket(),
                        AttachAccess.of(node.manager.parts().cluster()),
                        new AuditLog(audit::add),
                        maxConnections)
                .start();
    }

    private String audit() {
        synchronized (audit) {
            return audit.stream().collect(Collectors.joining("\n"));
        }
    }

    @Test
    void shouldNotLetOneUserTakeWhatOthersNeed() throws Exception {
        try (TestNode node =
                        node(
                                """
                                limits: {contexts: 3, connections: 2}
                                attach: {allowedUids: [60001, 60002]}
                                """);
                AttachServer server = serve(node)) {
            final OtherUser greedy = user(ALICE, ALICE);
            final OtherUser second = user(ALICE, ALICE);
            final OtherUser third = user(ALICE, ALICE);
            final OtherUser other = user(BOB, BOB);
            // when one user takes what it may have, with several processes
            assertEquals("attached", greedy.request("attach"));
            assertEquals("attached", second.request("attach"));
            assertEquals("opened", greedy.request("open 1"));
            assertEquals("opened", greedy.request("open 2"));
            assertEquals("opened", second.request("open 3"));
            // then it gets no further ones, and gets the reason
            final String context = second.request("open 4");
            assertTrue(
                    context.contains("user 60001 may have 3 contexts (limits.contexts"), context);
            final String connection = third.request("attach");
            assertTrue(connection.contains("2 connections (limits.connections"), connection);
            // and others are not hindered
            assertEquals("attached", other.request("attach"));
            assertEquals("opened", other.request("open 5"));
            try (PmDevice operator = PmDevice.attach(socket());
                    PmContext own = operator.openContext(6)) {
                assertEquals(6, own.contextId());
                assertEquals(5, node.manager.openContexts());
            }
            assertEquals(1, node.manager.sharesRefused(ResourceShare.CONTEXTS));
            assertEquals(1, node.manager.sharesRefused(ResourceShare.CONNECTIONS));
            assertEquals(1, server.refused());
            // and what it gives back it may have again
            second.close();
            TestNode.await("taken back", () -> node.manager.openContexts() == 3);
            assertEquals("attached", third.request("attach"));
            assertEquals("opened", third.request("open 4"));
            assertTrue(
                    audit().contains("\"event\":\"refused\",\"uid\":60001,\"gid\":60001,\"pid\":"),
                    audit());
        }
    }

    @Test
    void shouldKnowTheTenantOfAProcessByItsUserAndItsGroups() throws Exception {
        try (TestNode node =
                        node(
                                """
                                tenants:
                                  physics: {gids: 60011, contexts: 1-9}
                                  biology: {uids: 60002, gids: 60012, limits: {contexts: 1}}
                                """);
                AttachServer server = serve(node)) {
            // by a supplementary group
            final OtherUser physicist = user(ALICE, ALICE, 7, PHYSICS);
            assertEquals("attached", physicist.request("attach"));
            assertEquals("opened", physicist.request("open 9"));
            final String foreign = physicist.request("open 10");
            assertTrue(foreign.contains("context 10 is not one of tenant physics"), foreign);
            final String own = physicist.request("open 0");
            assertTrue(own.contains("context 0 is the node's own"), own);
            // by the user, whatever its groups
            final OtherUser biologist = user(BOB, BOB, PHYSICS);
            assertEquals("attached", biologist.request("attach"));
            assertEquals("opened", biologist.request("open 20"));
            final String second = biologist.request("open 21");
            assertTrue(
                    second.contains("tenant biology may have 1 contexts (tenants.biology.limits"),
                    second);
            // by nothing
            final String nobody = user(ALICE, ALICE).request("attach");
            assertTrue(nobody.contains("user 60001 (group 60001) is in no tenant"), nobody);
            // by too much
            final String both = user(ALICE, ALICE, PHYSICS, BIOLOGY).request("attach");
            assertTrue(both.contains("groups of several tenants (physics, biology)"), both);
            assertEquals("attached", user(ALICE, PHYSICS, BIOLOGY).request("attach"));
            assertEquals(2, server.refused());
            assertTrue(audit().contains("\"tenant\":\"physics\""), audit());
        }
    }

    @Test
    void shouldNotLetSilentProcessesKeepOthersOut() throws Exception {
        // given: as many connections as the node can have, and none sends HELLO
        try (TestNode node = node("limits: {connections: 4}\n");
                AttachServer server = serve(node, FEW_CONNECTIONS)) {
            final List<UnixSocket> silent = new ArrayList<>();
            try {
                // when
                final PmException refused = refusal(node, silent);
                assertTrue(
                        refused.getMessage().contains("as many connections"), refused.toString());
                // then their places are free again in a bounded time
                TestNode.await("they are detached", () -> server.refused() > silent.size());
                PmDevice.attach(socket()).close();
            } finally {
                silent.forEach(UnixSocket::close);
            }
        }
    }

    // On a busy machine some silent ones are detached before the next program comes.
    private PmException refusal(final TestNode node, final List<UnixSocket> silent)
            throws IOException {
        for (int i = 0; i < 20; i++) {
            while (silent.size() < (i + 1) * FEW_CONNECTIONS) {
                silent.add(UnixSocket.connect(socket()));
            }
            TestNode.await("all are accepted or refused", () -> isFull(node));
            try {
                PmDevice.attach(socket()).close();
            } catch (final PmException e) {
                return e;
            }
        }
        throw new AssertionError("attached beside " + silent.size() + " silent processes");
    }

    private static boolean isFull(final TestNode node) {
        return node.manager.attachmentsRefused() > 0
                || node.manager
                                .shares()
                                .of(0, TenantPlan.OPERATOR)
                                .book(ResourceShare.CONNECTIONS)
                                .used()
                        == FEW_CONNECTIONS;
    }

    @Test
    void shouldReportWhyWhetherOrNotTheProcessHasSentHello() throws Exception {
        // given
        try (TestNode node = node("");
                AttachServer server =
                        new AttachServer(
                                        node.manager,
                                        socket(),
                                        new AttachAccess(Set.of(ALICE), Set.of()))
                                .start()) {
            final AttachMessage message = new AttachMessage();
            for (int round = 0; round < 50; round++) {
                try (UnixSocket socket = UnixSocket.connect(socket())) {
                    if (round % 2 == 0) {
                        message.request(AttachMessage.HELLO);
                        socket.send(message.address(), AttachMessage.LENGTH_BYTES);
                    }
                    // when
                    final int length =
                            socket.receive(message.address(), AttachMessage.LENGTH_BYTES, true);
                    // then
                    assertEquals(AttachMessage.LENGTH_BYTES, length, "round " + round);
                    assertTrue(message.isRefusal());
                    assertTrue(message.text().contains("may not attach"), message.text());
                    assertFalse(message.problem(length) != null);
                }
            }
            assertEquals(50, server.refused());
        }
    }
}
