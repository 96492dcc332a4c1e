package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.config.SocketConfig;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.testing.Allocations;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** One thread drives a source, a relay with many links, and a destination. */
@Tag("system")
class RawLinkRelaySystemTest {
    private static final long SOURCE = 0x02;
    private static final long RELAY = 0x01;
    private static final long DESTINATION = 0x00;
    private static final int BATCH = 32;
    private static final FrameConfig TAGGED =
            new FrameConfig(
                    false,
                    32,
                    0x88B5,
                    0x88B6,
                    200_000_000L,
                    true,
                    FrameConfig.Encapsulation.ETHERNET);
    private final OutgoingFrame outgoing = new OutgoingFrame();

    private final TestFrames frames = new TestFrames();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final BufferPool pool = frames.pool(4096, 2048);
    private final BufferPool.Share share = pool.newShare();
    private TestNamespaces namespaces;
    private String ends;
    private String middle;

    @BeforeEach
    void setUp() {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        ends = namespaces.add("ends");
        middle = namespaces.add("relay");
    }

    @AfterEach
    void tearDown() throws Exception {
        for (final AutoCloseable closeable : open) {
            closeable.close();
        }
        if (namespaces != null) {
            namespaces.close();
            assertEquals(0, pool.outstanding());
        }
    }

    /** Passes each frame on from where it lies. */
    private static final class Relay implements FrameSink {
        private final OutgoingFrame outgoing = new OutgoingFrame();
        private LinkSender next;
        private long refused;

        @Override
        public void onFrame(
                final Link link,
                final FrameOwner owner,
                final long token,
                final long headerAddress,
                final int lengthBytes,
                final long sourceAddress,
                final int vlanTci) {
            if (!next.offer(0, outgoing.wrap(headerAddress, lengthBytes, owner, token))) {
                refused++;
                owner.release(token);
            }
        }
    }

    /** Gives each frame back at once. */
    private static final class Counter implements FrameSink {
        private long count;

        @Override
        public void onFrame(
                final Link link,
                final FrameOwner owner,
                final long token,
                final long headerAddress,
                final int lengthBytes,
                final long sourceAddress,
                final int vlanTci) {
            count++;
            owner.release(token);
        }
    }

    /** A veth pair with a link at each end. */
    private record Wire(RawLink outer, RawLink inner, LinkSender fromOuter, LinkSender fromInner) {}

    private static RawLinkConfig config(
            final int index, final String nic, final String namespace, final long coordinates) {
        return new RawLinkConfig(
                index, nic, namespace, 0, coordinates, TAGGED, SocketConfig.DEFAULT);
    }

    private Wire wire(final int index, final long outerCoordinates) throws IOException {
        final String nic = "n" + index;
        namespaces.vethDown(ends, nic, middle, nic, 1500);
        TestNamespaces.ipIn(ends, "link set " + nic + " up");
        TestNamespaces.ipIn(middle, "link set " + nic + " up");
        final RawLink outer = RawLink.open(config(index, nic, ends, outerCoordinates), share);
        final RawLink inner = RawLink.open(config(index, nic, middle, RELAY), share);
        outer.learn(1, inner.localAddress());
        inner.learn(0, outer.localAddress());
        final Wire wire = new Wire(outer, inner, outer.newSender(BATCH), inner.newSender(BATCH));
        open.add(wire.fromOuter());
        open.add(wire.fromInner());
        open.add(outer);
        open.add(inner);
        return wire;
    }

    private void awaitUp(final List<Wire> wires) {
        TestNamespaces.await(
                "all links are up",
                () -> {
                    boolean isUp = true;
                    for (final Wire wire : wires) {
                        wire.outer().refresh();
                        wire.inner().refresh();
                        isUp &= wire.outer().isUp() && wire.inner().isUp();
                    }
                    return isUp;
                });
    }

    @Test
    void shouldRelayBetweenSixteenLinksOfOneLoop() throws IOException {
        // given
        final List<Wire> wires = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            wires.add(wire(i, i % 2 == 0 ? SOURCE : DESTINATION));
        }
        awaitUp(wires);
        final Relay relay = new Relay();
        // when
        for (int i = 0; i < wires.size(); i += 2) {
            for (int sequence = 0; sequence < BATCH; sequence++) {
                final long header = frames.frame(DESTINATION, 100 * i + sequence, 500);
                wires.get(i).fromOuter().offer(1, outgoing.wrap(header, 564, frames, 0));
            }
            wires.get(i).fromOuter().flush();
        }
        TestNamespaces.await(
                "all frames have crossed the relay",
                () -> {
                    for (int i = 0; i < wires.size(); i += 2) {
                        relay.next = wires.get(i + 1).fromInner();
                        wires.get(i).inner().receive(RawLink.RING, relay, 64);
                        relay.next.flush();
                        wires.get(i + 1).outer().receive(RawLink.POOL, frames, 64);
                    }
                    return frames.arrivals().size() == 8 * BATCH;
                });
        // then
        for (final TestFrames.Arrival arrival : frames.arrivals()) {
            final int wire = arrival.sequence() / 100;
            assertEquals(wire + 1, arrival.link().index());
            assertTrue(
                    frames.isIntact(
                            arrival.headerAddress(),
                            arrival.lengthBytes(),
                            arrival.sequence(),
                            500));
        }
        frames.releaseAll();
        assertEquals(0, relay.refused);
    }

    @Test
    void shouldNotAllocatePerFrame() throws IOException {
        // given
        final Wire in = wire(0, SOURCE);
        final Wire out = wire(1, DESTINATION);
        awaitUp(List.of(in, out));
        final long header = frames.frame(DESTINATION, 1, 64);
        final Relay relay = new Relay();
        relay.next = out.fromInner();
        final Counter counter = new Counter();
        // when
        final int rounds =
                Allocations.awaitNone(() -> relayFrames(in, out, header, relay, counter, 100_000));
        // then
        assertTrue(counter.count >= 100_000L * rounds, "" + counter.count);
    }

    private void relayFrames(
            final Wire in,
            final Wire out,
            final long header,
            final Relay relay,
            final Counter counter,
            final int count) {
        final long target = counter.count + count;
        final long start = System.nanoTime();
        while (counter.count < target) {
            for (int i = 0; i < BATCH; i++) {
                in.fromOuter().offer(1, outgoing.wrap(header, 128, frames, 0));
            }
            in.fromOuter().flush();
            in.inner().receive(RawLink.RING, relay, 64);
            relay.next.flush();
            out.outer().receive(RawLink.POOL, counter, 64);
            if (System.nanoTime() - start > 60_000_000_000L) {
                throw new AssertionError("only " + counter.count + " of " + target);
            }
        }
    }
}
