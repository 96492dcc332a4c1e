package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.config.SocketConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Memory;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;

@Tag("system")
class RawLinkSystemTest {
    private static final long A = 0x00_01;
    private static final long B = 0x00_02;
    private static final long ELSEWHERE = 0x01_02;
    private static final int BUFFERS = 1024;
    private static final FrameConfig TAGGED =
            new FrameConfig(
                    false,
                    32,
                    0x88B5,
                    0x88B6,
                    200_000_000L,
                    true,
                    FrameConfig.Encapsulation.ETHERNET);

    private final TestFrames frames = new TestFrames();
    private final OutgoingFrame outgoing = new OutgoingFrame();
    private TestNamespaces namespaces;
    private String left;
    private String right;
    private BufferPool pool;
    private BufferPool.Share share;
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

    @Test
    void shouldDeliverFramesForThisNodeIntoPoolBuffers() throws IOException {
        // given
        connect(1500);
        // when
        for (int i = 0; i < 100; i++) {
            offer(B, i, i);
        }
        sender.flush();
        awaitArrivals(RawLink.POOL, 100);
        // then
        for (int i = 0; i < 100; i++) {
            final TestFrames.Arrival arrival = frames.arrivals().get(i);
            assertTrue(
                    frames.isIntact(arrival.headerAddress(), arrival.lengthBytes(), i, i), "" + i);
            assertEquals(pool.headerAddress((int) arrival.token()), arrival.headerAddress());
            assertEquals(share, arrival.owner());
            assertEquals(a.localAddress(), arrival.sourceAddress());
            assertEquals(-1, arrival.vlanTci());
        }
        assertEquals(100, frames.released());
        assertEquals(100, sender.sentFrames());
        assertEquals(0, b.receive(RawLink.RING, frames, 64));
    }

    @Test
    void shouldReceiveSparseFramesForThisNodeInTheRing() throws IOException {
        // given
        connect(1500);
        final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
        // when
        for (int i = 0; i < 10; i++) {
            final long address = frames.frame(B, i, 100);
            header.wrap(address).flags(i % 2 == 0 ? FrameHeaderFlyweight.FLAG_SPARSE : 0);
            assertTrue(sender.offer(2, outgoing.wrap(address, 164, frames, i)));
        }
        sender.flush();
        awaitArrivals(RawLink.RING, 5);
        awaitArrivals(RawLink.POOL, 10);
        // then
        for (int i = 0; i < 10; i++) {
            final TestFrames.Arrival arrival = frames.arrivals().get(i);
            final int sequence = i < 5 ? 2 * i : 2 * i - 9;
            assertEquals(i >= 5, arrival.owner() == share, "frame " + sequence);
            assertTrue(
                    frames.isIntact(arrival.headerAddress(), arrival.lengthBytes(), sequence, 100));
        }
        assertTrue(b.isInMemory(RawLink.RING));
        assertFalse(b.isInMemory(RawLink.POOL));
    }

    @Test
    void shouldOfferRelayedFramesFromTheRingSlotTheyArrivedIn() throws IOException {
        // given
        connect(9000);
        b.learn(1, a.localAddress());
        final LinkSender back = b.newSender(64);
        // when
        for (int i = 0; i < 20; i++) {
            offer(ELSEWHERE, i, 8000);
        }
        sender.flush();
        awaitArrivals(RawLink.RING, 20);
        for (final TestFrames.Arrival arrival : frames.arrivals()) {
            assertEquals(0, arrival.headerAddress() & 7);
            final boolean isTaken =
                    back.offer(
                            1,
                            outgoing.wrap(
                                    arrival.headerAddress(),
                                    arrival.lengthBytes(),
                                    arrival.owner(),
                                    arrival.token()));
            assertTrue(isTaken);
        }
        frames.arrivals().clear();
        back.flush();
        // then
        TestNamespaces.await(
                "frames are back",
                () -> {
                    a.receive(RawLink.RING, frames, 64);
                    return frames.arrivals().size() == 20;
                });
        for (int i = 0; i < 20; i++) {
            final TestFrames.Arrival arrival = frames.arrivals().get(i);
            assertTrue(frames.isIntact(arrival.headerAddress(), arrival.lengthBytes(), i, 8000));
        }
        assertEquals(0, b.receive(RawLink.POOL, frames, 64));
        back.close();
    }

