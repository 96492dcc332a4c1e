package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.config.SocketConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameReassembler;
import io.hxb.link.LinkSender;
import io.hxb.link.LongFrameJoin;
import io.hxb.link.OutgoingFrame;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;

import java.io.IOException;

/**
 * Two raw links at the ends of a cable, of which the first sends long frames as segments; for tests
 * that extend it.
 */
abstract class RawSegmentPair {
    static final long A = 0x00_01;
    static final long B = 0x00_02;
    static final long ELSEWHERE = 0x01_02;
    static final int BUFFERS = 256;
    static final int BUFFER_BYTES = 66_048;
    static final int FRAMES_OF_NEIGHBOUR = 16;
    static final int HEADER = FrameHeaderFlyweight.LENGTH;

    final TestFrames frames = new TestFrames();

    /** What arrives as Ethernet frames. */
    final TestFrames fragments = new TestFrames();

    int fragmentCount;
    TestNamespaces namespaces;
    String left;
    String right;
    BufferPool pool;
    BufferPool.Share share;
    LongFrameJoin join;
    RawLink a;
    RawLink b;
    LinkSender sender;

    void open(final int mtu, final FrameConfig.Encapsulation ofB) throws IOException {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        left = namespaces.add("a");
        right = namespaces.add("b");
        namespaces.veth(left, "n0", right, "n0", mtu);
        pool = frames.pool(BUFFERS, BUFFER_BYTES);
        share = pool.newShare();
        join =
                new LongFrameJoin(
                        pool, new FrameReassembler(share, 64, FRAMES_OF_NEIGHBOUR, 50_000_000));
        frames.join(join);
        a = link(0, left, A, FrameConfig.Encapsulation.TCP);
        openB(ofB);
        sender = a.newSender(128);
    }

    void openB(final FrameConfig.Encapsulation ofB) throws IOException {
        b = link(1, right, B, ofB);
        a.learn(2, b.localAddress());
        b.learn(1, a.localAddress());
    }

    private RawLink link(
            final int index,
            final String namespace,
            final long coordinates,
            final FrameConfig.Encapsulation encapsulation)
            throws IOException {
        return RawLink.open(
                new RawLinkConfig(
                        index,
                        "n0",
                        namespace,
                        0,
                        coordinates,
                        FrameConfig.DEFAULT.withEncapsulation(encapsulation),
                        SocketConfig.DEFAULT),
                share);
    }

    @AfterEach
    void tearDown() {
        if (namespaces == null) {
            return;
        }
        if (sender != null) {
            sender.close();
        }
        if (a != null) {
            a.close();
        }
        if (b != null) {
            frames.releaseAll();
            b.close();
            join.close();
            assertEquals(0, pool.outstanding());
        }
        namespaces.close();
    }

    boolean offer(final long destination, final int sequence, final int bodyLength) {
        final long header = frames.frame(destination, sequence, bodyLength);
        return offerAt(header, sequence, bodyLength);
    }

    boolean offerAt(final long header, final int sequence, final int bodyLength) {
        return sender.offer(
                2, new OutgoingFrame().wrap(header, HEADER + bodyLength, frames, sequence));
    }

    void receive() {
        a.receive(RawLink.SEGMENTS, frames, 64);
        if (b.descriptorCount() > RawLink.SEGMENTS) {
            b.receive(RawLink.SEGMENTS, frames, 64);
        }
        fragmentCount += Math.max(0, b.receive(RawLink.POOL, fragments, 64));
        fragments.releaseAll();
    }

    /** Offers long frames, which go as fragments, until one goes as segments. */
    void prove() {
        final long before = sender.longFrames().frames();
        TestNamespaces.await(
                "long frames go as segments",
                () -> {
                    receive();
                    assertTrue(offer(B, 0, 60_000));
                    sender.flush();
                    return sender.longFrames().frames() > before;
                });
        await(1);
        frames.releaseAll();
    }

    void send(final int count, final int bodyLength) {
        for (int i = 0; i < count; i++) {
            assertTrue(offer(B, i, bodyLength), "frame " + i);
            sender.flush();
            receive();
        }
    }

    void await(final int count) {
        TestNamespaces.await(
                () -> count + " frames have arrived, not " + frames.arrivals().size(),
                () -> {
                    sender.flush();
                    receive();
                    return frames.arrivals().size() >= count;
                });
        assertEquals(count, frames.arrivals().size());
    }

    void check(final int index, final int sequence, final int body) {
        final TestFrames.Arrival arrival = frames.arrivals().get(index);
        assertEquals(HEADER + body, arrival.lengthBytes(), "bytes of frame " + index);
        assertTrue(
                frames.isIntact(arrival.headerAddress(), arrival.lengthBytes(), sequence, body),
                "frame " + index);
        assertEquals(a.localAddress(), arrival.sourceAddress());
        assertEquals(-1, arrival.vlanTci());
    }

    void take(final int count, final int bodyLength) {
        await(count);
        for (int i = 0; i < count; i++) {
            check(i, i, bodyLength);
        }
        frames.releaseAll();
    }

    double piecesAFrame() {
        return (double) b.longFrames().pieces() / b.longFrames().frames();
    }
}
