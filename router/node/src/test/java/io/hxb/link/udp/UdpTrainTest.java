package io.hxb.link.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.SocketConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.SocketOptions;
import io.hxb.os.TrainVector;
import io.hxb.testing.Allocations;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;

/** Trains of frames over loopback, where the kernel passes them on uncut. */
@Tag("unit")
class UdpTrainTest {
    private static final int BUFFERS = 512;
    private static final int BUFFER_BYTES = 9_088;
    private static final int HEADER = FrameHeaderFlyweight.LENGTH;
    private static final int SO_NO_CHECK = 11;
    private static final int PEER = 2;

    private final TestFrames frames = new TestFrames();
    private final OutgoingFrame outgoing = new OutgoingFrame();
    private final BufferPool pool = frames.pool(BUFFERS, BUFFER_BYTES);
    private final BufferPool.Share share = pool.newShare();
    private UdpLink a;
    private UdpLink b;
    private LinkSender sender;

    @BeforeEach
    void setUp() throws IOException {
        a = open(0, SocketConfig.Segmentation.AUTO);
        b = open(1, SocketConfig.Segmentation.AUTO);
        sender = join(a, b);
    }

    private UdpLink open(final int index, final SocketConfig.Segmentation segmentation)
            throws IOException {
        return UdpLink.open(
                new UdpLinkConfig(
                        index,
                        "127.0.0.1:0",
                        SocketConfig.DEFAULT
                                .withSizes(8_972, 1 << 20, 1 << 20)
                                .withSegmentation(segmentation)),
                UdpPeers.NONE,
                share);
    }

    private static LinkSender join(final UdpLink from, final UdpLink to) throws IOException {
        from.hear(UdpPeers.NONE.with(PEER, to.localAddress()));
        to.hear(UdpPeers.NONE.with(1, from.localAddress()));
        return from.newSender(64);
    }

    @AfterEach
    void tearDown() {
        sender.close();
        a.close();
        b.close();
        frames.releaseAll();
        assertEquals(0, pool.outstanding());
    }

    @Test
    void shouldPassFramesOfOneSizeInTrainsEachIntoItsBuffer() {
        // given: the first trains show what trains are like
        send(40, 5_000);
        takeIntact(40, 5_000);
        final long copied = b.trains().copiedFrames();
        // when
        send(40, 5_000);
        // then
        takeIntact(40, 5_000);
        assertEquals(80, sender.trains().frames());
        assertEquals(80, b.trains().frames());
        assertEquals(sender.trains().trains(), b.trains().trains());
        assertTrue(b.trains().trains() <= 80 / 10, "trains: " + b.trains().trains());
        assertEquals(copied, b.trains().copiedFrames());
    }

    @Test
    void shouldEndATrainWithAShorterFrame() {
        // given: trains of 3, 3 and 2 frames
        final int[] bodies = {3_000, 3_000, 2_000, 3_000, 3_000, 2_999, 3_000, 3_000};
        // when
        send(bodies);
        // then
        take(bodies, 64);
        assertEquals(3, sender.trains().trains());
    }

    @Test
    void shouldSendShortFramesAndFramesThatGrowAlone() {
        // given
        final int[] bodies = {0, 0, 200, 200, 1_000, 1_100, 1_200, 8_900, 0};
        // when
        send(bodies);
        // then
        take(bodies, 64);
        assertEquals(0, sender.trains().trains());
        assertEquals(0, b.trains().copiedFrames());
    }

    @Test
    void shouldKeepTrainsShortWhileLoneFramesShareTheLink() {
        // given
        final long lone = frames.frame(1, 0, 10);
        new FrameHeaderFlyweight().wrap(lone).flags(FrameHeaderFlyweight.FLAG_SPARSE);
        sender.offer(PEER, outgoing.wrap(lone, HEADER + 10, frames, 0));
        // when
        send(12, 2_000);
        // then
        await(13);
        assertEquals(3, sender.trains().trains());
        assertEquals(12, sender.trains().frames());
    }

    @Test
    void shouldNotJoinFramesToDifferentNeighbours() throws IOException {
        // given
        try (UdpLink c = open(2, SocketConfig.Segmentation.AUTO)) {
            c.hear(UdpPeers.NONE.with(1, a.localAddress()));
            a.hear(a.peers().with(3, c.localAddress()));
            // when
            for (int i = 0; i < 8; i++) {
                offer(i % 2 == 0 ? PEER : 3, i, 2_000);
            }
            sender.flush();
            // then
            await(4);
            TestNamespaces.await(
                    "all have arrived",
                    () -> {
                        c.receive(0, frames, 64);
                        return frames.arrivals().size() == 8;
                    });
            assertEquals(0, sender.trains().trains());
            frames.releaseAll();
        }
    }