    @Test
    void shouldHandOnMalformedAndLinkLocalFrames() throws IOException {
        // given
        connect(1500);
        final long foreign = frames.frame(ELSEWHERE, 1, 0);
        new FrameHeaderFlyweight().wrap(foreign).version(9);
        final long shortFrame = frames.frame(ELSEWHERE, 2, 0);
        final long local = frames.frame(FrameHeaderFlyweight.ANY_DESTINATION, 3, 0);
        // when
        sender.offer(2, outgoing.wrap(foreign, 64, frames, 0));
        sender.offer(2, outgoing.wrap(shortFrame, 40, frames, 0));
        sender.offer(Link.BROADCAST, outgoing.wrap(local, 64, frames, 0));
        sender.flush();
        awaitArrivals(RawLink.RING, 2);
        awaitArrivals(RawLink.POOL, 3);
        // then
        assertEquals(40, frames.arrivals().get(1).lengthBytes());
        assertEquals(0, a.receive(RawLink.POOL, frames, 64), "own broadcast");
    }

    @Test
    void shouldIgnoreFramesForAnotherStation() throws IOException {
        // given
        connect(1500);
        a.learn(3, 0x02_00_00_00_00_77L);
        // when
        final boolean isTaken =
                sender.offer(3, outgoing.wrap(frames.frame(B, 1, 0), 64, frames, 0));
        sender.flush();
        offer(B, 2, 0);
        sender.flush();
        awaitArrivals(RawLink.POOL, 1);
        // then
        assertTrue(isTaken);
        assertEquals(2, frames.arrivals().getFirst().sequence());
    }

    @Test
    void shouldGatherHeaderAndPayloadFromTwoPlaces() throws IOException {
        // given
        connect(1500);
        final long header = frames.frame(B, 5, 0);
        new FrameHeaderFlyweight().wrap(header).bodyLength(700);
        final long payload = frames.frame(B, 5, 700) + FrameHeaderFlyweight.LENGTH;
        // when
        sender.offer(2, outgoing.wrap(header, 64, frames, 0).payload(payload, 700));
        sender.flush();
        awaitArrivals(RawLink.POOL, 1);
        // then
        final TestFrames.Arrival arrival = frames.arrivals().getFirst();
        assertTrue(frames.isIntact(arrival.headerAddress(), arrival.lengthBytes(), 5, 700));
        assertEquals(764, sender.sentBytes());
    }

    @Test
    void shouldRecoverTheTagOfTaggedFrames() throws IOException {
        // given
        connect(1500);
        final int tci = 5 << 13 | 42;
        // when
        sendTagged(B, tci);
        sendTagged(ELSEWHERE, tci);
        awaitArrivals(RawLink.POOL, 1);
        awaitArrivals(RawLink.RING, 2);
        // then
        for (final TestFrames.Arrival arrival : frames.arrivals()) {
            assertEquals(tci, arrival.vlanTci());
            assertTrue(frames.isIntact(arrival.headerAddress(), arrival.lengthBytes(), 77, 100));
        }
    }

    // The sender puts its Ethernet header before what it takes for an HXB header to be relayed: a
    // tag, in effect.
    private void sendTagged(final long destination, final int tci) throws IOException {
        final RawLinkConfig config =
                new RawLinkConfig(
                        0,
                        "n0",
                        left,
                        0,
                        A,
                        new FrameConfig(
                                false,
                                32,
                                0x9999,
                                0x8100,
                                200_000_000L,
                                true,
                                FrameConfig.Encapsulation.ETHERNET),
                        SocketConfig.DEFAULT);
        try (Arena arena = Arena.ofConfined();
                RawLink tagging = RawLink.open(config, share);
                LinkSender taggingSender = tagging.newSender(8)) {
            tagging.learn(2, b.localAddress());
            final long address = arena.allocate(400, 64).address() + 64;
            Memory.putShortBigEndian(address, tci);
            Memory.putShortBigEndian(
                    address + 2, destination == B ? TAGGED.etherType() : TAGGED.relayEtherType());
            Memory.copy(frames.frame(destination, 77, 100), address + 4, 164);
            assertTrue(taggingSender.offer(2, outgoing.wrap(address, 168, frames, 0)));
            assertEquals(1, taggingSender.flush());
        }
    }

