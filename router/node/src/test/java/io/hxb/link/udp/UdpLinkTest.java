package io.hxb.link.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.SocketConfig;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

@Tag("unit")
class UdpLinkTest {
    private static final int BUFFERS = 512;

    private final TestFrames frames = new TestFrames();
    private final BufferPool pool = frames.pool(BUFFERS, 66_048);
    private final BufferPool.Share share = pool.newShare();
    private UdpLink a;
    private UdpLink b;
    private LinkSender sender;

    @BeforeEach
    void setUp() throws IOException {
        a = open(0, 65_507);
        b = open(1, 65_507);
        a.hear(UdpPeers.NONE.with(2, b.localAddress()));
        b.hear(UdpPeers.NONE.with(1, a.localAddress()));
        sender = a.newSender(64);
    }

    private UdpLink open(final int index, final int mtuBytes) throws IOException {
        return UdpLink.open(
                new UdpLinkConfig(
                        index,
                        "127.0.0.1:0",
                        SocketConfig.DEFAULT.withSizes(mtuBytes, 1 << 17, 1 << 17)),
                UdpPeers.NONE,
                share);
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
    void shouldNameTheProcessThatHasThePort() {
        // when
        final LinuxException taken =
                assertThrows(
                        LinuxException.class,
                        () ->
                                UdpLink.open(
                                        new UdpLinkConfig(
                                                3,
                                                UdpAddress.format(a.localAddress()),
                                                SocketConfig.DEFAULT),
                                        UdpPeers.NONE,
                                        share));
        // then
        assertEquals(Errno.EADDRINUSE, taken.errno());
        final String self = "pid " + ProcessHandle.current().pid() + " (";
        assertTrue(taken.getMessage().contains(", which " + self), taken.getMessage());
    }

    @Test
    void shouldDeliverFramesOfAnySizeIntoPoolBuffers() {
        // given
        final int[] bodies = {0, 1, 1000, 9000, 65_507 - 64};
        // when
        for (int i = 0; i < bodies.length; i++) {
            assertTrue(offer(2, i, bodies[i]));
            sender.flush();
            awaitArrivals(b, i + 1);
        }
        // then
        for (int i = 0; i < bodies.length; i++) {
            final TestFrames.Arrival arrival = frames.arrivals().get(i);
            assertTrue(
                    frames.isIntact(arrival.headerAddress(), arrival.lengthBytes(), i, bodies[i]));
            assertEquals(a.localAddress(), arrival.sourceAddress());
            assertEquals(pool.headerAddress((int) arrival.token()), arrival.headerAddress());
        }
        assertEquals(bodies.length, frames.released());
        assertEquals(65_507, a.mtuBytes());
    }

    @Test
    void shouldSendABroadcastToEveryNeighbourAndReleaseItOnce() throws IOException {
        // given
        try (UdpLink c = open(2, 9000)) {
            a.hear(a.peers().with(3, c.localAddress()).with(1, a.localAddress()));
            c.hear(UdpPeers.NONE.with(1, a.localAddress()));
            // when
            final boolean isTaken = offer(Link.BROADCAST, 5, 10);
            sender.flush();
            awaitArrivals(b, 1);
            awaitArrivals(c, 2);
            // then
            assertTrue(isTaken);
            assertEquals(1, frames.released());
            assertEquals(0, a.receive(0, frames, 8));
        }
    }

    @Test
    void shouldRefuseFramesToUnknownNeighboursAndABroadcastToNobody() throws IOException {
        // given
        b.hear(UdpPeers.NONE);
        final LinkSender lonely = b.newSender(8);
        // when
        final boolean isTaken = offer(9, 1, 0);
        final boolean isBroadcast =
                lonely.offer(
                        Link.BROADCAST,
                        new OutgoingFrame().wrap(frames.frame(1, 1, 0), 64, frames, 0));
        // then
        assertFalse(isTaken);
        assertFalse(isBroadcast);
        lonely.close();
        assertEquals(0, frames.released());
    }

    @Test
    void shouldThrowAwayAndCountADatagramThatTheKernelRefuses() throws IOException {
        // given: nobody has asked the kernel for broadcasts
        a.hear(a.peers().with(3, UdpAddress.parse("255.255.255.255:9")));
        // when
        offer(3, 1, 0);
        offer(2, 7, 0);
        sender.flush();
        awaitArrivals(b, 1);
        // then
        assertEquals(1, sender.sendErrors());
        assertEquals(7, frames.arrivals().getFirst().sequence());
    }

    @Test
    void shouldCountWhatTheKernelDropped() {
        // given
        final int sent = 400;
        // when
        for (int i = 0; i < sent; i++) {
            offer(2, i, 9000);
            sender.flush();
        }
        TestNamespaces.await("all have arrived", () -> b.receive(0, frames, 64) == 0);
        // then
        assertEquals(sent, sender.sentFrames());
        assertTrue(b.kernelDrops() > 0);
        assertEquals(sent, frames.arrivals().size() + b.kernelDrops());
    }

    @Test
    void shouldHearConfiguredAddressesOnly() throws IOException {
        // given: a stranger, and b heard from another port of its host
        try (UdpLink stranger = open(2, 9000);
                UdpLink other = open(3, 9000)) {
            stranger.hear(UdpPeers.NONE.with(2, b.localAddress()));
            other.hear(UdpPeers.NONE.with(2, b.localAddress()));
            b.hear(UdpPeers.NONE.with(1, a.localAddress()).with(3, other.localAddress()));
            final long before = b.kernelDrops();
            // when
            for (final UdpLink from : List.of(stranger, other, a)) {
                try (LinkSender out = from.newSender(8)) {
                    out.offer(
                            2,
                            new OutgoingFrame()
                                    .wrap(frames.frame(1, from.index(), 0), 64, frames, 0));
                    out.flush();
                }
            }
            awaitArrivals(b, 2);
            // then
            assertEquals(0, b.receive(0, frames, 8));
            assertEquals(
                    List.of(other.localAddress(), a.localAddress()),
                    frames.arrivals().stream().map(TestFrames.Arrival::sourceAddress).toList());
            assertEquals(1, b.kernelDrops() - before);
            frames.releaseAll();
        }
    }

    @Test
    void shouldNotMoveANeighbourToAnAddressThatIsNotConfigured() throws IOException {
        // given
        final long stranger = UdpAddress.parse("127.0.0.1:9");
        // when
        a.learn(2, stranger);
        // then
        assertFalse(a.mayHave(2, stranger));
        assertEquals(b.localAddress(), a.learned(2));
    }

    @Test
    void shouldFindANeighbourAtAnyOfTheAddressesOfItsName() throws IOException {
        // given: two addresses, of which the second is in use
        final long unused = UdpAddress.parse("127.0.0.1:9");
        a.hear(UdpPeers.NONE.with(2, unused, b.localAddress()));
        // when
        final int bothQueued = broadcast();
        a.learn(2, b.localAddress());
        final int oneQueued = broadcast();
        a.onSilent(2);
        final int bothAgain = broadcast();
        // then
        assertEquals(2, bothQueued);
        assertEquals(1, oneQueued);
        assertEquals(2, bothAgain);
        assertEquals(b.localAddress(), a.learned(2));
        awaitArrivals(b, 3);
    }

    private int broadcast() {
        assertTrue(offer(Link.BROADCAST, 1, 0));
        final int queued = sender.queuedFrames();
        sender.flush();
        return queued;
    }

    @Test
    void shouldReceiveNothingAndLoseNothingWhileThePoolIsEmpty() {
        // given
        final int[] taken = new int[BUFFERS];
        int count = 0;
        for (int id = share.acquire(); id != BufferPool.NONE; id = share.acquire()) {
            taken[count++] = id;
        }
        offer(2, 1, 0);
        offer(2, 2, 0);
        sender.flush();
        // when
        final int received = b.receive(0, frames, 64);
        // then
        assertEquals(0, received);
        assertEquals(1, b.poolStarvations());
        for (int i = 0; i < count; i++) {
            share.release(taken[i]);
        }
        awaitArrivals(b, 2);
    }

    @Test
    void shouldGiveQueuedFramesBackWhenClosed() {
        // given
        offer(2, 1, 0);
        offer(2, 2, 0);
        // when
        sender.close();
        // then
        assertEquals(2, frames.released());
        assertEquals(0, sender.queuedFrames());
    }

    @Test
    void shouldSendWhatIsQueuedWhenTheQueueIsFull() {
        // given
        int queued = 0;
        while (sender.sentFrames() == 0) {
            // when
            assertTrue(offer(2, queued, 0));
            queued++;
        }
        // then: the last did not fit
        assertEquals(queued - 1, sender.sentFrames());
        assertEquals(1, sender.queuedFrames());
        awaitArrivals(b, queued - 1);
    }

    @Test
    void shouldSendAFrameAheadOfThoseThatAreQueued() {
        // given
        offer(2, 1, 1_000);
        offer(2, 2, 1_000);
        // when
        final long header = frames.frame(1, 3, 0);
        assertTrue(sender.sendAhead(2, new OutgoingFrame().wrap(header, 64, frames, 3)));
        assertFalse(sender.sendAhead(9, new OutgoingFrame().wrap(header, 64, frames, 4)));
        // then
        assertEquals(2, sender.queuedFrames());
        assertEquals(1, frames.released());
        sender.flush();
        awaitArrivals(b, 3);
        assertEquals(
                List.of(3, 1, 2),
                frames.arrivals().stream().map(TestFrames.Arrival::sequence).toList());
    }

    @Test
    void shouldReportWhichAddressIsTaken() {
        // given
        final UdpLinkConfig config = new UdpLinkConfig(3, a.name(), SocketConfig.DEFAULT);
        // when
        final LinuxException thrown =
                assertThrows(
                        LinuxException.class, () -> UdpLink.open(config, UdpPeers.NONE, share));
        // then
        assertEquals(Errno.EADDRINUSE, thrown.errno());
        assertTrue(thrown.getMessage().contains("link 3, UDP " + a.name()), thrown.getMessage());
    }

    @Test
    void shouldParseOnlyAddressesWithPorts() {
        // given
        final String good = "10.1.255.3:65535";
        final String[] bad = {
            "",
            "10.1.2.3",
            "10.1.2:3",
            "10.1.2.256:3",
            "10.1.2.3:65536",
            "a.b.c.d:1",
            "1.2.3.4:",
            "1.2.3.4.5:1",
            "1..2.3:1",
            "1.2.3.-4:1",
            "1.2.3.4:123456789012"
        };
        // when
        final long address = UdpAddress.parse(good);
        // then
        assertEquals(0x0A01_FF03_FFFFL, address);
        assertEquals(good, UdpAddress.format(address));
        for (final String text : bad) {
            assertThrows(IllegalArgumentException.class, () -> UdpAddress.parse(text), text);
        }
    }

    private boolean offer(final int neighbour, final int sequence, final int bodyLength) {
        final long header = frames.frame(1, sequence, bodyLength);
        return sender.offer(
                neighbour, new OutgoingFrame().wrap(header, 64 + bodyLength, frames, sequence));
    }

    private void awaitArrivals(final UdpLink link, final int count) {
        TestNamespaces.await(
                count + " frames have arrived",
                () -> {
                    link.receive(0, frames, 64);
                    return frames.arrivals().size() >= count;
                });
        assertEquals(count, frames.arrivals().size());
    }
}
