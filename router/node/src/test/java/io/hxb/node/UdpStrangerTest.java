package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.HelloFlyweight;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.routing.DimensionOrder;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Real nodes over UDP, and a process of the same host that knows their cluster file but has none of
 * its addresses.
 */
@Tag("system")
class UdpStrangerTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int CONTEXT = 1;
    private static final int MESSAGES = 20_000;
    private static final int MESSAGE_BYTES = 4_000;
    private static final int FRAME_BYTES = FrameHeaderFlyweight.LENGTH + 128;

    private final ClusterConfig config =
            ClusterConfig.of(
                    "test", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, TestPorts.take(2)));
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<Node> nodes = new ArrayList<>();
    private final ByteBuffer heard = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
    private MemorySegment frame;
    private DatagramChannel stranger;
    private int sentFrames;
    private long drawnBytes;
    private int drawnFrames;

    @BeforeEach
    void start() throws IOException {
        final Arena arena = push(Arena.ofConfined());
        frame = arena.allocate(FRAME_BYTES, 8);
        stranger = push(DatagramChannel.open());
        stranger.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .configureBlocking(false);
        final NodeThreads threads = push(NodeThreads.start(LoopConfig.DEFAULT));
        for (int id = 0; id < 2; id++) {
            nodes.add(push(Node.start(NodeOptions.embedded(config, id, threads))));
        }
        assertTrue(nodes.getFirst().awaitNeighbours(10 * SECOND_NS), "neighbours");
    }

    private <T extends AutoCloseable> T push(final T resource) {
        open.push(resource);
        return resource;
    }

    @AfterEach
    void stop() throws Exception {
        for (final AutoCloseable resource : open) {
            resource.close();
        }
    }

    @Test
    void shouldNotHearAddressesThatAreNotInTheClusterFile() throws IOException {
        // given
        final PmContext from = context(0);
        final PmContext to = context(1);
        final PmMessage message = new PmMessage();
        final long deadlineNs = System.nanoTime() + 120 * SECOND_NS;
        int sent = 0;
        int received = 0;
        int failed = 0;
        // when: it claims to be node 1, and that node 1 knows no such context
        while (received + failed < MESSAGES && System.nanoTime() < deadlineNs) {
            if (sent % 200 == 0) {
                sendHello(sent);
            }
            draw();
            final int slot = sent < MESSAGES ? from.claim(1, CONTEXT, MESSAGE_BYTES) : -1;
            if (slot >= 0) {
                from.send(slot, MESSAGE_BYTES, sent++);
            }
            while (to.receive(message) == PmStatus.OK) {
                received++;
                to.release(message);
            }
        }
        // then
        assertEquals(MESSAGES, received, "drawn " + drawnBytes + " bytes by " + sentFrames);
        assertEquals(0, drawnBytes, "in " + drawnFrames + " frames, by " + sentFrames);
        assertTrue(sentFrames >= MESSAGES / 200, "it was there");
        nodes.forEach(Node::close);
        final long dropped =
                nodes.getFirst().counters().sum(CounterType.LINK_KERNEL_DROPPED_FRAMES);
        assertTrue(dropped >= sentFrames, "the kernel dropped " + dropped + " of " + sentFrames);
    }

    private PmContext context(final int node) throws IOException {
        final PmDevice device = push(nodes.get(node).device());
        return device.openContext(CONTEXT);
    }

    private void sendHello(final int incarnation) throws IOException {
        final FrameHeaderFlyweight header = header(FrameType.HELLO);
        final HelloFlyweight hello = new HelloFlyweight();
        hello.wrap(header.bodyAddress())
                .clear()
                .fingerprint(config.fingerprint())
                .node(1)
                .shape(1)
                .dimensions(1)
                .incarnation(incarnation + 1)
                .mtuBytes(8_972)
                .name("stranger");
        header.destination(FrameHeaderFlyweight.ANY_DESTINATION)
                .sourceIncarnation(incarnation + 1)
                .bodyLength(hello.length());
        send(FrameHeaderFlyweight.LENGTH + hello.length());
    }

    /** Takes what the nodes sent it; answers each data frame that there is no such context. */
    private void draw() throws IOException {
        heard.clear();
        while (stranger.receive(heard) != null) {
            drawnFrames++;
            drawnBytes += heard.position();
            if (heard.get(FrameHeaderFlyweight.TYPE_OFFSET) == FrameType.DATA) {
                sendUnreachable();
            }
            heard.clear();
        }
    }

    private void sendUnreachable() throws IOException {
        final long failed = frame.address() + FrameHeaderFlyweight.LENGTH;
        MemorySegment.copy(
                MemorySegment.ofArray(heard.array()),
                0,
                frame,
                FrameHeaderFlyweight.LENGTH,
                FrameHeaderFlyweight.LENGTH);
        new UnreachableFlyweight()
                .wrap(frame.address())
                .answer(failed, UnreachableFlyweight.NO_SUCH_CONTEXT, 0);
        address(new FrameHeaderFlyweight().wrap(frame.address())).destination(0);
        send(FrameHeaderFlyweight.LENGTH);
    }

    private FrameHeaderFlyweight header(final int type) {
        return address(new FrameHeaderFlyweight().wrap(frame.address()).clear().type(type));
    }

    private FrameHeaderFlyweight address(final FrameHeaderFlyweight header) {
        return header.hopLimit(1)
                .order(DimensionOrder.DEFAULT)
                .clusterId(config.clusterId())
                .source(1);
    }

    private void send(final int lengthBytes) throws IOException {
        final LinkConfig link = config.links(0).getFirst();
        final ByteBuffer bytes = frame.asSlice(0, lengthBytes).asByteBuffer();
        stranger.send(bytes, new InetSocketAddress(link.host(), link.port()));
        sentFrames++;
    }
}