    @Test
    void shouldFollowSizesThatChange() {
        // given: any sizes and numbers, and batches smaller than a train
        final Random random = new Random(22);
        int sent = 0;
        for (int round = 0; round < 200; round++) {
            final int count = 1 + random.nextInt(48);
            final int body = random.nextInt(8_900);
            final int[] bodies = new int[count];
            Arrays.fill(bodies, body);
            bodies[count - 1] = random.nextInt(body + 1);
            // when
            send(bodies);
            // then
            take(bodies, 1 + random.nextInt(64));
            sent += count;
        }
        assertEquals(sent, sender.sentFrames());
        assertEquals(0, sender.sendErrors());
        assertEquals(0, b.kernelDrops());
        assertTrue(b.trains().copiedFrames() > 0);
    }

    @Test
    void shouldReceiveTrainsThatOthersCutAnywhere() throws LinuxException {
        // given
        final int[] cuts = {1_500, 9_100, 64, 700, 3_000, 9_024};
        final long frame = frames.frame(1, 5, 8_900);
        for (final int cut : cuts) {
            // when: the kernel cuts each frame by a size that is not that of a frame
            SocketOptions.set(a.descriptor(0), TrainVector.SOL_UDP, TrainVector.UDP_SEGMENT, cut);
            final int length = Math.min(HEADER + 8_900, 60 * cut);
            for (int i = 0; i < 3; i++) {
                sender.offer(PEER, outgoing.wrap(frame, length, frames, 0));
                sender.flush();
            }
            // then: nothing is missing, nothing is made up
            final int pieces = (length + cut - 1) / cut;
            await(3 * pieces);
            for (int i = 0; i < 3 * pieces; i++) {
                final TestFrames.Arrival arrival = frames.arrivals().get(i);
                final int offset = i % pieces * cut;
                assertEquals(Math.min(cut, length - offset), arrival.lengthBytes());
                assertEquals(
                        -1,
                        Memory.ALL
                                .asSlice(arrival.headerAddress(), arrival.lengthBytes())
                                .mismatch(
                                        Memory.ALL.asSlice(frame + offset, arrival.lengthBytes())));
            }
            frames.releaseAll();
        }
    }

    @Test
    void shouldCutFramesThatAreLongerThanABuffer() throws IOException {
        // given: a sender with larger frames, 3 of 9,500 bytes and one of 1,500
        final long frame = frames.frame(1, 5, 30_000);
        sender.close();
        a.close();
        a =
                UdpLink.open(
                        new UdpLinkConfig(
                                0,
                                "127.0.0.1:0",
                                SocketConfig.DEFAULT.withSizes(32_000, 1 << 20, 1 << 20)),
                        UdpPeers.NONE,
                        frames.pool(8, 32_064).newShare());
        sender = join(a, b);
        SocketOptions.set(a.descriptor(0), TrainVector.SOL_UDP, TrainVector.UDP_SEGMENT, 9_500);
        // when
        for (int i = 0; i < 2; i++) {
            sender.offer(PEER, outgoing.wrap(frame, 30_000, frames, 0));
            sender.flush();
        }
        // then
        await(8);
        for (int i = 0; i < 8; i++) {
            assertEquals(
                    i % 4 == 3 ? 1_500 : pool.frameBytes(), frames.arrivals().get(i).lengthBytes());
        }
    }

    @Test
    void shouldSendFrameByFrameOnceTheKernelRefusesTrains() throws LinuxException {
        // given: without checksums the kernel cuts nothing
        SocketOptions.set(a.descriptor(0), SocketOptions.SOL_SOCKET, SO_NO_CHECK, 1);
        // when
        send(20, 3_000);
        send(20, 3_000);
        // then
        takeIntact(20, 3_000, 20, 3_000);
        assertEquals(1, sender.trains().refusals());
        assertEquals(0, sender.trains().trains());
        assertEquals(0, sender.sendErrors());
        assertEquals(40, sender.sentFrames());
    }

    @Test
    void shouldPassSingleFramesBetweenLinksOfDifferentSettings() throws IOException {
        // given
        try (UdpLink plain = open(2, SocketConfig.Segmentation.OFF);
                LinkSender toPlain = join(a, plain);
                LinkSender fromPlain = plain.newSender(64)) {
            plain.learn(1, a.localAddress());
            // when
            for (int i = 0; i < 20; i++) {
                toPlain.offer(
                        PEER, outgoing.wrap(frames.frame(1, i, 3_000), HEADER + 3_000, frames, i));
                fromPlain.offer(
                        1, outgoing.wrap(frames.frame(1, i, 3_000), HEADER + 3_000, frames, i));
            }
            toPlain.flush();
            fromPlain.flush();
            // then
            TestNamespaces.await(
                    "all have arrived",
                    () -> {
                        plain.receive(0, frames, 64);
                        a.receive(0, frames, 64);
                        return frames.arrivals().size() == 40;
                    });
            assertTrue(toPlain.trains().trains() > 0);
            assertEquals(0, plain.trains().trains());
            assertEquals(0, fromPlain.trains().trains());
            frames.releaseAll();
        }
    }