    @Test
    void shouldCarryJumboFramesOfAnySize() throws IOException {
        // given
        connect(65_535);
        final int[] bodies = {8936, 9000, 32_000, 65_535 - 64};
        // when
        for (int i = 0; i < bodies.length; i++) {
            offer(i % 2 == 0 ? B : ELSEWHERE, i, bodies[i]);
        }
        sender.flush();
        awaitArrivals(RawLink.POOL, 2);
        awaitArrivals(RawLink.RING, 4);
        // then
        assertEquals(65_535, a.mtuBytes());
        for (final TestFrames.Arrival arrival : frames.arrivals()) {
            final int sequence = arrival.sequence();
            assertTrue(
                    frames.isIntact(
                            arrival.headerAddress(),
                            arrival.lengthBytes(),
                            sequence,
                            bodies[sequence]));
        }
    }

    @Test
    void shouldThrowAwayAndCountFramesThatAreTooLong() throws IOException {
        // given
        connect(1500);
        TestNamespaces.ipIn(left, "link set n0 mtu 1480");
        // when
        offer(B, 1, 1400);
        offer(B, 2, 1436);
        offer(B, 3, 1400);
        sender.flush();
        awaitArrivals(RawLink.POOL, 2);
        // then
        assertEquals(3, frames.released());
        assertEquals(1, sender.sendErrors());
        assertEquals(2, sender.sentFrames());
        assertFalse(sender.isBlocked());
    }

    @Test
    void shouldCountWhatTheKernelDroppedOfEitherSource() throws IOException {
        // given
        connect(9000);
        final int sent = 4000;
        // when
        for (final long destination : new long[] {B, ELSEWHERE}) {
            final long header = frames.frame(destination, 1, 8000);
            for (int i = 0; i < sent; i++) {
                assertTrue(sender.offer(2, outgoing.wrap(header, 8064, frames, 0)));
                TestNamespaces.await("the frame is taken", () -> flushed(sender));
            }
        }
        final int[] received = new int[2];
        for (final int source : new int[] {RawLink.POOL, RawLink.RING}) {
            while (b.receive(source, frames, 64) > 0) {
                received[source] += frames.arrivals().size();
                frames.releaseAll();
            }
        }
        // then
        assertTrue(received[RawLink.POOL] < sent, "" + received[RawLink.POOL]);
        assertTrue(received[RawLink.RING] < sent, "" + received[RawLink.RING]);
        assertEquals(2 * sent, received[0] + received[1] + b.kernelDrops());
        assertEquals(2 * sent, received[0] + received[1] + b.kernelDrops(), "asked again");
    }

    private static boolean flushed(final LinkSender sender) {
        sender.flush();
        return sender.queuedFrames() == 0;
    }

    @Test
    void shouldReportWhatItsNicHasNotSentYet() throws IOException {
        // given
        connect(9000);
        final String slow = "tc qdisc add dev n0 root tbf rate 8mbit burst 9100b limit 1mb";
        TestNamespaces.exec(left, slow.split(" "));
        assertEquals(0, sender.unsentBytes());
        // when
        for (int i = 0; i < 20; i++) {
            offer(B, i, 8_000);
        }
        sender.flush();
        // then
        assertTrue(sender.unsentBytes() > 10 * 8_000, "" + sender.unsentBytes());
        awaitArrivals(RawLink.POOL, 20);
        assertEquals(0, sender.unsentBytes());
    }

