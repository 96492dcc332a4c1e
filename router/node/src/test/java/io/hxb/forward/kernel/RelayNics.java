package io.hxb.forward.kernel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.SocketConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.raw.RawLink;
import io.hxb.link.raw.RawLinkConfig;
import io.hxb.routing.DimensionOrder;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;
import io.hxb.topology.Shape;
import io.hxb.trunk.Port;
import io.hxb.trunk.PortTesting;

import org.junit.jupiter.api.AfterEach;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A relay whose NICs have programs, between two neighbours: (0,0) - x - (1,0) - y - (1,1); for
 * tests that extend it.
 */
abstract class RelayNics {
    static final Shape SHAPE = Shape.of(2, 2);
    static final long SOURCE = SHAPE.parseCoordinates("0,0");
    static final long END = SHAPE.parseCoordinates("1,1");
    static final int CLUSTER = 7;

    /** A turn lasts for a test: one that gets no CPU is not to look like a node that sleeps. */
    private static final long ALIVE_NS = TimeUnit.MINUTES.toNanos(10);

    final TestFrames frames = new TestFrames();
    final List<AutoCloseable> open = new ArrayList<>();
    TestNamespaces namespaces;
    String leftSpace;
    String middleSpace;
    RawLink left;
    RawLink x;
    RawLink y;
    RawLink right;
    Port xPort;
    KernelRelay relay;
    LinkSender sender;
    private BufferPool.Share share;

    /** Makes it; {@code ofRight} is what the last link has, {@code frame} what all others have. */
    final void join(
            final FrameConfig frame, final FrameConfig ofRight, final int mtuOfX, final int mtuOfY)
            throws IOException {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        leftSpace = namespaces.add("l");
        middleSpace = namespaces.add("m");
        final String rightSpace = namespaces.add("r");
        namespaces.veth(leftSpace, "x0", middleSpace, "x0", mtuOfX);
        namespaces.veth(middleSpace, "y0", rightSpace, "y0", mtuOfY);
        share = frames.pool(2048, 9216).newShare();
        left = link(0, "x0", leftSpace, SOURCE, frame);
        x = link(0, "x0", middleSpace, SHAPE.parseCoordinates("1,0"), frame);
        y = link(1, "y0", middleSpace, SHAPE.parseCoordinates("1,0"), frame);
        right = link(1, "y0", rightSpace, END, ofRight);
        xPort = new Port(x, 0, 0);
        final Port yPort = new Port(y, 1, 0);
        relay =
                keep(
                        RelayPrograms.open(
                                cluster(middleSpace, frame),
                                SHAPE.node(SHAPE.parseCoordinates("1,0")),
                                List.of(xPort, yPort),
                                ALIVE_NS));
        PortTesting.learn(xPort, 0, left.localAddress());
        PortTesting.learn(yPort, 1, right.localAddress());
        PortTesting.reach(yPort, 1);
        left.learn(1, x.localAddress());
        sender = keep(left.newSender(64));
    }

    private static ClusterConfig cluster(final String namespace, final FrameConfig frame) {
        final LinkPlan plan = LinkPlan.raw(List.of(List.of("x0"), List.of("y0")), namespace);
        return new ClusterConfig.Builder("test", SHAPE, Backend.RAW, plan)
                .clusterId(CLUSTER)
                .frame(frame)
                .build();
    }

    // In this lattice a link has the number of its dimension.
    private RawLink link(
            final int dimension,
            final String nic,
            final String namespace,
            final long coordinates,
            final FrameConfig frame)
            throws IOException {
        return keep(
                RawLink.open(
                        new RawLinkConfig(
                                dimension,
                                nic,
                                namespace,
                                dimension,
                                coordinates,
                                frame,
                                SocketConfig.DEFAULT),
                        share));
    }

    private <T extends AutoCloseable> T keep(final T resource) {
        open.add(resource);
        return resource;
    }

    @AfterEach
    final void part() throws Exception {
        frames.releaseAll();
        for (final AutoCloseable resource : open.reversed()) {
            resource.close();
        }
        if (namespaces != null) {
            namespaces.close();
        }
    }

    /** Sends frames from the left that the middle is to relay to the right. */
    final void send(final int count, final int bodyBytes, final int hopLimit) {
        for (int i = 0; i < count; i++) {
            final long address = frames.frame(END, i, bodyBytes);
            new FrameHeaderFlyweight()
                    .wrap(address)
                    .clusterId(CLUSTER)
                    .source(SOURCE)
                    .hopLimit(hopLimit)
                    .order(DimensionOrder.DEFAULT);
            assertTrue(
                    sender.offer(
                            1,
                            new OutgoingFrame()
                                    .wrap(address, FrameHeaderFlyweight.LENGTH, frames, 0)
                                    .payload(address + FrameHeaderFlyweight.LENGTH, bodyBytes)));
        }
        sender.flush();
    }
}
