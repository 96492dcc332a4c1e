package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.LoopConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.config.SocketConfig;
import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.session.KeyFile;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.Lab;
import io.hxb.tool.lab.LabCluster;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.LabWire;
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

/** Real nodes whose raw links send long frames as TCP: (0,0) - x - (1,0) - y - (1,1). */
@Tag("system")
class LongSegmentsSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long RATE_BPS = 1_000_000_000L;
    private static final Shape SHAPE = Shape.of(2, 2);
    private static final int SOURCE = 0;
    private static final int NEIGHBOUR = 1;
    private static final int FAR = 3;
    private static final int CONTEXT = 5;
    private static final int MTU = 1_500;

    // Around the lengths at which one more frame, segment or packet is needed: 64 bytes of header,
    // 40 of IPv4 and TCP, 65,481 bytes in one packet.
    private static final int[] LENGTHS = {
        1, 1_395, 1_396, 1_397, 1_436, 1_437, MTU, MTU + 1, 2_857, 9_000, 65_416, 65_417, 65_471,
        65_472, 65_536
    };
    private static final int ROUNDS = 6;

    @TempDir private Path folder;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<Node> nodes = new ArrayList<>();
    private final PmMessage message = new PmMessage();
    private String lab;
    private int exchanges;

    /** How the nodes are joined and set up. */
    enum Setup {
        WHOLE_AND_KERNEL(
                FrameConfig.Encapsulation.TCP,
                LabWire.WHOLE,
                SocketConfig.KernelRelay.ON,
                SecurityConfig.Mode.NONE),
        CUT_AND_NODE(
                FrameConfig.Encapsulation.AUTO,
                LabWire.CUT,
                SocketConfig.KernelRelay.OFF,
                SecurityConfig.Mode.AUTHENTICATE),
        PACED_AND_KERNEL(
                FrameConfig.Encapsulation.AUTO,
                LabWire.PACED,
                SocketConfig.KernelRelay.ON,
                SecurityConfig.Mode.AUTHENTICATE),
        PACED_AND_NODE(
                FrameConfig.Encapsulation.TCP,
                LabWire.PACED,
                SocketConfig.KernelRelay.OFF,
                SecurityConfig.Mode.NONE);

        private final FrameConfig.Encapsulation encapsulation;
        private final LabWire wire;
        private final SocketConfig.KernelRelay relay;
        private final SecurityConfig.Mode mode;

        Setup(
                final FrameConfig.Encapsulation encapsulation,
                final LabWire wire,
                final SocketConfig.KernelRelay relay,
                final SecurityConfig.Mode mode) {
            this.encapsulation = encapsulation;
            this.wire = wire;
            this.relay = relay;
            this.mode = mode;
        }
    }

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

    private void start(final Setup setup) throws IOException {
        TestNamespaces.assumeRoot();
        lab = "segments" + ProcessHandle.current().pid();
        final LabSpec spec =
                new LabSpec(lab, SHAPE, 1, Backend.RAW, RATE_BPS, MTU)
                        .withKernelRelay(setup.relay)
                        .withWire(setup.wire)
                        .withEncapsulation(setup.encapsulation);
        ClusterConfig config =
                LabCluster.config(keep(Lab.up(new LabRegistry(folder.resolve("run/labs")), spec)));
        if (setup.mode != SecurityConfig.Mode.NONE) {
            final Path key = folder.resolve("key");
            KeyFile.generate(key);
            config = config.withSecurity(new SecurityConfig(setup.mode, List.of(key.toString())));
        }
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

    private void assertNone(final CounterType type) {
        assertEquals(0, sum(type), type::name);
    }

    private long of(final int node, final CounterType type) {
        return nodes.get(node).counters().sum(type);
    }

    private PmContext context(final int node) throws Exception {
        return keep(keep(nodes.get(node).device()).openContext(CONTEXT));
    }

    @ParameterizedTest
    @EnumSource(Setup.class)
    void shouldCarryMessagesOfAllLengthsToTheNeighbourAndThroughARelay(final Setup setup)
            throws Exception {
        // given
        start(setup);
        // Errors are those of the process, in which other tests may have made some.
        final long errors = sum(CounterType.NODE_ERRORS_EVENTS);
        final PmContext from = context(SOURCE);
        final PmContext near = context(NEIGHBOUR);
        final PmContext far = context(FAR);
        for (final PmContext to : List.of(near, far)) {
            final int end = to == near ? NEIGHBOUR : FAR;
            // when
            awaitSegments(from, end, to);
            final long before = of(end, CounterType.LINK_RECEIVED_LONG_FRAMES);
            TestNamespaces.awaitNone(
                    "faults of links", this::faults, () -> exchange(from, end, to, ROUNDS));
            // then
            TestNamespaces.await(
                    () -> "long frames: " + of(end, CounterType.LINK_RECEIVED_LONG_FRAMES),
                    () -> of(end, CounterType.LINK_RECEIVED_LONG_FRAMES) >= before + 6L * ROUNDS);
        }
        final CounterType relayed =
                setup.relay == SocketConfig.KernelRelay.ON
                        ? CounterType.FORWARD_KERNEL_RELAYED_FRAMES
                        : CounterType.FORWARD_RELAYED_FRAMES;
        TestNamespaces.await(() -> "relayed: " + sum(relayed), () -> sum(relayed) >= 6L * ROUNDS);
        assertNone(CounterType.LINK_SEND_ERROR_FRAMES);
        assertNone(CounterType.LINK_DROPPED_LONG_PIECES);
        assertEquals(errors, sum(CounterType.NODE_ERRORS_EVENTS));
    }

    @Test
    void shouldCutLongFramesWhileTheirSegmentsAreLostAndSendThemAsSegmentsAgain() throws Exception {
        // given
        start(Setup.WHOLE_AND_KERNEL);
        final PmContext from = context(SOURCE);
        final PmContext near = context(NEIGHBOUR);
        awaitSegments(from, NEIGHBOUR, near);
        final String port = LabNames.port(0, 0, SOURCE);
        final LossyHop hop = keep(LossyHop.againstIp(LabNames.switchNamespace(lab), port));
        // when
        TestNamespaces.await(
                "the path is given up",
                () -> {
                    exchange(from, NEIGHBOUR, near, 1);
                    return of(SOURCE, CounterType.LINK_LONG_FALLBACKS_EVENTS) > 0;
                });
        // then
        TestNamespaces.awaitNone(
                "links left out",
                () -> sum(CounterType.LINK_EXCLUDED_EVENTS),
                () -> awaitFragments(from, near));
        hop.close();
        // when, then
        awaitSegments(from, NEIGHBOUR, near);
        exchange(from, NEIGHBOUR, near, ROUNDS);
    }

    // Some frames go as segments, to find out whether these arrive again.
    private void awaitFragments(final PmContext from, final PmContext near) {
        final long before = of(NEIGHBOUR, CounterType.FORWARD_FRAGMENTS_FRAMES);
        TestNamespaces.await(
                "long frames come as fragments",
                () -> {
                    exchange(from, NEIGHBOUR, near, 1);
                    return of(NEIGHBOUR, CounterType.FORWARD_FRAGMENTS_FRAMES) - before
                            >= 44 * 5 * ROUNDS;
                });
    }

    private long faults() {
        return sum(CounterType.LINK_EXCLUDED_EVENTS) + sum(CounterType.LINK_LONG_FALLBACKS_EVENTS);
    }

    // Until a frame has gone to a node as segments, and through a relay there.
    private void awaitSegments(final PmContext from, final int node, final PmContext to) {
        TestNamespaces.await(
                "long frames arrive as segments",
                () -> {
                    final long before = of(node, CounterType.LINK_RECEIVED_LONG_FRAMES);
                    exchange(from, node, to, 1);
                    return TestNamespaces.holdsWithin(
                            20_000_000,
                            () -> of(node, CounterType.LINK_RECEIVED_LONG_FRAMES) > before);
                });
    }

    private void exchange(
            final PmContext from, final int node, final PmContext to, final int rounds) {
        final long deadlineNs = System.nanoTime() + 60 * SECOND;
        final int messages = rounds * LENGTHS.length;
        final int mark = exchanges++;
        int sent = 0;
        int received = 0;
        while (received < messages) {
            assertTrue(System.nanoTime() < deadlineNs, "received " + received);
            final int length = LENGTHS[sent % LENGTHS.length];
            final int slot = sent < messages ? from.claim(node, CONTEXT, length) : -1;
            if (slot >= 0) {
                for (int i = 0; i < length; i++) {
                    Memory.putByte(from.sendAddress(slot) + i, byteOf(mark, sent, i));
                }
                assertEquals(PmStatus.OK, from.send(slot, length, sent++));
            }
            while (to.receive(message) == PmStatus.OK) {
                check(mark, received++);
                to.release(message);
            }
        }
    }

    private void check(final int mark, final int index) {
        assertEquals(LENGTHS[index % LENGTHS.length], message.lengthBytes());
        for (int i = 0; i < message.lengthBytes(); i++) {
            final int expected = byteOf(mark, index, i);
            if ((byte) expected != (byte) Memory.getUnsignedByte(message.address() + i)) {
                assertEquals(
                        expected & 0xFF,
                        Memory.getUnsignedByte(message.address() + i),
                        "byte " + i + " of " + message.lengthBytes());
            }
        }
    }

    // No two segments of an exchange are alike.
    private static int byteOf(final int mark, final int index, final int offset) {
        return ((offset + offset / 251 * 17 + index * 31 + mark * 7) * 13) >> 1;
    }
}