    @Test
    void shouldSendAFrameAheadOfThoseThatWaitForAFullSocket() throws IOException {
        // given
        connect(9000);
        final String slow = "tc qdisc add dev n0 root tbf rate 80mbit burst 9100b limit 1mb";
        TestNamespaces.exec(left, slow.split(" "));
        sender.limitUnsent(64 << 10);
        for (int i = 0; i < 20; i++) {
            offer(B, i, 8_000);
        }
        sender.flush();
        assertTrue(sender.isBlocked());
        final int queued = sender.queuedFrames();
        final long released = frames.released();
        // when
        final long address = frames.frame(B, 20, 100);
        assertTrue(sender.sendAhead(2, outgoing.wrap(address, 164, frames, 20)));
        // then: the limit is as before
        assertEquals(queued, sender.queuedFrames());
        assertEquals(released + 1, frames.released());
        sender.flush();
        assertTrue(sender.isBlocked());
        TestNamespaces.await(
                "all have arrived",
                () -> {
                    sender.flush();
                    b.receive(RawLink.POOL, frames, 64);
                    return frames.arrivals().size() == 21;
                });
        final List<Integer> order =
                frames.arrivals().stream().map(TestFrames.Arrival::sequence).toList();
        assertEquals(20 - queued, order.indexOf(20));
        assertEquals(21, sender.sentFrames());
    }

    @Test
    void shouldKeepFramesWaitingWhileThePoolIsEmpty() throws IOException {
        // given
        connect(1500);
        final int[] taken = new int[BUFFERS];
        int count = 0;
        for (int id = share.acquire(); id != BufferPool.NONE; id = share.acquire()) {
            taken[count++] = id;
        }
        offer(B, 1, 0);
        sender.flush();
        // when
        final int received = b.receive(RawLink.POOL, frames, 64);
        // then
        assertEquals(0, received);
        assertEquals(1, b.poolStarvations());
        for (int i = 0; i < count; i++) {
            share.release(taken[i]);
        }
        awaitArrivals(RawLink.POOL, 1);
    }

    @Test
    void shouldSurviveANicThatGoesDownAndComesBack() throws IOException {
        // given
        connect(1500);
        offer(ELSEWHERE, 1, 0);
        sender.flush();
        awaitArrivals(RawLink.RING, 1);
        // when
        TestNamespaces.ipIn(left, "link set n0 down");
        offer(B, 2, 0);
        offer(B, 3, 0);
        sender.flush();
        a.refresh();
        b.refresh();
        // then
        assertEquals(2, sender.sendErrors());
        assertEquals(3, frames.released());
        assertFalse(a.isUp());
        assertFalse(b.isUp());
        assertEquals(Link.DOWN, a.receive(RawLink.POOL, frames, 64));
        assertEquals(Link.DOWN, b.receive(RawLink.RING, frames, 64));
        TestNamespaces.ipIn(left, "link set n0 up");
        awaitUp();
        offer(B, 4, 0);
        offer(ELSEWHERE, 5, 0);
        sender.flush();
        awaitArrivals(RawLink.RING, 2);
        awaitArrivals(RawLink.POOL, 3);
    }

    @Test
    void shouldSurviveANicThatIsDeletedAndMadeAnew() throws IOException {
        // given
        connect(1500);
        final int oldIndex = TestNamespaces.info(left, "n0").ifindex();
        offer(B, 1, 0);
        offer(ELSEWHERE, 2, 0);
        sender.flush();
        awaitArrivals(RawLink.POOL, 1);
        awaitArrivals(RawLink.RING, 2);
        final int descriptor = b.descriptor(RawLink.RING);
        // when
        TestNamespaces.ipIn(left, "link del n0");
        offer(B, 3, 0);
        sender.flush();
        final boolean isChanged = a.refresh() && b.refresh();
        final boolean isDown = !a.isUp() && !b.isUp();
        namespaces.veth(left, "n0", right, "n0", 9000);
        awaitUp();
        a.learn(2, b.localAddress());
        frames.releaseAll();
        offer(B, 4, 8900);
        offer(ELSEWHERE, 5, 8900);
        sender.flush();
        // then
        assertTrue(isChanged);
        assertTrue(isDown);
        assertEquals(1, sender.sendErrors());
        assertTrue(oldIndex != TestNamespaces.info(left, "n0").ifindex());
        awaitArrivals(RawLink.POOL, 1);
        awaitArrivals(RawLink.RING, 2);
        assertEquals(8964, frames.arrivals().get(1).lengthBytes());
        assertTrue(descriptor != b.descriptor(RawLink.RING), "slots were too small for the MTU");
        assertEquals(a.localAddress(), frames.arrivals().get(0).sourceAddress());
    }

