package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.LoopConfig;
import io.hxb.config.SocketConfig;
import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.Lab;
import io.hxb.tool.lab.LabCluster;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Real nodes whose raw links send long frames by IP: (0,0) - x - (1,0) - y - (1,1), twice each. */
@Tag("system")
class IpEncapsulationSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Shape SHAPE = Shape.of(2, 2);
    private static final int SOURCE = 0;
    private static final int NEIGHBOUR = 1;
    private static final int OTHER_RELAY = 2;
    private static final int FAR = 3;
    private static final int CONTEXT = 5;
    private static final int MESSAGES = 3_000;
    private static final int BYTES = 8_000;

    @TempDir private Path folder;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<Node> nodes = new ArrayList<>();
    private final PmMessage message = new PmMessage();

    @AfterEach
    void removeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private <T extends AutoCloseable> T keep(final T resource) {
        open.push(resource);
        return resource;
    }

    private void start(final SocketConfig.KernelRelay relay) throws IOException {
        TestNamespaces.assumeRoot();
        final LabSpec spec =
                new LabSpec("ip" + ProcessHandle.current().pid(), SHAPE, 2, Backend.RAW, 0, 9_000)
                        .withKernelRelay(relay);
        final Lab lab = keep(Lab.up(new LabRegistry(folder.resolve("run/labs")), spec));
        final ClusterConfig cluster = LabCluster.config(lab);
        final ClusterConfig config =
                cluster.withFrame(cluster.frame().withEncapsulation(FrameConfig.Encapsulation.UDP));
        final NodeThreads threads = keep(NodeThreads.start(LoopConfig.DEFAULT));
        for (int id = 0; id < SHAPE.nodeCount(); id++) {
            nodes.add(keep(Node.start(NodeOptions.embedded(config, id, threads))));
        }
        for (final Node node : nodes) {
            assertTrue(node.awaitNeighbours(20 * SECOND), () -> node.silentNeighbours().toString());
        }
    }

    private long sum(final CounterType type) {
        return nodes.stream().mapToLong(node -> node.counters().sum(type)).sum();
    }

    @ParameterizedTest
    @EnumSource(
            value = SocketConfig.KernelRelay.class,
            names = {"ON", "OFF"})
    void shouldCarryBulkByIpAndRelayOverAnyRelay(final SocketConfig.KernelRelay relay)
            throws Exception {
        // given
        start(relay);
        // Errors are those of the process, in which other tests may have made some.
        final long errors = sum(CounterType.NODE_ERRORS_EVENTS);
        final PmDevice source = keep(nodes.get(SOURCE).device());
        final PmContext from = keep(source.openContext(CONTEXT));
        final PmContext near = keep(keep(nodes.get(NEIGHBOUR).device()).openContext(CONTEXT));
        final PmContext far = keep(keep(nodes.get(FAR).device()).openContext(CONTEXT));
        // when
        exchange(from, NEIGHBOUR, near);
        // then
        TestNamespaces.await(
                () -> "trains: " + sum(CounterType.LINK_SENT_TRAINS),
                () ->
                        sum(CounterType.LINK_SENT_TRAINS) > 0
                                && sum(CounterType.LINK_RECEIVED_TRAINS) > 0);
        final long trainsOfRelay = sent(NEIGHBOUR);
        final long trainsAtEnd = received(FAR);
        // when
        exchange(from, FAR, far);
        // then: in trains to the relay, and from there
        TestNamespaces.await(
                () -> "trains at the end: " + received(FAR), () -> received(FAR) > trainsAtEnd);
        if (relay == SocketConfig.KernelRelay.ON) {
            // The relay's node takes trains until its kernel knows that the next hop hears IP.
            TestNamespaces.await(
                    () ->
                            "relayed by the kernel: "
                                    + sum(CounterType.FORWARD_KERNEL_RELAYED_FRAMES),
                    () -> hasRelayed(from, far));
        } else {
            assertEquals(0, sum(CounterType.FORWARD_KERNEL_RELAYED_TRAINS));
            TestNamespaces.await(
                    "trains that the node relayed", () -> sent(NEIGHBOUR) > trainsOfRelay);
        }
        final CounterType relayed =
                relay == SocketConfig.KernelRelay.ON
                        ? CounterType.FORWARD_KERNEL_RELAYED_FRAMES
                        : CounterType.FORWARD_RELAYED_FRAMES;
        TestNamespaces.await(() -> "relayed: " + sum(relayed), () -> sum(relayed) >= MESSAGES);
        TestNamespaces.awaitNone(
                "faults of links",
                () -> sum(CounterType.LINK_EXCLUDED_EVENTS),
                () -> exchange(from, FAR, far));
        assertEquals(0, sum(CounterType.LINK_REFUSED_TRAINS));
        assertEquals(0, sum(CounterType.LINK_SEND_ERROR_FRAMES));
        assertEquals(errors, sum(CounterType.NODE_ERRORS_EVENTS));
    }

    private boolean hasRelayed(final PmContext from, final PmContext far) {
        exchange(from, FAR, far);
        return sum(CounterType.FORWARD_KERNEL_RELAYED_TRAINS) > 0
                && sum(CounterType.FORWARD_KERNEL_RELAYED_FRAMES) >= MESSAGES;
    }

    private long sent(final int node) {
        return nodes.get(node).counters().sum(CounterType.LINK_SENT_TRAINS);
    }

    private long received(final int node) {
        return nodes.get(node).counters().sum(CounterType.LINK_RECEIVED_TRAINS);
    }

    @Test
    void shouldGoRoundARelayThatHasEnded() throws Exception {
        // given
        start(SocketConfig.KernelRelay.ON);
        final PmContext from = keep(keep(nodes.get(SOURCE).device()).openContext(CONTEXT));
        final PmContext far = keep(keep(nodes.get(FAR).device()).openContext(CONTEXT));
        exchange(from, FAR, far);
        TestNamespaces.await(
                () -> "relayed: " + relayed(NEIGHBOUR), () -> relayed(NEIGHBOUR) >= MESSAGES);
        final long around = relayed(OTHER_RELAY);
        // when
        nodes.get(NEIGHBOUR).close();
        exchange(from, FAR, far);
        // then
        TestNamespaces.await(
                () -> "round it: " + relayed(OTHER_RELAY),
                () -> relayed(OTHER_RELAY) - around >= MESSAGES);
    }

    private long relayed(final int node) {
        return nodes.get(node).counters().sum(CounterType.FORWARD_RELAYED_FRAMES);
    }

    private void exchange(final PmContext from, final int node, final PmContext to) {
        final long deadlineNs = System.nanoTime() + 60 * SECOND;
        int sent = 0;
        int received = 0;
        while (received < MESSAGES) {
            assertTrue(System.nanoTime() < deadlineNs, "received " + received);
            final int slot = sent < MESSAGES ? from.claim(node, CONTEXT, BYTES) : -1;
            if (slot >= 0) {
                for (int i = 0; i < BYTES; i += Long.BYTES) {
                    Memory.putLong(from.sendAddress(slot) + i, (long) sent << 32 | i);
                }
                assertEquals(PmStatus.OK, from.send(slot, BYTES, sent++));
            }
            while (to.receive(message) == PmStatus.OK) {
                assertEquals(BYTES, message.lengthBytes());
                for (int i = 0; i < BYTES; i += Long.BYTES) {
                    assertEquals((long) received << 32 | i, Memory.getLong(message.address() + i));
                }
                received++;
                to.release(message);
            }
        }
    }
}
