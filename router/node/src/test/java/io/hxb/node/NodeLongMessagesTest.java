package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
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
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Messages of up to 64 KiB between real nodes whose links have an MTU of jumbo frames. */
@Tag("system")
class NodeLongMessagesTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int CONTEXT = 1;
    private static final int MANY = 400;
    private static final int LONG_BYTES = 3_000_001;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final PmMessage message = new PmMessage();

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private List<Node> start(final Shape shape, final SecurityConfig security) throws IOException {
        final NodeThreads threads = NodeThreads.start(LoopConfig.DEFAULT);
        open.add(threads);
        final int links = 2 * shape.dimensions() * shape.nodeCount();
        final ClusterConfig config =
                ClusterConfig.of(
                                "test",
                                shape,
                                Backend.UDP,
                                LinkPlan.udp(shape.dimensions(), 2, TestPorts.take(links)))
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

    private PmDevice device(final Node node) {
        final PmDevice device = node.device();
        open.add(device);
        assertEquals(FrameConfig.LONGEST_BYTES - 72, device.mtuBytes());
        return device;
    }

    private PmContext context(final Node node) throws IOException {
        return device(node).openContext(CONTEXT);
    }

    @Test
    void shouldCarryEachMessageInOneFrame() throws IOException {
        // given
        final List<Node> nodes = start(Shape.of(2), SecurityConfig.DEFAULT);
        final PmContext from = context(nodes.getFirst());
        final PmContext to = context(nodes.getLast());
        final int[] lengths = {0, 1, 8_192, 9_216, 9_217, 65_535, 65_536, from.maxLengthBytes()};
        final long before = delivered(nodes.getLast());
        // when
        for (final int length : lengths) {
            final byte[] bytes = bytes(length);
            assertEquals(PmStatus.OK, from.send(1, CONTEXT, bytes, length, SECOND));
            assertEquals(PmStatus.OK, to.receive(message, 10 * SECOND));
            final byte[] received = new byte[message.lengthBytes()];
            message.buffer().getBytes(0, received);
            assertArrayEquals(bytes, received);
            assertEquals(length, message.tag());
            to.release(message);
        }
        // then; the loop counts a frame a moment after the program may have it
        final long startNs = System.nanoTime();
        while (delivered(nodes.getLast()) - before < lengths.length
                && System.nanoTime() - startNs < 60 * SECOND) {
            LockSupport.parkNanos(100_000);
        }
        assertEquals(lengths.length, delivered(nodes.getLast()) - before);
    }

    @ParameterizedTest
    @EnumSource(SecurityConfig.Mode.class)
    void shouldCarryManyLongMessagesThroughARelay(
            final SecurityConfig.Mode mode, @TempDir final Path folder) throws IOException {
        // given
        final Path key = folder.resolve("key");
        KeyFile.generate(key);
        final boolean isOpen = mode == SecurityConfig.Mode.NONE;
        final List<Node> nodes =
                start(
                        Shape.of(2, 2),
                        isOpen
                                ? SecurityConfig.DEFAULT
                                : new SecurityConfig(mode, List.of(key.toString())));
        final PmContext from = context(nodes.getFirst());
        final PmContext to = context(nodes.getLast());
        final byte[] bytes = bytes(65_536);
        // when
        int sent = 0;
        int received = 0;
        while (received < MANY) {
            while (sent < MANY && sent - received < 20) {
                assertEquals(PmStatus.OK, from.send(3, CONTEXT, bytes, sent, 10 * SECOND));
                sent++;
            }
            assertEquals(PmStatus.OK, to.receive(message, 10 * SECOND));
            assertEquals(received, message.tag());
            assertEquals(bytes.length, message.lengthBytes());
            assertEquals(bytes[65_535], message.buffer().getByte(65_535));
            to.release(message);
            received++;
        }
        // then
        assertEquals(PmStatus.OK, from.awaitAllSends(10 * SECOND));
        final long relayed =
                nodes.stream()
                        .mapToLong(node -> node.counters().sum(CounterType.FORWARD_RELAYED_FRAMES))
                        .sum();
        assertTrue(relayed >= MANY, "relayed " + relayed);
    }

    @ParameterizedTest
    @EnumSource(SecurityConfig.Mode.class)
    void shouldCarryMessagesLongerThanAFrameThroughARelay(
            final SecurityConfig.Mode mode, @TempDir final Path folder) throws IOException {
        // given
        final Path key = folder.resolve("key");
        KeyFile.generate(key);
        final boolean isOpen = mode == SecurityConfig.Mode.NONE;
        final List<Node> nodes =
                start(
                        Shape.of(2, 2),
                        isOpen
                                ? SecurityConfig.DEFAULT
                                : new SecurityConfig(mode, List.of(key.toString())));
        final PmDevice device = device(nodes.getFirst());
        final PmContext from = device.openContext(CONTEXT);
        final PmContext to = context(nodes.getLast());
        final PmRegion region = device.openRegion(LONG_BYTES + 1);
        for (long at = 0; at < LONG_BYTES - Long.BYTES; at += Long.BYTES) {
            Memory.putLong(region.address() + at, at * 0x9E37_79B9_7F4A_7C15L);
        }
        final MemorySegment target = Arena.ofAuto().allocate(LONG_BYTES);
        final Assembler handler = new Assembler(target);
        final PmLargeMessages sender =
                new PmLargeMessages(from, handler, PmLargeMessages.Limits.DEFAULT);
        final PmLargeMessages receiver =
                new PmLargeMessages(to, handler, PmLargeMessages.Limits.DEFAULT);
        // when
        assertTrue(sender.send(3, CONTEXT, region, 1, LONG_BYTES, 5) >= 0);
        final long startNs = System.nanoTime();
        while (handler.statuses.size() < 2 && System.nanoTime() - startNs < 20 * SECOND) {
            if (sender.poll() + receiver.poll() == 0) {
                receiver.await(SECOND / 1000);
            }
        }
        // then it has arrived, and its sender knows
        assertEquals(List.of(PmStatus.OK, PmStatus.OK), handler.statuses);
        assertEquals(-1, region.segment().asSlice(1, LONG_BYTES).mismatch(target));
        region.close();
    }

    /** Where a message is put together. */
    private static final class Assembler implements PmLargeHandler {
        private final List<Integer> statuses = new ArrayList<>();
        private final MemorySegment target;

        Assembler(final MemorySegment target) {
            this.target = target;
        }

        @Override
        public MemorySegment onStart(
                final int sourceNode,
                final int sourceContext,
                final long lengthBytes,
                final int tag) {
            return target;
        }

        @Override
        public void onEnd(
                final int sourceNode,
                final int sourceContext,
                final long lengthBytes,
                final int tag,
                final MemorySegment whole,
                final int status) {
            statuses.add(status);
        }

        @Override
        public void onSent(final long transfer, final int status) {
            statuses.add(status);
        }
    }

    private static long delivered(final Node node) {
        return node.counters().sum(CounterType.FLOW_DELIVERED_FRAMES);
    }

    private static byte[] bytes(final int length) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + length);
        }
        return bytes;
    }
}
