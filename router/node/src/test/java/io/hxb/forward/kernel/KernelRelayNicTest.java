package io.hxb.forward.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.TraceFlyweight;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.raw.RawLink;
import io.hxb.routing.DimensionOrder;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;
import io.hxb.trunk.PortTesting;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;

/** The programs of a node's NICs, on NICs that come and go: (0,0) - x - (1,0) - y - (1,1). */
@Tag("system")
class KernelRelayNicTest extends RelayNics {
    private static final int HOPS = 5;
    private static final int FRAMES = 10;
    private static final int BODY_BYTES = 100;

    @BeforeEach
    void join() throws IOException {
        join(FrameConfig.DEFAULT, FrameConfig.DEFAULT, 1500, 1500);
    }

    private void send() {
        send(FRAMES, BODY_BYTES, HOPS);
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

    @Test
    void shouldNoteTracedFramesThatTheNodeReports() {
        // given: more than it can note until the node looks
        relay.turn();
        final long address = frames.frame(END, 0, BODY_BYTES);
        for (int i = 0; i < FRAMES; i++) {
            TraceFlyweight.write(address, END, 100 + i, BODY_BYTES);
            new FrameHeaderFlyweight()
                    .wrap(address)
                    .clusterId(CLUSTER)
                    .source(SOURCE)
                    .hopLimit(HOPS)
                    .order(DimensionOrder.DEFAULT);
            // when
            assertTrue(
                    sender.offer(
                            1,
                            new OutgoingFrame()
                                    .wrap(
                                            address,
                                            FrameHeaderFlyweight.LENGTH + BODY_BYTES,
                                            frames,
                                            0)));
            sender.flush();
        }
        TestNamespaces.await("all are relayed", () -> relay.relayedFrames() == FRAMES);
        // then
        final KernelTrace trace = new KernelTrace();
        for (int i = FRAMES - RelayTable.TRACES; i < FRAMES; i++) {
            assertTrue(relay.takeTrace(trace));
            assertEquals(100 + i, trace.number());
            assertEquals(SOURCE, trace.source());
            assertEquals(HOPS, trace.hopLimit());
            assertEquals(x.index(), trace.arrivedOn());
            assertEquals(y.index(), trace.leftOn());
            assertTrue(trace.stayNs() > 0, "ns there: " + trace.stayNs());
        }
        assertFalse(relay.takeTrace(trace));
    }
}
