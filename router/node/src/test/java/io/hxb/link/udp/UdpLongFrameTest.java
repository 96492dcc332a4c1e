package io.hxb.link.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Frames that are longer than the MTU, over sockets of the loopback device. */
@Tag("unit")
class UdpLongFrameTest {
    private static final int HEADER = FrameHeaderFlyweight.LENGTH;
    private static final int BUFFERS = 512;
    private static final int BODY_BYTES = 65_000;

    private final TestFrames frames = new TestFrames();
    private final BufferPool pool = frames.pool(BUFFERS, 66_048);
    private final BufferPool.Share share = pool.newShare();
    private final FrameReassembler reassembler = new FrameReassembler(share, 8, 8, 1L << 40);
    private final List<Integer> whole = new ArrayList<>();
    private UdpLink a;
    private UdpLink b;
    private LinkSender sender;

    private void open(final int mtuBytes, final int queueFrames) throws IOException {
        a = open(0, mtuBytes, 4 << 20);
        b = open(1, mtuBytes, 4 << 20);
        a.hear(UdpPeers.NONE.with(2, b.localAddress()));
        b.hear(UdpPeers.NONE.with(1, a.localAddress()));
        sender = a.newSender(queueFrames);
    }

    private UdpLink open(final int index, final int mtuBytes, final int socketBytes)
            throws IOException {
        return UdpLink.open(
                new UdpLinkConfig(
                        index,
                        "127.0.0.1:0",
                        SocketConfig.DEFAULT.withSizes(mtuBytes, socketBytes, socketBytes)),
                UdpPeers.NONE,
                share);
    }

    @AfterEach
    void tearDown() {
        sender.close();
        a.close();
        b.close();
        reassembler.close();
        assertEquals(0, pool.outstanding());
    }

    private boolean offer(final int sequence, final int bodyBytes) {
        final long header = frames.frame(1, sequence, bodyBytes);
        // The payload lies elsewhere, as that of a program does.
        final int headBytes = HEADER + Math.min(8, bodyBytes);
        final long payload = frames.frame(1, sequence, bodyBytes) + headBytes;
        return sender.offer(
                2,
                new OutgoingFrame()
                        .wrap(header, headBytes, frames, sequence)
                        .payload(payload, HEADER + bodyBytes - headBytes));
    }

    // Joins what has arrived; frames that were not cut are whole.
    private void awaitWhole(final int count) {
        TestNamespaces.await(
                () -> count + " frames are whole, not " + whole.size(),
                () -> {
                    b.receive(0, frames, 64);
                    frames.arrivals().forEach(this::join);
                    frames.arrivals().clear();
                    return whole.size() >= count;
                });
    }

    private void join(final TestFrames.Arrival arrival) {
        final long header = arrival.headerAddress();
        final int id = (int) arrival.token();
        if (!FragmentFlyweight.isFragment(header)) {
            whole.add(id);
            return;
        }
        final int joined =
                reassembler.onBuffer(
                        arrival.sourceAddress(),
                        FragmentFlyweight.number(header),
                        FragmentFlyweight.frameBytes(header),
                        FragmentFlyweight.offset(header),
                        id,
                        header + HEADER,
                        FrameHeaderFlyweight.frameLength(header) - HEADER,
                        0);
        assertEquals(FrameReassembler.TAKEN, reassembler.answer());
        if (joined != BufferPool.NONE) {
            whole.add(joined);
        }
    }

    private void checkWhole(final int index, final int sequence, final int bodyBytes) {
        assertTrue(
                frames.isIntact(
                        pool.headerAddress(whole.get(index)),
                        HEADER + bodyBytes,
                        sequence,
                        bodyBytes),
                "frame " + sequence);
        share.release(whole.get(index));
    }

    @ParameterizedTest
    @ValueSource(ints = {1_472, 1_500, 8_972, 9_000})
    void shouldCarryLongFramesAsTrainsOfFragments(final int mtuBytes) throws IOException {
        // given
        open(mtuBytes, 64);
        assertEquals(pool.frameBytes(), a.maxFrameBytes());
        // when
        for (int i = 0; i < 10; i++) {
            assertTrue(offer(i, BODY_BYTES + i));
            sender.flush();
            awaitWhole(i + 1);
        }
        // then
        for (int i = 0; i < 10; i++) {
            checkWhole(i, i, BODY_BYTES + i);
        }
        assertEquals(10, frames.released());
        assertEquals(0, sender.sendErrors());
        final int fragments = sender.offeredFrames();
        final int rangeBytes = mtuBytes - HEADER & -FragmentFlyweight.UNIT_BYTES;
        assertEquals((HEADER + BODY_BYTES + rangeBytes - 1) / rangeBytes, fragments);
        assertEquals(10L * fragments, sender.sentFrames());
        // With segmentation a frame is one train or two.
        assertTrue(sender.trains().trains() <= 20, sender.trains().trains() + " trains");
        assertTrue(!sender.sendsTrains() || sender.trains().trains() >= 10);
    }

    @Test
    void shouldTakeLongFramesAndShortOnesInTurn() throws IOException {
        // given
        open(1_500, 64);
        // when
        for (int i = 0; i < 8; i++) {
            assertTrue(offer(i, i % 2 == 0 ? 20_000 : 100));
        }
        sender.flush();
        awaitWhole(8);
        // then
        for (int i = 0; i < 8; i++) {
            checkWhole(i, i, i % 2 == 0 ? 20_000 : 100);
        }
        assertEquals(8, frames.released());
    }

    @Test
    void shouldGiveQueuedLongFramesBackOnce() throws IOException {
        // given
        open(1_500, 256);
        offer(0, BODY_BYTES);
        offer(1, BODY_BYTES);
        final int fragments = sender.queuedFrames();
        assertEquals(2 * sender.offeredFrames(), fragments);
        // when
        final int discarded = sender.discard();
        // then
        assertEquals(fragments, discarded);
        assertEquals(2, frames.released());
        assertEquals(0, sender.sentFrames());
    }

    @Test
    void shouldReleaseALongFrameWithItsLastFragment() throws IOException {
        // given
        open(1_500, 64);
        // when
        offer(0, BODY_BYTES);
        // then
        assertEquals(0, frames.released());
        sender.flush();
        assertEquals(1, frames.released());
        awaitWhole(1);
        checkWhole(0, 0, BODY_BYTES);
    }

    @Test
    void shouldRefuseWhatIsLongerThanItsLengthField() throws IOException {
        // given
        open(300, 64);
        final int max = a.maxFrameBytes();
        assertTrue(max < 16_000, "" + max);
        // when / then
        assertTrue(offer(0, max - HEADER));
        assertTrue(sender.offeredFrames() <= 64);
        sender.discard();
        assertFalse(offer(1, 60_000));
        assertEquals(1, frames.released());
    }

    @Test
    void shouldSendARangeAgain() throws IOException {
        // given
        open(1_500, 64);
        final long header = frames.frame(1, 0, 20_000);
        final OutgoingFrame frame = new OutgoingFrame().wrap(header, HEADER + 20_000, frames, 0);
        // when
        assertTrue(sender.offer(2, frame.range(77, 8_000, 4_000)));
        assertEquals(3, sender.offeredFrames());
        assertTrue(sender.offer(2, frame.range(77, 0, 8_000)));
        assertTrue(sender.offer(2, frame.range(77, 12_000, 8_064)));
        sender.flush();
        awaitWhole(1);
        // then
        checkWhole(0, 0, 20_000);
        assertEquals(3, frames.released());
    }
}
