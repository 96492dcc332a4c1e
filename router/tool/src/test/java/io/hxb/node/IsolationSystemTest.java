package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.context.MemoryScan;
import io.hxb.context.OtherUser;
import io.hxb.linux.Memory;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
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
import java.util.Random;

/**
 * A process that looks for what others receive and send in all memory that it can read, on real
 * nodes over UDP.
 */
@Tag("system")
class IsolationSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int HOSTILE = 60_001;
    private static final int HOSTILE_CONTEXT = 1;
    private static final int VICTIM_CONTEXT = 2;
    private static final int MESSAGES = 300;
    private static final int LENGTH_BYTES = 4_096;
    private static final String COMMON_POOL = "/memfd:hxb-receive";

    @TempDir private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final PmMessage message = new PmMessage();
    private final Random random = new Random();
    private final PmContext[] contexts = new PmContext[2];

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

    private <T extends AutoCloseable> T keep(final T resource) {
        open.add(resource);
        return resource;
    }

    @Test
    void shouldShowNobodyWhatOthersReceiveOrSendWhereContextsHaveBuffersOfTheirOwn()
            throws Exception {
        // given
        final OtherUser hostile = start(TestPorts.take(4), "copy");
        // when
        final long secret = exchangeSecrets();
        // then: not what others got, but what was for itself
        assertEquals("[]", hostile.request("scan " + hex(secret)));
        final long own = random.nextLong();
        send(contextOf(0), HOSTILE_CONTEXT, own);
        assertEquals("from 0:" + VICTIM_CONTEXT, hostile.request("receive"));
        final String places = hostile.request("scan " + hex(own));
        assertTrue(places.startsWith("[/memfd:") && !places.contains(COMMON_POOL), places);
        // The look leaves no copies where it looks next.
        assertEquals(places, hostile.request("scan " + hex(own)));
    }

    @Test
    void shouldShowWhatOthersReceiveWhereTheySharePoolAndNotWhatTheySend() throws Exception {
        // given
        final OtherUser hostile = start(TestPorts.take(4), "shared");
        // when
        final long secret = exchangeSecrets();
        // then: the look finds what is there to be found
        final String places = hostile.request("scan " + hex(secret));
        assertTrue(places.startsWith("[" + COMMON_POOL) && !places.contains(","), places);
    }

    private OtherUser start(final int basePort, final String isolation) throws IOException {
        final String text =
                """
                name: isolation
                shape: 2
                links: 1
                udp: {basePort: %d}
                attach: {directory: %s, countersDirectory: %s, allowedUids: [%d]}
                context: {isolation: %s}
                loop: {wait: block}
                """
                        .formatted(basePort, folder, folder, HOSTILE, isolation);
        final ClusterConfig config = ClusterConfigYaml.parse(text, "cluster.yaml");
        final List<Node> nodes = new ArrayList<>();
        for (int id = 0; id < 2; id++) {
            final NodeThreads threads = keep(NodeThreads.start(config.loop()));
            nodes.add(
                    keep(
                            Node.start(
                                    new NodeOptions(
                                            config, id, threads, true, false, link -> link))));
        }
        final OtherUser hostile = keep(OtherUser.start(socket(1), HOSTILE, HOSTILE, List.of()));
        assertEquals("attached", hostile.request("attach"));
        assertEquals("opened", hostile.request("open " + HOSTILE_CONTEXT));
        for (final Node node : nodes) {
            assertTrue(node.awaitNeighbours(20 * SECOND), "no neighbours");
        }
        contextOf(0);
        contextOf(1);
        return hostile;
    }

    private Path socket(final int node) {
        return folder.resolve("isolation-" + node + ".sock");
    }

    /** The context of this process at a node, to which it is attached as any other process. */
    private PmContext contextOf(final int node) throws IOException {
        if (contexts[node] == null) {
            final PmDevice device = keep(PmDevice.attach(socket(node)));
            contexts[node] = keep(device.openContext(VICTIM_CONTEXT));
        }
        return contexts[node];
    }

    private static String hex(final long secret) {
        return Long.toHexString(MemoryScan.masked(secret));
    }

    /** What the victim at the node of the hostile process receives and sends; all is released. */
    private long exchangeSecrets() throws IOException {
        final long secret = random.nextLong();
        final PmContext far = contextOf(0);
        final PmContext victim = contextOf(1);
        for (int i = 0; i < MESSAGES; i++) {
            send(far, VICTIM_CONTEXT, secret);
            receive(victim);
            // Within the node, too, and the other way.
            send(victim, VICTIM_CONTEXT, secret);
            receive(victim);
        }
        return secret;
    }

    private void send(final PmContext from, final int context, final long word) {
        final long untilNs = System.nanoTime() + 60 * SECOND;
        int slot = from.claim(1, context, LENGTH_BYTES);
        while (slot < 0 && System.nanoTime() < untilNs) {
            from.awaitSends(SECOND / 100);
            slot = from.claim(1, context, LENGTH_BYTES);
        }
        assertTrue(slot >= 0, "no send buffer");
        for (int at = 0; at < LENGTH_BYTES; at += Long.BYTES) {
            Memory.putLong(from.sendAddress(slot) + at, word);
        }
        assertEquals(PmStatus.OK, from.send(slot, LENGTH_BYTES, 0));
    }

    private void receive(final PmContext victim) {
        final long untilNs = System.nanoTime() + 60 * SECOND;
        while (victim.receive(message) != PmStatus.OK) {
            assertTrue(System.nanoTime() < untilNs, "nothing arrives");
            victim.await(SECOND / 10);
        }
        victim.release(message);
    }
}