    @Test
    void shouldLoseNothingWhenThePoolRunsEmptyWithinATrain() {
        // given: one buffer is left, and the receiver has its own
        send(1, 0);
        await(1);
        frames.releaseAll();
        final int[] taken = new int[BUFFERS];
        int count = 0;
        for (int id = share.acquire(); id != BufferPool.NONE; id = share.acquire()) {
            taken[count++] = id;
        }
        share.release(taken[--count]);
        send(12, 5_000);
        // when: the first train has to be copied
        int received = 0;
        for (int i = 0; i < 3; i++) {
            received += b.receive(0, frames, 64);
        }
        // then
        assertTrue(received < 12, "received " + received);
        assertTrue(b.poolStarvations() > 0);
        while (count > 0) {
            share.release(taken[--count]);
        }
        takeIntact(12, 5_000);
    }

    @Test
    void shouldAllocateNothing() {
        // given
        final long[] memory = new long[32];
        Arrays.setAll(memory, i -> frames.frame(1, i, 4_000));
        final Discard sink = new Discard();
        // when
        Allocations.awaitNone(
                () -> {
                    for (int i = 0; i < 1_000; i++) {
                        pass(memory, sink);
                    }
                });
        // then
        assertTrue(sender.trains().trains() > 0);
    }

    private void pass(final long[] memory, final Discard sink) {
        for (final long frame : memory) {
            sender.offer(PEER, outgoing.wrap(frame, HEADER + 4_000, sink, 0));
        }
        sender.flush();
        final long target = sink.received + memory.length;
        while (sink.received != target) {
            b.receive(0, sink, 64);
        }
    }

    private void send(final int count, final int bodyLength) {
        final int[] bodies = new int[count];
        Arrays.fill(bodies, bodyLength);
        send(bodies);
    }

    private void send(final int[] bodies) {
        for (int i = 0; i < bodies.length; i++) {
            offer(PEER, i, bodies[i]);
        }
        sender.flush();
    }

    private void offer(final int neighbour, final int sequence, final int bodyLength) {
        final long header = frames.frame(1, sequence, bodyLength);
        assertTrue(
                sender.offer(
                        neighbour, outgoing.wrap(header, HEADER + bodyLength, frames, sequence)));
    }

    private void takeIntact(final int count, final int bodyLength) {
        final int[] bodies = new int[count];
        Arrays.fill(bodies, bodyLength);
        take(bodies, 64);
    }

    private void takeIntact(
            final int count, final int bodyLength, final int more, final int otherLength) {
        await(count + more);
        for (int i = 0; i < count + more; i++) {
            check(i, i % count, i < count ? bodyLength : otherLength);
        }
        frames.releaseAll();
    }

    private void take(final int[] bodies, final int limitFrames) {
        await(bodies.length, limitFrames);
        for (int i = 0; i < bodies.length; i++) {
            check(i, i, bodies[i]);
        }
        frames.releaseAll();
    }

    private void check(final int index, final int sequence, final int body) {
        final TestFrames.Arrival arrival = frames.arrivals().get(index);
        assertEquals(HEADER + body, arrival.lengthBytes(), "bytes of frame " + index);
        assertTrue(
                frames.isIntact(arrival.headerAddress(), arrival.lengthBytes(), sequence, body),
                "frame " + index);
        assertEquals(pool.headerAddress((int) arrival.token()), arrival.headerAddress());
        assertEquals(a.localAddress(), arrival.sourceAddress());
    }

    private void await(final int count) {
        await(count, 64);
    }

    private void await(final int count, final int limitFrames) {
        TestNamespaces.await(
                count + " frames have arrived",
                () -> {
                    assertTrue(b.receive(0, frames, limitFrames) <= limitFrames);
                    return frames.arrivals().size() >= count;
                });
        assertEquals(count, frames.arrivals().size());
    }

    /** Releases what it gets. */
    private static final class Discard implements FrameSink, FrameOwner {
        private long received;

        @Override
        public void onFrame(
                final Link link,
                final FrameOwner owner,
                final long token,
                final long headerAddress,
                final int lengthBytes,
                final long sourceAddress,
                final int vlanTci) {
            received++;
            owner.release(token);
        }

        @Override
        public void release(final long token) {}
    }
}
