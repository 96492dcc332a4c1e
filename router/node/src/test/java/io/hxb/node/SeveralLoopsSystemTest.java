package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.counter.CounterType;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.TestNamespaces;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

/** Nodes with a loop for each of their NICs. */
@Tag("system")
class SeveralLoopsSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int CONTEXT = 1;
    private static final int MESSAGES = 300;
    private static final List<String> NICS = List.of("n0", "n1");

    @Test
    void shouldReceiveOnEveryNicAfterItsMtuHasGrown() throws IOException {
        TestNamespaces.assumeRoot();
        try (TestNamespaces namespaces = new TestNamespaces()) {
            // given
            final String left = namespaces.add("0");
            final String right = namespaces.add("1");
            NICS.forEach(nic -> namespaces.veth(left, nic, right, nic, 1_500));
            final ClusterConfig config = cluster(left);
            try (Node one = Node.start(NodeOptions.embedded(config, 0, null));
                    Node other = Node.start(NodeOptions.embedded(config, 1, null));
                    PmDevice from = one.device();
                    PmDevice to = other.device()) {
                assertTrue(one.awaitNeighbours(10 * SECOND) && other.awaitNeighbours(10 * SECOND));
                final PmContext source = from.openContext(CONTEXT);
                final PmContext sink = to.openContext(CONTEXT);
                exchange(source, sink, 10);
                // when: larger frames need larger rings, which have other descriptors
                for (final String nic : NICS) {
                    TestNamespaces.ipIn(left, "link set " + nic + " mtu 9000");
                    TestNamespaces.ipIn(right, "link set " + nic + " mtu 9000");
                }
                awaitMtu(one, 9_000);
                awaitMtu(other, 9_000);
                // then: short lone messages, which come by the ring, come over both NICs; half of
                // them would always be sent again if one were not listened to
                TestNamespaces.await(
                        () -> "few messages are sent again: " + resent(one) + " in all",
                        () -> isHardlyResent(one, source, sink));
                TestNamespaces.awaitNone(
                        "faults of links",
                        () ->
                                one.counters().sum(CounterType.LINK_EXCLUDED_EVENTS)
                                        + other.counters().sum(CounterType.LINK_EXCLUDED_EVENTS),
                        () -> exchange(source, sink, MESSAGES));
            }
        }
    }

    private static ClusterConfig cluster(final String namespace) {
        final String pattern = namespace.substring(0, namespace.length() - 1) + "{node}";
        final LoopConfig loops =
                new LoopConfig(NICS.size(), LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0);
        return ClusterConfig.of(
                        "loops", Shape.of(2), Backend.RAW, LinkPlan.raw(List.of(NICS), pattern))
                .withLoop(loops);
    }

    // Hello frames have the counters of a link copied.
    private static void awaitMtu(final Node node, final int mtuBytes) {
        for (int link = 0; link < NICS.size(); link++) {
            final int index = link;
            TestNamespaces.await(
                    "link " + link + " of node " + node.nodeId() + " has its MTU",
                    () -> node.counters().sum(CounterType.LINK_MTU_BYTES, index) == mtuBytes);
        }
    }

    private static long resent(final Node node) {
        return node.counters().sum(CounterType.FLOW_RESENT_FRAMES);
    }

    // On a busy machine some messages are late, and sent again.
    private static boolean isHardlyResent(
            final Node one, final PmContext source, final PmContext sink) {
        final long before = resent(one);
        exchange(source, sink, MESSAGES);
        return resent(one) - before < MESSAGES / 10;
    }

    private static void exchange(final PmContext from, final PmContext to, final int messages) {
        final PmMessage message = new PmMessage();
        for (int i = 0; i < messages; i++) {
            final int slot = from.claim(1, CONTEXT, 32);
            assertEquals(PmStatus.OK, from.send(slot, 32, i));
            final long deadlineNs = System.nanoTime() + 10 * SECOND;
            while (to.receive(message) != PmStatus.OK) {
                assertTrue(System.nanoTime() < deadlineNs, "message " + i);
                to.await(SECOND / 100);
            }
            assertEquals(i, message.tag());
            to.release(message);
        }
    }
}
