package io.hxb.forward.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.SocketConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.raw.RawLink;
import io.hxb.link.raw.RawLinkConfig;
import io.hxb.routing.DimensionOrder;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;
import io.hxb.topology.Shape;
import io.hxb.trunk.Port;
import io.hxb.trunk.PortTesting;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The programs of a node's NICs, on NICs that come and go: (0,0) - x - (1,0) - y - (1,1). */
@Tag("system")
class KernelRelayNicTest {
    private static final Shape SHAPE = Shape.of(2, 2);
    private static final int CLUSTER = 7;
    private static final int FRAMES = 10;
    private static final int BODY_BYTES = 100;

    private final TestFrames frames = new TestFrames();
    private final List<AutoCloseable> open = new ArrayList<>();
    private TestNamespaces namespaces;
    private BufferPool pool;
    private BufferPool.Share share;
    private String leftSpace;
    private String middleSpace;
    private RawLink left;
    private RawLink x;
    private RawLink y;
    private RawLink right;
    private Port xPort;
    private KernelRelay relay;
    private LinkSender sender;

    private static ClusterConfig cluster(final String namespace) {
        final LinkPlan plan = LinkPlan.raw(List.of(List.of("x0"), List.of("y0")), namespace);
        return new ClusterConfig.Builder("test", SHAPE, Backend.RAW, plan)
                .clusterId(CLUSTER)
                .build();
    }

    @BeforeEach
    void join() throws IOException {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        leftSpace = namespaces.add("l");
        middleSpace = namespaces.add("m");
        final String rightSpace = namespaces.add("r");
        namespaces.veth(leftSpace, "x0", middleSpace, "x0", 1500);
        namespaces.veth(middleSpace, "y0", rightSpace, "y0", 1500);
        pool = frames.pool(1024, 2048);
        share = pool.newShare();
        left = link(0, "x0", leftSpace, 0, "0,0");
        x = link(0, "x0", middleSpace, 0, "1,0");
        y = link(1, "y0", middleSpace, 1, "1,0");
        right = link(0, "y0", rightSpace, 1, "1,1");
        xPort = new Port(x, 0, 0);
        final Port yPort = new Port(y, 1, 0);
        relay =
                keep(
                        RelayPrograms.open(
                                cluster(middleSpace),
                                SHAPE.node(SHAPE.parseCoordinates("1,0")),
                                List.of(xPort, yPort)));
        PortTesting.learn(xPort, 0, left.localAddress());
        PortTesting.learn(yPort, 1, right.localAddress());
        PortTesting.reach(yPort, 1);
        left.learn(1, x.localAddress());
        sender = keep(left.newSender(64));
    }

    private RawLink link(
            final int index,
            final String nic,
            final String namespace,
            final int dimension,
            final String coordinates)
            throws IOException {
        return keep(
                RawLink.open(
                        new RawLinkConfig(
                                index,
                                nic,
                                namespace,
                                dimension,
                                SHAPE.parseCoordinates(coordinates),
                                FrameConfig.DEFAULT,
                                SocketConfig.DEFAULT),
                        share));
    }

    private <T extends AutoCloseable> T keep(final T resource) {
        open.add(resource);
        return resource;
    }

    @AfterEach
    void part() throws Exception {
        frames.releaseAll();
        for (final AutoCloseable resource : open.reversed()) {
            resource.close();
        }
        if (namespaces != null) {
            namespaces.close();
        }
    }

    /** Sends frames from the left that the middle is to relay to the right. */
    private void send() {
        for (int i = 0; i < FRAMES; i++) {
            final long address = frames.frame(SHAPE.parseCoordinates("1,1"), i, BODY_BYTES);
            new FrameHeaderFlyweight()
                    .wrap(address)
                    .clusterId(CLUSTER)
                    .source(SHAPE.parseCoordinates("0,0"))
                    .order(DimensionOrder.DEFAULT);
            assertTrue(
                    sender.offer(
                            1,
                            address,
                            FrameHeaderFlyweight.LENGTH,
                            address + 64,
                            BODY_BYTES,
                            frames,
                            0));
        }
        sender.flush();
    }

    private void awaitAt(final RawLink link, final int source) {
        TestNamespaces.await(
                () -> frames.arrivals().size() + " frames at " + link.name(),
                () -> {
                    link.receive(source, frames, 64);
                    return frames.arrivals().size() == FRAMES;
                });
        for (final TestFrames.Arrival arrival : frames.arrivals()) {
            assertTrue(
                    frames.isIntact(
                            arrival.headerAddress(),
                            arrival.lengthBytes(),
                            arrival.sequence(),
                            BODY_BYTES));
        }
        frames.releaseAll();
    }

    @Test
    void shouldSendFramesOnThatTheNodeNeverSees() {
        // given
        relay.turn();
        // when
        send();
        // then
        awaitAt(right, RawLink.POOL);
        assertEquals(FRAMES, relay.relayedFrames());
        assertEquals(FRAMES, relay.receivedFrames(x.index()));
        assertEquals(FRAMES, relay.sentFrames(y.index()));
        assertEquals(0, x.receive(RawLink.RING, frames, 64));
    }

    @Test
    void shouldLeaveFramesToTheNodeWhileTheNicThatSendsIsDown() {
        // given
        TestNamespaces.ipIn(middleSpace, "link set y0 down");
        TestNamespaces.await("y0 is down", () -> y.refresh() || !y.isUp());
        relay.refresh();
        relay.turn();
        // when
        send();
        // then
        awaitAt(x, RawLink.RING);
        assertEquals(0, relay.relayedFrames());
    }

    @Test
    void shouldGoOnWithANicThatWasMadeAnew() {
        // given
        TestNamespaces.ipIn(middleSpace, "link del x0");
        TestNamespaces.await("x0 is gone", () -> x.refresh() || !x.isUp());
        relay.refresh();
        namespaces.veth(leftSpace, "x0", middleSpace, "x0", 1500);
        TestNamespaces.await("both ends are back", () -> isBack(left) && isBack(x));
        relay.refresh();
        PortTesting.learn(xPort, 0, left.localAddress());
        left.learn(1, x.localAddress());
        relay.turn();
        // when
        send();
        // then
        awaitAt(right, RawLink.POOL);
        assertEquals(FRAMES, relay.relayedFrames());
    }

    private static boolean isBack(final RawLink link) {
        link.refresh();
        return link.isUp();
    }

    @Test
    void shouldLeaveFramesToTheNodeOnceItIsClosed() {
        // given
        relay.turn();
        relay.close();
        open.remove(relay);
        // when
        send();
        // then
        awaitAt(x, RawLink.RING);
    }
}
