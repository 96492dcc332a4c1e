package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.context.ChildProcess;
import io.hxb.counter.CounterType;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.Seeds;
import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestPorts;
import io.hxb.testing.Together;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Two nodes with three real loops each, over UDP, while contexts are opened, closed and killed
 * under traffic. Afterwards nothing may be missing: messages of the flow that was let alone,
 * receive buffers, contexts, frames in the books.
 */
@Tag("system")
@Tag("lab")
@Tag("search")
class NodeLoopsTest {
    private static final int STEADY = 1;
    private static final int FLOOD = 2;
    private static final int FIRST_CHURNED = 3;
    private static final int CHURNERS = 2;
    private static final int HELD_BY_CHILD = 8;
    private static final int ECHOED_BY_CHILD = 9;
    private static final int ROUNDS = 10 * Seeds.TIMES;
    private static final int KILLS = Seeds.TIMES;

    private static final int BASE_PORT = TestPorts.take(4);

    @TempDir private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final AtomicInteger busy = new AtomicInteger(CHURNERS + 1);
    private final AtomicLong steadySent = new AtomicLong();
    private final AtomicLong churnReceived = new AtomicLong();
    private final AtomicLong events = new AtomicLong();

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    @Test
    void shouldKeepTheBooksWhileContextsComeAndGoUnderTraffic() throws Exception {
        // given
        final Node from = start(0);
        final Node to = start(1);
        assertTrue(from.awaitNeighbours(10_000_000_000L) && to.awaitNeighbours(10_000_000_000L));
        final Path socket = to.config().socketPath(1);

        // when
        try (PmDevice here = from.device();
                PmDevice there = to.device()) {
            final PmContext sender = here.openContext(STEADY);
            final PmContext flooder =
                    here.openContext(FLOOD, PmContextOptions.DEFAULT.withPeerWaitNs(0));
            final PmContext receiver = there.openContext(STEADY);
            Together.run(
                    () -> sendSteadily(sender),
                    () -> receiveSteadily(receiver),
                    () -> flood(flooder),
                    () -> churn(to.device(), FIRST_CHURNED),
                    () -> churn(attach(socket), FIRST_CHURNED + 1),
                    () -> kill(socket));
        }

        // then
        assertTrue(churnReceived.get() > ROUNDS, "the churned contexts got only " + churnReceived);
        assertTrue(events.get() > ROUNDS, "only " + events + " notifications that nobody is there");
        assertBooks(from);
        assertBooks(to);
        assertAllClosed(from);
        assertAllClosed(to);
    }

