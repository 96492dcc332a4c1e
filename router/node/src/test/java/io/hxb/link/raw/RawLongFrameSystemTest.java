package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.config.SocketConfig;
import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameReassembler;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Frames that are longer than the MTU of a cable between two namespaces, as Ethernet frames. */
@Tag("system")
class RawLongFrameSystemTest {
    private static final long A = 0x00_01;
    private static final long B = 0x00_02;
    private static final int HEADER = FrameHeaderFlyweight.LENGTH;
    private static final int BUFFERS = 1024;
    private static final int BODY_BYTES = 65_544;
    private static final int FRAMES = 12;

    private final TestFrames frames = new TestFrames();
    private final List<Integer> whole = new ArrayList<>();
    private TestNamespaces namespaces;
    private String left;
    private String right;
    private BufferPool pool;
    private BufferPool.Share share;
    private FrameReassembler reassembler;
    private RawLink a;
    private RawLink b;
    private LinkSender sender;

    @BeforeEach
    void setUp() {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        left = namespaces.add("a");
        right = namespaces.add("b");
    }

    @AfterEach
    void tearDown() {
        if (sender != null) {
            sender.close();
            a.close();
            b.close();
            reassembler.close();
            assertEquals(0, pool.outstanding());
        }
        if (namespaces != null) {
            namespaces.close();
        }
    }

    private static RawLinkConfig config(
            final int index, final String namespace, final long coordinates) {
        return new RawLinkConfig(
                index,
                "n0",
                namespace,
                0,
                coordinates,
                FrameConfig.DEFAULT.withEncapsulation(FrameConfig.Encapsulation.ETHERNET),
                SocketConfig.DEFAULT);
    }

    private void connect(final int mtuBytes) throws IOException {
        namespaces.veth(left, "n0", right, "n0", mtuBytes);
        pool = frames.pool(BUFFERS, 68 * 1024);
        share = pool.newShare();
        reassembler = new FrameReassembler(share, 8, 8, 1L << 40);
        a = RawLink.open(config(0, left, A), share);
        b = RawLink.open(config(1, right, B), share);
        a.learn(2, b.localAddress());
        sender = a.newSender(64);
    }

    private void offer(final int sequence) {
        final long header = frames.frame(B, sequence, BODY_BYTES);
        final int headBytes = HEADER + 8;
        assertTrue(
                sender.offer(
                        2,
                        new OutgoingFrame()
                                .wrap(header, headBytes, frames, sequence)
                                .payload(header + headBytes, HEADER + BODY_BYTES - headBytes)));
    }

    private void awaitWhole(final int count) {
        TestNamespaces.await(
                () -> count + " frames are whole, not " + whole.size(),
                () -> {
                    b.receive(RawLink.POOL, frames, 64);
                    frames.arrivals().forEach(this::join);
                    frames.arrivals().clear();
                    return whole.size() >= count;
                });
    }

    private void join(final TestFrames.Arrival arrival) {
        final long header = arrival.headerAddress();
        assertTrue(FragmentFlyweight.isFragment(header));
        final int joined =
                reassembler.onBuffer(
                        arrival.sourceAddress(),
                        FragmentFlyweight.number(header),
                        FragmentFlyweight.frameBytes(header),
                        FragmentFlyweight.offset(header),
                        (int) arrival.token(),
                        header + HEADER,
                        FrameHeaderFlyweight.frameLength(header) - HEADER,
                        0);
        assertEquals(FrameReassembler.TAKEN, reassembler.answer());
        if (joined != BufferPool.NONE) {
            whole.add(joined);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1_500, 9_000})
    void shouldCarryLongFramesAsEthernetFrames(final int mtuBytes) throws IOException {
        // given
        connect(mtuBytes);
        // when
        for (int i = 0; i < FRAMES; i++) {
            offer(i);
            sender.flush();
            awaitWhole(i + 1);
        }
        // then
        for (int i = 0; i < FRAMES; i++) {
            final long header = pool.headerAddress(whole.get(i));
            assertTrue(frames.isIntact(header, HEADER + BODY_BYTES, i, BODY_BYTES), "frame " + i);
            share.release(whole.get(i));
        }
        assertEquals(FRAMES, frames.released());
        assertEquals(0, sender.sendErrors());
        assertEquals((long) FRAMES * sender.offeredFrames(), sender.sentFrames());
        assertTrue(sender.offeredFrames() > BODY_BYTES / mtuBytes);
    }
}
