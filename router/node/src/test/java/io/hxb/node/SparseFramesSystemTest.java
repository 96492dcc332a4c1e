package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.counter.CounterType;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.TestNamespaces;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.util.List;

/** Messages one at a time over real NICs, between two nodes on the test's own thread. */
@Tag("system")
class SparseFramesSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int CONTEXT = 1;
    private static final int MESSAGES = 300;

    @ParameterizedTest
    @EnumSource(LoopConfig.Waiting.class)
    void shouldTakeShortLoneMessagesFromTheRingAndOthersFromThePool(
            final LoopConfig.Waiting waiting) throws IOException {
        TestNamespaces.assumeRoot();
        final LoopConfig loop = new LoopConfig(1, waiting, 50_000, 64, List.of(), 0);
        try (TestNamespaces namespaces = new TestNamespaces();
                NodeThreads threads = NodeThreads.invoker(loop)) {
            final ClusterConfig config = cluster(namespaces).withLoop(loop);
            try (Node one = Node.start(NodeOptions.embedded(config, 0, threads));
                    Node other = Node.start(NodeOptions.embedded(config, 1, threads));
                    PmDevice from = one.device();
                    PmDevice to = other.device()) {
                assertTrue(one.awaitNeighbours(10 * SECOND) && other.awaitNeighbours(10 * SECOND));
                // when, then
                final PmContext source = from.openContext(CONTEXT);
                final PmContext sink = to.openContext(CONTEXT);
                exchange(source, sink, 32);
                // A frame that a busy machine delayed was sent again, and that one is not sparse.
                TestNamespaces.await(
                        () -> "copied " + copied(other, sink),
                        () -> copied(other, sink) >= MESSAGES / 2);
                final long copied = copied(other, sink);
                assertTrue(copied <= MESSAGES, "copied " + copied);
                exchange(source, sink, 1_000);
                assertEquals(copied, copied(other, sink));
            }
        }
    }

    private static ClusterConfig cluster(final TestNamespaces namespaces) {
        final String left = namespaces.add("0");
        final String right = namespaces.add("1");
        namespaces.veth(left, "n0", right, "n0", 1500);
        final String pattern = left.substring(0, left.length() - 1) + "{node}";
        return ClusterConfig.of(
                "sparse", Shape.of(2), Backend.RAW, LinkPlan.raw(List.of(List.of("n0")), pattern));
    }

    private static void exchange(final PmContext from, final PmContext to, final int length) {
        final PmMessage message = new PmMessage();
        for (int i = 0; i < MESSAGES; i++) {
            final int slot = from.claim(1, CONTEXT, length);
            from.sendBuffer(slot).putInt(0, i);
            assertEquals(PmStatus.OK, from.send(slot, length, i));
            final long deadlineNs = System.nanoTime() + 10 * SECOND;
            while (to.receive(message) != PmStatus.OK) {
                assertTrue(System.nanoTime() < deadlineNs, "message " + i);
                to.await(SECOND / 1_000);
            }
            assertEquals(i, message.tag());
            assertEquals(i, message.buffer().getInt(0));
            to.release(message);
        }
    }

    // The loop exports its counters every 20 ms, and runs while the context waits.
    private static long copied(final Node node, final PmContext context) {
        context.await(SECOND / 10);
        return node.counters().sum(CounterType.FORWARD_COPIED_FRAMES);
    }
}