    private Node start(final int id) throws IOException {
        final LoopConfig loops = new LoopConfig(3, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0);
        final ClusterConfig config =
                ClusterConfig.of("loops", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 2, BASE_PORT))
                        .withLoop(loops)
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()));
        final Node node = Node.start(NodeOptions.service(config, id));
        open.add(node);
        return node;
    }

    private void sendSteadily(final PmContext context) {
        long next = 0;
        while (busy.get() > 0) {
            final int slot = context.claim(1, STEADY, 8 + (int) (next % 500));
            if (slot < 0) {
                assertEquals(PmStatus.NO_BUFFERS, slot);
                context.awaitSends(1_000_000);
                continue;
            }
            context.sendBuffer(slot).putLong(0, next);
            assertEquals(PmStatus.OK, context.send(slot, 8 + (int) (next % 500), (int) next));
            next++;
            steadySent.set(next);
        }
    }

    private void receiveSteadily(final PmContext context) {
        final PmMessage message = new PmMessage();
        long next = 0;
        long lastNs = System.nanoTime();
        while (busy.get() > 0 || next < steadySent.get()) {
            context.await(1_000_000);
            while (context.receive(message) == PmStatus.OK) {
                assertEquals((int) next, message.tag());
                assertEquals(next, message.buffer().getLong(0));
                context.release(message);
                next++;
                lastNs = System.nanoTime();
            }
            assertTrue(System.nanoTime() - lastNs < TimeUnit.SECONDS.toNanos(10), "silence");
        }
        assertTrue(next > 1_000, "only " + next + " messages");
    }

    // Whether anybody is there is not known: that, and what becomes of it, is the point. Its
    // messages do not wait for anybody: what nobody takes would hold all its send buffers.
    private void flood(final PmContext context) {
        final PmEvent event = new PmEvent();
        int next = 0;
        while (busy.get() > 0) {
            final int slot = context.claim(1, FIRST_CHURNED + next++ % 7, 64);
            if (slot >= 0) {
                context.send(slot, 64, next);
            } else {
                context.awaitSends(100_000);
            }
            while (context.pollEvent(event) == PmStatus.OK) {
                events.incrementAndGet();
            }
        }
    }

    private void churn(final PmDevice device, final int contextId) {
        final PmMessage message = new PmMessage();
        try (device) {
            for (int round = 0; round < ROUNDS; round++) {
                try (PmContext context = device.openContext(contextId)) {
                    for (int i = 0; i < round % 20 && context.await(20_000_000) == PmStatus.OK; ) {
                        while (context.receive(message) == PmStatus.OK) {
                            churnReceived.incrementAndGet();
                            i++;
                            if (i % 3 != 0) {
                                context.release(message);
                            }
                        }
                    }
                }
            }
        } catch (final IOException e) {
            throw new AssertionError("context " + contextId, e);
        } finally {
            busy.decrementAndGet();
        }
    }

    private void kill(final Path socket) {
        try {
            for (int round = 0; round < KILLS; round++) {
                // Both begin together: on a machine that is flooded that takes seconds.
                final List<Process> children = new CopyOnWriteArrayList<>();
                Together.run(
                        () -> children.add(child("hold", socket, HELD_BY_CHILD)),
                        () -> children.add(child("echo", socket, ECHOED_BY_CHILD)));
                for (final Process child : children) {
                    open.add(child::destroyForcibly);
                    child.destroyForcibly().waitFor();
                }
            }
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            busy.decrementAndGet();
        }
    }

    private static Process child(final String role, final Path socket, final int contextId) {
        try {
            return ChildProcess.start(role, socket, contextId);
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private static PmDevice attach(final Path socket) {
        try {
            return PmDevice.attach(socket);
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    // What links keep ready changes with each hello frame, so it is counted, not remembered.
    private static void assertBooks(final Node node) {
        TestNamespaces.await(
                () -> "node " + node.nodeId() + " has its buffers back: " + node.bufferBooks(),
                () -> node.bufferBooks().outstanding() == node.bufferBooks().inLinks());
        TestNamespaces.await(
                "node " + node.nodeId() + " accounts for every frame",
                () ->
                        node.counters().sum(CounterType.FORWARD_RECEIVED_FRAMES)
                                == node.counters().sum(CounterType.FORWARD_DELIVERED_FRAMES)
                                        + node.counters().sum(CounterType.FORWARD_CONTROL_FRAMES)
                                        + node.counters().sum(CounterType.FORWARD_FRAGMENTS_FRAMES)
                                        + node.counters().sum(CounterType.FORWARD_RELAYED_FRAMES)
                                        + dropped(node));
    }

    // Only a context that is closed can be opened.
    private static void assertAllClosed(final Node node) throws IOException {
        try (PmDevice device = node.device()) {
            for (int contextId = 1; contextId <= ECHOED_BY_CHILD; contextId++) {
                assertEquals(contextId, device.openContext(contextId).contextId());
            }
        }
    }

    private static long dropped(final Node node) {
        long sum = 0;
        for (final CounterType type : CounterType.values()) {
            if (type.name().startsWith("FORWARD_DROPPED_")) {
                sum += node.counters().sum(type);
            }
        }
        return sum;
    }
}
