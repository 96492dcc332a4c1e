package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.counter.CounterType;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmException;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.recorder.RecordedEvent;
import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What nodes of two, with two UDP links between them, report of themselves. */
@Tag("system")
class NodeCountersTest {
    private static final int MESSAGES = 100;
    private static final long SECOND_NS = 1_000_000_000L;

    private static final int BASE_PORT = TestPorts.take(4);

    @TempDir private Path folder;

    private Node start(final int id) throws IOException {
        final ClusterConfig config =
                ClusterConfig.of(
                                "counters", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 2, BASE_PORT))
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()));
        return Node.start(NodeOptions.service(config, id));
    }

    private static void awaitCount(final Node node, final CounterType type, final long value) {
        TestNamespaces.await(
                () -> type + " is " + value + ", not " + node.counters().sum(type),
                () -> node.counters().sum(type) == value);
    }

    @Test
    void shouldCountWhatBecomesOfMessagesContextsAndBuffers() throws Exception {
        try (Node from = start(0);
                Node to = start(1)) {
            // given
            assertTrue(from.awaitNeighbours(10 * SECOND_NS) && to.awaitNeighbours(10 * SECOND_NS));
            // The node has one of its own, which answers ping and perf.
            final int own = 1;
            try (PmDevice here = from.device();
                    PmDevice there = to.device();
                    PmContext sender = here.openContext(1);
                    PmContext receiver = there.openContext(1)) {
                // when
                for (int i = 0; i < MESSAGES; i++) {
                    sender.send(sender.claim(1, 1, 24), 24, i);
                }
                final PmMessage message = new PmMessage();
                for (int i = 0; i < MESSAGES; i++) {
                    assertEquals(PmStatus.OK, receiver.await(10 * SECOND_NS));
                    assertEquals(PmStatus.OK, receiver.receive(message));
                }
                assertThrows(PmException.class, () -> there.openContext(1));
                // then
                awaitCount(from, CounterType.FLOW_SENT_MESSAGES, MESSAGES);
                awaitCount(to, CounterType.FLOW_DELIVERED_MESSAGES, MESSAGES);
                awaitCount(to, CounterType.CONTEXT_OPEN_CONTEXTS, own + 1);
                awaitCount(to, CounterType.CONTEXT_REFUSED_EVENTS, 1);
                awaitCount(to, CounterType.FLOW_RECEIVING_FLOWS, 1);
                awaitCount(from, CounterType.FLOW_SENDING_FLOWS, 1);
                assertBodies(from, CounterType.FLOW_SENT_BYTES);
                assertBodies(to, CounterType.FLOW_DELIVERED_BYTES);
                assertPool(to);
            }
            awaitCount(to, CounterType.CONTEXT_CLOSED_NORMALLY_EVENTS, 1);
            awaitCount(to, CounterType.CONTEXT_OPEN_CONTEXTS, own);
            awaitCount(to, CounterType.FLOW_RECEIVING_FLOWS, 0);
            for (final RecordedEvent event :
                    List.of(
                            RecordedEvent.NODE_STARTED,
                            RecordedEvent.LINK_UP,
                            RecordedEvent.LINK_FOUND,
                            RecordedEvent.CONTEXT_OPENED,
                            RecordedEvent.CONTEXT_REFUSED,
                            RecordedEvent.CONTEXT_CLOSED)) {
                TestNamespaces.await(
                        () -> event + " is not among " + to.counters().recorder().recent(),
                        () ->
                                to.counters().recorder().recent().stream()
                                        .anyMatch(entry -> entry.event() == event));
            }
        }
    }

    @Test
    void shouldCountANeighbourThatFallsSilentAndComesBack() throws Exception {
        try (Node stays = start(0)) {
            // given
            try (Node goes = start(1)) {
                assertTrue(stays.awaitNeighbours(10 * SECOND_NS));
                assertTrue(goes.awaitNeighbours(10 * SECOND_NS));
                awaitCount(stays, CounterType.TRUNK_NEIGHBOURS_NODES, 1);
            }
            // when / then
            awaitFailedLinks(stays, 2);
            awaitCount(stays, CounterType.TRUNK_NEIGHBOURS_NODES, 0);
            TestNamespaces.await(
                    "it is lost", () -> stays.counters().sum(CounterType.TRUNK_LOST_EVENTS) > 0);
            final long recovered = stays.counters().sum(CounterType.LINK_RECOVERED_EVENTS);
            // when / then
            try (Node back = start(1)) {
                assertTrue(back.awaitNeighbours(10 * SECOND_NS));
                awaitFailedLinks(stays, 0);
                awaitCount(stays, CounterType.TRUNK_NEIGHBOURS_NODES, 1);
                assertTrue(
                        stays.counters().sum(CounterType.LINK_RECOVERED_EVENTS) >= recovered + 2);
                assertTrue(stays.counters().sum(CounterType.LINK_HELLO_RECEIVED_FRAMES) >= 4);
                assertTrue(stays.counters().sum(CounterType.LINK_HELLO_SENT_FRAMES) >= 4);
            }
        }
    }

    // On a busy machine a link may also fail and recover while both nodes run.
    private static void awaitFailedLinks(final Node node, final int links) {
        TestNamespaces.await(
                () ->
                        links
                                + " links have failed, not "
                                + node.counters().sum(CounterType.LINK_EXCLUDED_EVENTS)
                                + " less "
                                + node.counters().sum(CounterType.LINK_RECOVERED_EVENTS),
                () ->
                        node.counters().sum(CounterType.LINK_EXCLUDED_EVENTS)
                                        - node.counters().sum(CounterType.LINK_RECOVERED_EVENTS)
                                == links);
    }

    // Each message has a record of 8 bytes.
    private static void assertBodies(final Node node, final CounterType type) {
        TestNamespaces.await(
                () -> type + ": " + node.counters().sum(type),
                () -> node.counters().sum(type) == MESSAGES * 32L);
    }

    private static void assertPool(final Node node) {
        final long size = node.counters().sum(CounterType.POOL_SIZE_BUFFERS);
        assertEquals(node.config().pool().bufferCount(), size);
        // Links take and give back buffers between the two.
        TestNamespaces.await(
                "free and outstanding buffers are all there are",
                () ->
                        node.counters().sum(CounterType.POOL_FREE_BUFFERS)
                                        + node.counters().sum(CounterType.POOL_OUTSTANDING_BUFFERS)
                                == size);
    }
}
