package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.config.SocketConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import java.io.IOException;

/**
 * Two raw links at the ends of a cable, of which the first sends by IP; for tests that extend it.
 */
abstract class RawIpPair {
    static final long A = 0x00_01;
    static final long B = 0x00_02;
    static final long ELSEWHERE = 0x01_02;
    static final int BUFFERS = 1024;
    static final int MTU = 9_000;
    static final int HOPS = 17;
    static final int HEADER = FrameHeaderFlyweight.LENGTH;

    final TestFrames frames = new TestFrames();
    TestNamespaces namespaces;
    String left;
    String right;
    BufferPool pool;
    BufferPool.Share share;
    RawLink a;
    RawLink b;
    LinkSender sender;

    @BeforeEach
    void setUp() {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        left = namespaces.add("a");
        right = namespaces.add("b");
        namespaces.veth(left, "n0", right, "n0", MTU);
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
            assertEquals(0, pool.outstanding());
        }
        namespaces.close();
    }

    static RawLinkConfig config(
            final int index,
            final String namespace,
            final long coordinates,
            final FrameConfig.Encapsulation encapsulation) {
        return new RawLinkConfig(
                index,
                "n0",
                namespace,
                0,
                coordinates,
                FrameConfig.DEFAULT.withEncapsulation(encapsulation),
                SocketConfig.DEFAULT);
    }

    void open(final FrameConfig.Encapsulation ofB) throws IOException {
        pool = frames.pool(BUFFERS, 9216);
        share = pool.newShare();
        a = RawLink.open(config(0, left, A, FrameConfig.Encapsulation.UDP), share);
        b = RawLink.open(config(1, right, B, ofB), share);
        a.learn(2, b.localAddress());
        b.learn(1, a.localAddress());
        sender = a.newSender(128);
    }

    void openByIp() throws IOException {
        open(FrameConfig.Encapsulation.UDP);
        a.refresh();
        b.refresh();
        awaitIp();
    }

    void awaitIp() {
        TestNamespaces.await(
                "each knows that the other hears it by IP",
                () -> {
                    a.receive(RawLink.IP, frames, 64);
                    b.receive(RawLink.IP, frames, 64);
                    return a.ipAddress(2) != 0 && b.ipAddress(1) != 0;
                });
        assertEquals(0, frames.arrivals().size());
    }

    void offer(final long destination, final int sequence, final int bodyLength) {
        final long header = frames.frame(destination, sequence, bodyLength);
        assertTrue(
                sender.offer(
                        2, new OutgoingFrame().wrap(header, HEADER + bodyLength, frames, sequence)),
                "frame " + sequence);
    }

    void send(final int count, final int bodyLength) {
        for (int i = 0; i < count; i++) {
            offer(B, i, bodyLength);
        }
        sender.flush();
    }

    void await(final int source, final int count) {
        TestNamespaces.await(
                () -> count + " frames have arrived, not " + frames.arrivals().size(),
                () -> {
                    b.receive(source, frames, 64);
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
        await(RawLink.IP, count);
        for (int i = 0; i < count; i++) {
            check(i, i, bodyLength);
        }
        frames.releaseAll();
    }
}
