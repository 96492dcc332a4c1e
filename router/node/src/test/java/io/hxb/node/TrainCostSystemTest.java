package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * What messages cost the heap that travel in trains, at both ends: two nodes on the test's own
 * thread.
 */
@Tag("system")
class TrainCostSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int CONTEXT = 1;
    private static final int MTU = 9_000;
    private static final int BASE_PORT = TestPorts.take(4);

    /** Messages of one size in a row; a multiple of a train. */
    private static final int RUN = 256;

    private static final int[] LENGTHS = {8_000, 3_000, 40, 8_800};
    private static final int MESSAGES = LENGTHS.length * RUN;
    private static final long LIMIT_NS = 60 * SECOND;
    private static final int QUIET_ROUNDS = 3;

    private final LoopConfig loop =
            new LoopConfig(1, LoopConfig.Waiting.HYBRID, 50_000, 64, List.of(), 0);
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final PmMessage message = new PmMessage();

    @AfterEach
    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private <T extends AutoCloseable> T keep(final T resource) {
        open.push(resource);
        return resource;
    }

    @Test
    void shouldAllocateNothingForFramesByIp() throws IOException {
        // given
        TestNamespaces.assumeRoot();
        final TestNamespaces namespaces = keep(new TestNamespaces());
        final String left = namespaces.add("0");
        final String right = namespaces.add("1");
        namespaces.veth(left, "n0", right, "n0", MTU);
        namespaces.veth(left, "n1", right, "n1", MTU);
        final String pattern = left.substring(0, left.length() - 1) + "{node}";
        final ClusterConfig config =
                ClusterConfig.of(
                        "cost",
                        Shape.of(2),
                        Backend.RAW,
                        LinkPlan.raw(List.of(List.of("n0", "n1")), pattern));
        // when, then
        measure(
                config.withFrame(
                        FrameConfig.DEFAULT.withEncapsulation(FrameConfig.Encapsulation.UDP)));
    }

    @Test
    void shouldAllocateNothingForFramesOverUdp() throws IOException {
        measure(ClusterConfig.of("cost", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 2, BASE_PORT)));
    }

    private void measure(final ClusterConfig cluster) throws IOException {
        final ClusterConfig config = cluster.withLoop(loop);
        final NodeThreads threads = keep(NodeThreads.invoker(loop));
        final Node one = keep(Node.start(NodeOptions.embedded(config, 0, threads)));
        final Node other = keep(Node.start(NodeOptions.embedded(config, 1, threads)));
        assertTrue(one.awaitNeighbours(20 * SECOND) && other.awaitNeighbours(20 * SECOND));
        final PmDevice device = keep(one.device());
        final PmContext from = keep(device.openContext(CONTEXT));
        final PmContext to = keep(keep(other.device()).openContext(CONTEXT));
        final ThreadMXBean threadInfo = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sentTrains = one.counters().sum(CounterType.LINK_SENT_TRAINS);
        // when: the compiler needs some rounds; once a second a node asks the kernel about its
        // NICs, which allocates, so not every round can be quiet
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        int rounds = 0;
        int quiet = 0;
        long most = 0;
        while (quiet < QUIET_ROUNDS && System.nanoTime() - deadlineNs < 0) {
            final long before = threadInfo.getCurrentThreadAllocatedBytes();
            exchange(device, from, to);
            final long allocated = threadInfo.getCurrentThreadAllocatedBytes() - before;
            rounds++;
            most = Math.max(most, allocated);
            if (allocated == 0) {
                quiet++;
            }
            if (quiet == 1) {
                sentTrains = one.counters().sum(CounterType.LINK_SENT_TRAINS);
            }
        }
        // then
        assertEquals(QUIET_ROUNDS, quiet, "of " + rounds + ", up to " + most + " bytes");
        final long sentBefore = sentTrains;
        TestNamespaces.await(
                "the counters are written",
                () -> {
                    device.poll();
                    return other.counters().sum(CounterType.LINK_RECEIVED_COPIED_FRAMES) > 0
                            && one.counters().sum(CounterType.LINK_SENT_TRAINS) > sentBefore
                            && other.counters().sum(CounterType.LINK_RECEIVED_TRAINS) > 0;
                });
    }

    private void exchange(final PmDevice device, final PmContext from, final PmContext to) {
        final long deadlineNs = System.nanoTime() + 30 * SECOND;
        int sent = 0;
        int received = 0;
        while (received < MESSAGES) {
            int slot = sent < MESSAGES ? from.claim(1, CONTEXT, length(sent)) : -1;
            while (slot >= 0) {
                Memory.putLong(from.sendAddress(slot), sent);
                assertEquals(PmStatus.OK, from.send(slot, length(sent), sent));
                sent++;
                slot = sent < MESSAGES ? from.claim(1, CONTEXT, length(sent)) : -1;
            }
            device.poll();
            while (to.receive(message) == PmStatus.OK) {
                assertEquals(length(received), message.lengthBytes());
                assertEquals(received, Memory.getLong(message.address()));
                received++;
                to.release(message);
            }
            assertTrue(System.nanoTime() - deadlineNs < 0, "messages are missing");
        }
    }

    private static int length(final int index) {
        return LENGTHS[index / RUN];
    }
}
