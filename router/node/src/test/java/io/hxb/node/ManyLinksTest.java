package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.counter.CounterType;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;

/** A node with as many links as there can be: eight dimensions of eight. */
@Tag("system")
class ManyLinksTest {
    private static final int LINKS = 64;
    private static final int MESSAGES = 1_000;

    @Test
    void shouldWorkWithSixtyFourLinks() throws IOException {
        // given
        final Shape shape = Shape.of(2, 2, 2, 2, 2, 2, 2, 2);
        final ClusterConfig config =
                ClusterConfig.of(
                        "many", shape, Backend.UDP, LinkPlan.udp(8, 8, TestPorts.take(2 * LINKS)));
        try (Node from = Node.start(NodeOptions.embedded(config, 0, null));
                Node to = Node.start(NodeOptions.embedded(config, 1, null));
                PmDevice here = from.device();
                PmDevice there = to.device()) {
            TestNamespaces.await(
                    "all eight links between two of the nodes",
                    () -> from.knownNeighbours() == 8 && to.knownNeighbours() == 8);
            // when
            final int received = exchange(here.openContext(1), there.openContext(1));
            // then
            assertEquals(MESSAGES, received);
            for (int link = 0; link < LINKS; link++) {
                final long sent = from.counters().sum(CounterType.LINK_SENT_FRAMES, link);
                assertTrue(sent > 0, "link " + link + " sent nothing, not even hellos");
            }
        }
    }

    private static int exchange(final PmContext from, final PmContext to) {
        final PmMessage message = new PmMessage();
        int sent = 0;
        int received = 0;
        final long deadlineNs = System.nanoTime() + 30_000_000_000L;
        while (received < MESSAGES && System.nanoTime() < deadlineNs) {
            final int slot = sent < MESSAGES ? from.claim(1, 1, 4_000) : PmStatus.NO_BUFFERS;
            if (slot >= 0) {
                assertEquals(PmStatus.OK, from.send(slot, 4_000, sent++));
            } else if (to.receive(message) == PmStatus.OK) {
                assertEquals(received++, message.tag());
                to.release(message);
            } else {
                to.await(1_000_000);
            }
        }
        return received;
    }
}
