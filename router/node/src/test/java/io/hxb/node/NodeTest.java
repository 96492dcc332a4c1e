package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterType;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmLinkEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.session.KeyFile;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Real nodes over UDP on loopback: what an ordinary user runs. */
@Tag("system")
class NodeTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int CONTEXT = 1;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private List<Node> start(final NodeThreads threads, final Shape shape, final int basePort)
            throws IOException {
        return start(threads, shape, basePort, SecurityConfig.DEFAULT);
    }

    private List<Node> start(
            final NodeThreads threads,
            final Shape shape,
            final int basePort,
            final SecurityConfig security)
            throws IOException {
        open.add(threads);
        final ClusterConfig config =
                ClusterConfig.of(
                                "test",
                                shape,
                                Backend.UDP,
                                LinkPlan.udp(shape.dimensions(), 2, basePort))
                        .withSecurity(security);
        final List<Node> nodes = new ArrayList<>();
        for (int id = 0; id < shape.nodeCount(); id++) {
            final Node node = Node.start(NodeOptions.embedded(config, id, threads));
            open.add(node);
            nodes.add(node);
        }
        for (final Node node : nodes) {
            assertTrue(node.awaitNeighbours(10 * SECOND), () -> node.silentNeighbours().toString());
        }
        return nodes;
    }

    private PmContext context(final Node node) throws IOException {
        final PmDevice device = node.device();
        open.add(device);
        return device.openContext(CONTEXT);
    }

    @Test
    void shouldCarryMessagesThroughTwoRelays() throws IOException {
        // given
        final List<Node> nodes =
                start(NodeThreads.start(LoopConfig.DEFAULT), Shape.of(2, 2, 2), TestPorts.take(48));
        final PmContext from = context(nodes.getFirst());
        final PmContext to = context(nodes.getLast());
        // when
        exchange(from, to, nodes.getLast().nodeId(), 5_000);
        // then
        final long relayed =
                nodes.stream()
                        .mapToLong(node -> node.counters().sum(CounterType.FORWARD_RELAYED_FRAMES))
                        .sum();
        assertTrue(relayed >= 2, "relayed " + relayed);
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTHENTICATE", "ENCRYPT"})
    void shouldCarryMessagesThroughTwoRelaysWithAKey(
            final SecurityConfig.Mode mode, @TempDir final Path folder) throws IOException {
        // given
        final Path key = folder.resolve("key");
        KeyFile.generate(key);
        final LoopConfig loops = new LoopConfig(2, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0);
        final List<Node> nodes =
                start(
                        NodeThreads.start(loops),
                        Shape.of(2, 2, 2),
                        TestPorts.take(16),
                        new SecurityConfig(mode, List.of(key.toString())));
        final PmContext from = context(nodes.getFirst());
        final PmContext to = context(nodes.getLast());
        // when
        exchange(from, to, nodes.getLast().nodeId(), 5_000);
        // then
        for (final Node node : nodes) {
            assertEquals(0, node.counters().sum(CounterType.FORWARD_DROPPED_UNSEALED_FRAMES));
            assertEquals(0, node.counters().sum(CounterType.FORWARD_DROPPED_SEAL_FRAMES));
        }
    }

    @Test
    void shouldRunOnTheApplicationsThread() throws IOException {
        // given
        final List<Node> nodes =
                start(NodeThreads.invoker(LoopConfig.DEFAULT), Shape.of(2), TestPorts.take(4));
        final PmContext from = context(nodes.getFirst());
        final PmContext to = context(nodes.getLast());
        // when, then
        exchange(from, to, 1, 5_000);
    }

    @Test
    void shouldServeSeveralLoops() throws IOException {
        // given
        final LoopConfig loops = new LoopConfig(2, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0);
        final List<Node> nodes =
                start(NodeThreads.start(loops), Shape.of(2, 2), TestPorts.take(16));
        final PmContext from = context(nodes.getFirst());
        final PmContext to = context(nodes.getLast());
        // when, then
        exchange(from, to, nodes.getLast().nodeId(), 5_000);
    }

    @Test
    void shouldStartAgainOnLoopsThatGoOnForOthers() throws IOException {
        // given
        final LoopConfig loops = new LoopConfig(2, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0);
        final NodeThreads threads = NodeThreads.start(loops);
        final List<Node> nodes = start(threads, Shape.of(2), TestPorts.take(4));
        for (int round = 0; round < 3; round++) {
            // when
            nodes.get(1).close();
            nodes.set(1, Node.start(NodeOptions.embedded(nodes.getFirst().config(), 1, threads)));
            open.add(nodes.get(1));
            assertTrue(nodes.get(1).awaitNeighbours(30 * SECOND));
            // then
            try (PmDevice here = nodes.get(1).device();
                    PmDevice there = nodes.getFirst().device()) {
                exchange(here.openContext(CONTEXT), there.openContext(CONTEXT), 0, 500);
            }
        }
    }

    @Test
    void shouldNotifyAnApplicationThatSleepsOfItsLinks() throws IOException {
        // given
        final LoopConfig loops = new LoopConfig(2, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0);
        final List<Node> nodes = start(NodeThreads.start(loops), Shape.of(2), TestPorts.take(4));
        final PmDevice device = nodes.getFirst().device();
        open.add(device);
        final PmContext context = device.openContext(CONTEXT);
        final List<PmLinkEvent> events = new ArrayList<>();
        device.onLinkEvent(events::add);
        // when
        nodes.get(1).close();
        context.send(context.claim(1, CONTEXT, 0), 0, 0);
        final long deadlineNs = System.nanoTime() + 30 * SECOND;
        while (events.size() < 2 && System.nanoTime() < deadlineNs) {
            // Goes on sleeping after a callback, until its time is over or a peer is unreachable.
            context.await(SECOND);
        }
        // then
        assertEquals(2, events.size(), "both links to the node that is gone");
        assertTrue(events.stream().noneMatch(PmLinkEvent::isGood), events::toString);
    }

    private static void exchange(
            final PmContext from, final PmContext to, final int node, final int count) {
        final PmMessage message = new PmMessage();
        int sent = 0;
        int received = 0;
        final long deadlineNs = System.nanoTime() + 20 * SECOND;
        while (received < count) {
            assertTrue(System.nanoTime() < deadlineNs, "sent " + sent + " received " + received);
            if (sent < count) {
                final int length = 8 + sent % 1_000;
                final int slot = from.claim(node, CONTEXT, length);
                if (slot >= 0) {
                    from.sendBuffer(slot).putInt(0, sent);
                    assertEquals(PmStatus.OK, from.send(slot, length, sent));
                    sent++;
                    continue;
                }
            }
            if (to.receive(message) == PmStatus.OK) {
                assertEquals(received, message.tag());
                assertEquals(8 + received % 1_000, message.lengthBytes());
                assertEquals(received, message.buffer().getInt(0));
                to.release(message);
                received++;
            } else {
                to.await(1_000_000);
            }
        }
    }
}
