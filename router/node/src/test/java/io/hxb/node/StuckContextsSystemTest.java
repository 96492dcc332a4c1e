package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.node.loop.NodeThreads;
import io.hxb.node.service.ServiceProtocol;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Real nodes over UDP, one of them with 60 contexts that do not receive. */
@Tag("system")
class StuckContextsSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int BASE_PORT = TestPorts.take(4);
    private static final int STUCK_CONTEXTS = 60;
    private static final int MESSAGES_EACH = 100;
    private static final int VICTIM = 61;
    private static final int PINGER = 62;
    private static final int MESSAGES = 3_000;

    /** A long message that takes one send buffer. */
    private static final int LENGTH = 9_000;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final PmMessage message = new PmMessage();
    private final List<Node> nodes = new ArrayList<>();

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

    private List<PmDevice> start() throws IOException {
        final ClusterConfig config =
                ClusterConfig.of("stuck", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, BASE_PORT));
        final NodeThreads threads = keep(NodeThreads.start(LoopConfig.DEFAULT));
        for (int id = 0; id < 2; id++) {
            nodes.add(keep(Node.start(NodeOptions.embedded(config, id, threads))));
        }
        nodes.forEach(node -> assertTrue(node.awaitNeighbours(10 * SECOND)));
        return List.of(keep(nodes.get(0).device()), keep(nodes.get(1).device()));
    }

    @Test
    void shouldAnswerPingsAndServeOthersBesideContextsThatDoNotReceive() throws IOException {
        // given
        final List<PmDevice> devices = start();
        // One destination alone may have nearly all, but not all.
        final PmContextOptions options =
                PmContextOptions.DEFAULT.withSendBuffers(2 * MESSAGES_EACH);
        final PmContext from = devices.get(0).openContext(VICTIM, options);
        final PmContext to = devices.get(1).openContext(VICTIM, options);
        final PmContext pinger = devices.get(0).openContext(PINGER, options);
        transfer(from, to);
        final long aloneNs = transfer(from, to);
        final List<PmContext> sources = new ArrayList<>();
        final List<PmContext> stuck = new ArrayList<>();
        for (int id = 1; id <= STUCK_CONTEXTS; id++) {
            stuck.add(devices.get(1).openContext(id, options));
            sources.add(devices.get(0).openContext(id, options));
            for (int i = 0; i < MESSAGES_EACH; i++) {
                assertTrue(send(sources.getLast(), 1, id, i) >= 0);
            }
        }
        // when
        ping(pinger);
        final long besideNs = transfer(from, to);
        ping(pinger);
        // then
        System.out.printf(
                "stuck contexts: %d messages in %.1f ms alone, %.1f ms beside them%n",
                MESSAGES, aloneNs / 1e6, besideNs / 1e6);
        for (int i = 0; i < STUCK_CONTEXTS; i++) {
            assertTrue(sources.get(i).unfinishedSends() > 0, "it is stuck");
            receiveAll(stuck.get(i));
        }
    }

    private static int send(final PmContext from, final int node, final int to, final int tag) {
        final int slot = from.claim(node, to, LENGTH);
        if (slot >= 0) {
            assertEquals(PmStatus.OK, from.send(slot, LENGTH, tag));
        }
        return slot;
    }

    private long transfer(final PmContext from, final PmContext to) {
        final long startNs = System.nanoTime();
        int sent = 0;
        int received = 0;
        while (received < MESSAGES) {
            while (sent < MESSAGES && send(from, 1, VICTIM, sent) >= 0) {
                sent++;
            }
            from.await(0);
            if (to.await(SECOND / 1_000) == PmStatus.OK) {
                while (to.receive(message) == PmStatus.OK) {
                    assertEquals(received++, message.tag());
                    to.release(message);
                }
            }
            assertTrue(System.nanoTime() - startNs < 60 * SECOND, received + " received");
        }
        return System.nanoTime() - startNs;
    }

    private void ping(final PmContext pinger) {
        for (int i = 0; i < 20; i++) {
            final int slot = pinger.claim(1, ServiceProtocol.CONTEXT, 8);
            assertEquals(PmStatus.OK, pinger.send(slot, 8, ServiceProtocol.ECHO));
            assertEquals(PmStatus.OK, pinger.await(10 * SECOND), "answer " + i);
            assertEquals(PmStatus.OK, pinger.receive(message));
            pinger.release(message);
        }
    }

    private void receiveAll(final PmContext context) {
        for (int i = 0; i < MESSAGES_EACH; i++) {
            assertEquals(PmStatus.OK, context.await(10 * SECOND), "message " + i);
            assertEquals(PmStatus.OK, context.receive(message));
            assertEquals(i, message.tag());
            context.release(message);
        }
    }
}