    @Test
    void shouldFindANicThatWasMadeAnewWithTheSameNumber() throws IOException {
        // given
        connect(1500);
        final int number = TestNamespaces.info(right, "n0").ifindex();
        // when
        TestNamespaces.ipIn(right, "link del n0");
        TestNamespaces.ipIn(
                right,
                "link add n0 index %d type veth peer name n0 netns %s".formatted(number, left),
                "link set n0 up");
        TestNamespaces.ipIn(left, "link set n0 up");
        awaitUp();
        a.learn(2, b.localAddress());
        offer(B, 1, 0);
        sender.flush();
        // then
        assertEquals(number, TestNamespaces.info(right, "n0").ifindex());
        awaitArrivals(RawLink.POOL, 1);
    }

    @Test
    void shouldHearOfNicsThatChange() throws IOException {
        // given
        connect(1500);
        try (LinkMonitor monitor = LinkMonitor.open(right)) {
            assertFalse(monitor.poll());
            // when
            TestNamespaces.ipIn(left, "link set n0 down");
            // then
            assertTrue(Descriptors.poll(monitor.descriptor(), Descriptors.POLLIN, 5000) != 0);
            assertTrue(monitor.poll());
            TestNamespaces.await("the news are over", () -> !monitor.poll());
        }
    }

    @Test
    void shouldReportWhichNicIsMissing() {
        // given
        final RawLinkConfig config = config(4, "nosuch", left, A);
        final BufferPool none = frames.pool(1, 2048);
        // when
        final IOException thrown =
                assertThrows(IOException.class, () -> RawLink.open(config, none.newShare()));
        // then
        assertTrue(thrown.getMessage().contains("link 4: there is no NIC nosuch"));
        assertTrue(thrown.getMessage().contains("{mac: ADDRESS}"));
        assertTrue(thrown.getMessage().contains("{path: PATH}"));
    }

    private void awaitUp() {
        TestNamespaces.await(
                "both links are up",
                () -> {
                    a.refresh();
                    b.refresh();
                    return a.isUp() && b.isUp();
                });
    }

    private void connect(final int mtuBytes) throws IOException {
        namespaces.veth(left, "n0", right, "n0", mtuBytes);
        open(mtuBytes);
    }

    private static RawLinkConfig config(
            final int index, final String nic, final String namespace, final long coordinates) {
        return new RawLinkConfig(
                index, nic, namespace, 0, coordinates, TAGGED, SocketConfig.DEFAULT);
    }

    private void open(final int mtuBytes) throws IOException {
        pool = frames.pool(BUFFERS, Math.max(9216, mtuBytes + 64 + 63 & -64));
        share = pool.newShare();
        a = RawLink.open(config(0, "n0", left, A), share);
        b = RawLink.open(config(1, "n0", right, B), share);
        a.learn(2, b.localAddress());
        sender = a.newSender(128);
    }

    private void offer(final long destination, final int sequence, final int bodyLength) {
        final long header = frames.frame(destination, sequence, bodyLength);
        assertTrue(sender.offer(2, outgoing.wrap(header, 64 + bodyLength, frames, sequence)));
    }

    private void awaitArrivals(final int source, final int count) {
        TestNamespaces.await(
                count + " frames have arrived",
                () -> {
                    b.receive(source, frames, 64);
                    return frames.arrivals().size() >= count;
                });
        assertEquals(count, frames.arrivals().size());
    }
}
