package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.OutgoingFrame;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicFeature;
import io.hxb.routing.DimensionOrder;
import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestNics;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Long frames of raw links as segments of TCP. */
@Tag("system")
class RawSegmentSystemTest extends RawSegmentPair {
    private static final int LONGEST = 65_535;
    private static final FrameConfig.Encapsulation TCP = FrameConfig.Encapsulation.TCP;

    @ParameterizedTest
    @ValueSource(ints = {1_500, 9_000, 20_000})
    void shouldPassLongFramesInOnePieceWhereNicsCutAndJoin(final int mtu) throws IOException {
        // given
        open(mtu, TCP);
        prove();
        final long pieces = b.longFrames().pieces();
        // when
        send(40, 65_400);
        // then
        take(40, 65_400);
        assertEquals(mtu, a.mtuBytes());
        assertEquals(40, b.longFrames().pieces() - pieces);
        assertEquals(41, b.longFrames().frames());
        assertEquals(41, sender.longFrames().frames());
        assertEquals(0, b.longFrames().dropped());
        assertEquals(0, sender.longFrames().fallbacks());
    }

    @Test
    void shouldPassFramesThatAreLongerThanAPacketInTwo() throws IOException {
        // given
        open(1_500, TCP);
        prove();
        final long pieces = b.longFrames().pieces();
        // when
        send(40, LONGEST);
        // then
        take(40, LONGEST);
        assertEquals(80, b.longFrames().pieces() - pieces);
        assertEquals(41, sender.longFrames().frames());
        assertEquals(0, sender.queuedFrames());
    }

    @Test
    void shouldSendTheBodyFromWhereItLies() throws IOException {
        // given: a header with a part of the body, the rest elsewhere, a trailer after the header
        open(1_500, TCP);
        prove();
        final long whole = frames.frame(B, 7, LONGEST);
        final int head = HEADER + 20;
        final int trailer = 32;
        final long apart = frames.frame(B, 7, head - HEADER + trailer);
        new FrameHeaderFlyweight().wrap(apart).bodyLength(LONGEST);
        Memory.copy(whole + HEADER + LONGEST - trailer, apart + head, trailer);
        final OutgoingFrame frame =
                new OutgoingFrame()
                        .wrap(apart, head, frames, 7)
                        .payload(whole + head, HEADER + LONGEST - trailer - head)
                        .trailer(trailer);
        // when
        assertTrue(sender.offer(2, frame));
        // then
        await(1);
        check(0, 7, LONGEST);
    }

    @ParameterizedTest
    @ValueSource(ints = {1_500, 9_000})
    void shouldJoinWhatASlowerWireDeliversSegmentBySegment(final int mtu) throws IOException {
        // given: the shaper cuts, and nobody joins
        open(mtu, TCP);
        TestNamespaces.exec(
                left,
                "tc",
                "qdisc",
                "add",
                "dev",
                "n0",
                "root",
                "tbf",
                "rate",
                "1gbit",
                "burst",
                2 * (mtu + 14) + "b",
                "limit",
                "10000000");
        TestNics.set(right, "n0", NicFeature.GRO, false);
        prove();
        // when
        send(20, LONGEST);
        // then
        take(20, LONGEST);
        assertTrue(piecesAFrame() > 7, "pieces a frame " + piecesAFrame());
    }

    @ParameterizedTest
    @ValueSource(ints = {1_500, 9_000})
    void shouldJoinWhatTheKernelHasJoinedInPart(final int mtu) throws IOException {
        // given: the sender's kernel cuts, the receiver's joins
        open(mtu, TCP);
        for (final NicFeature feature : NicFeature.OF_TCP) {
            TestNics.set(left, "n0", feature, false);
        }
        TestNics.set(right, "n0", NicFeature.GRO, true);
        prove();
        // when
        for (int round = 0; round < 5; round++) {
            send(20, LONGEST);
            take(20, LONGEST);
        }
        // then
        assertTrue(piecesAFrame() > 2 && piecesAFrame() < 7, "pieces a frame " + piecesAFrame());
        assertEquals(0, b.kernelDrops());
    }

    @Test
    void shouldTakeTheHopLimitFromTheOuterHeader() throws IOException {
        // given
        open(1_500, TCP);
        prove();
        final long header = frames.frame(ELSEWHERE, 3, 30_000);
        new FrameHeaderFlyweight().wrap(header).source(A).hopLimit(5);
        // when
        assertTrue(offerAt(header, 3, 30_000));
        await(1);
        // then
        check(0, 3, 30_000);
        assertEquals(
                5,
                new FrameHeaderFlyweight()
                        .wrap(frames.arrivals().get(0).headerAddress())
                        .hopLimit());
    }

    @Test
    void shouldSendShortFramesAsEthernetFrames() throws IOException {
        // given
        open(1_500, TCP);
        prove();
        // when
        assertTrue(offer(B, 1, 1_400));
        sender.flush();
        // then
        TestNamespaces.await("the frame arrives", () -> b.receive(RawLink.POOL, frames, 64) == 1);
        check(0, 1, 1_400);
    }

    @Test
    void shouldSendLongFramesAsFragmentsToANeighbourThatDoesNotAnswer() throws IOException {
        // given
        open(1_500, FrameConfig.Encapsulation.ETHERNET);
        // when
        assertFalse(
                TestNamespaces.holdsWithin(
                        100_000_000,
                        () -> {
                            receive();
                            assertTrue(offer(B, 0, 60_000));
                            sender.flush();
                            return sender.longFrames().frames() > 0;
                        }));
        // then: on a busy machine a little later than within these 100 ms
        TestNamespaces.await(
                () -> "probes " + sender.longFrames().probes() + ", fragments " + fragmentCount,
                () -> {
                    receive();
                    assertTrue(offer(B, 0, 60_000));
                    sender.flush();
                    assertEquals(0, sender.longFrames().frames());
                    return sender.longFrames().probes() >= 3 && fragmentCount >= 3 * 42;
                });
        assertEquals(0, a.ipAddress(2));
    }

    @Test
    void shouldNoticeWithin100MsThatLongFramesDoNotArriveAndUseThemAgainWhenTheyDo()
            throws IOException {
        // given
        open(1_500, TCP);
        prove();
        assertEquals(IpHeaders.other(b.localAddress()), a.ipAddress(2));
        b.close();
        openB(FrameConfig.Encapsulation.ETHERNET);
        // when
        final long beganNs = System.nanoTime();
        TestNamespaces.await(
                "the path is given up",
                () -> {
                    receive();
                    assertTrue(offer(B, 0, 60_000));
                    sender.flush();
                    return sender.longFrames().fallbacks() == 1;
                });
        // then: on a busy machine the test itself is late
        final long tookNs = System.nanoTime() - beganNs;
        assertTrue(tookNs < 5_000_000_000L, "after ns " + tookNs);
        assertEquals(0, a.ipAddress(2));
        // when
        b.close();
        openB(TCP);
        // then
        prove();
        send(10, LONGEST);
        take(10, LONGEST);
    }

    // The segments of one frame, cut by the test.
    private List<byte[]> cut(final int number, final int sequence, final int body, final int size) {
        return cut(A, number, sequence, body, size);
    }

    private List<byte[]> cut(
            final long from, final int number, final int sequence, final int body, final int size) {
        final int frameBytes = HEADER + body;
        final long header = frames.frame(B, sequence, body);
        final List<byte[]> all = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            final long prefix = arena.allocate(SegmentHeaders.LENGTH, 8).address();
            for (int offset = 0; offset < frameBytes; offset += size) {
                final int length = Math.min(size, frameBytes - offset);
                SegmentHeaders.writeAddresses(
                        prefix,
                        Long.reverseBytes(IpHeaders.other(b.localAddress())),
                        Long.reverseBytes(
                                IpHeaders.other(a.localAddress()) << 16 | IpHeaders.ETHER_TYPE),
                        IpHeaders.address(from),
                        IpHeaders.address(B),
                        IpHeaders.ports(FrameConfig.DEFAULT.etherType(), DimensionOrder.DEFAULT),
                        8);
                SegmentHeaders.writeRange(prefix, number, frameBytes, 0, offset, length, size);
                final byte[] segment = new byte[SegmentHeaders.LENGTH + length];
                for (int i = 0; i < segment.length; i++) {
                    segment[i] =
                            (byte)
                                    Memory.getUnsignedByte(
                                            i < SegmentHeaders.LENGTH
                                                    ? prefix + i
                                                    : header + offset + i - SegmentHeaders.LENGTH);
                }
                all.add(segment);
            }
        }
        return all;
    }

    private void sendAll(final List<byte[]> segments) throws IOException {
        final int socket = TestNics.openStranger(left, "n0");
        try (Arena arena = Arena.ofConfined()) {
            final long memory = arena.allocate(9_200, 8).address();
            for (final byte[] segment : segments) {
                for (int i = 0; i < segment.length; i++) {
                    Memory.putByte(memory + i, segment[i]);
                }
                assertEquals(segment.length, Sockets.send(socket, memory, segment.length));
                receive();
            }
        } finally {
            Descriptors.close(socket);
        }
        receive();
    }

    @Test
    void shouldJoinSegmentsInAnyOrderOnceEach() throws IOException {
        // given
        open(1_500, TCP);
        final int body = 20_000;
        final List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.addAll(cut(i, i, body, 1_460 - 100 * i));
        }
        final int pieces = all.size();
        all.addAll(all.subList(0, 20));
        Collections.shuffle(all, new Random(4));
        // when
        sendAll(all);
        // then
        await(8);
        final boolean[] isSeen = new boolean[8];
        for (int i = 0; i < 8; i++) {
            final int sequence = frames.arrivals().get(i).sequence();
            check(i, sequence, body);
            isSeen[sequence] = true;
        }
        for (final boolean seen : isSeen) {
            assertTrue(seen);
        }
        assertEquals(pieces + 20, b.longFrames().pieces());
        assertEquals(20, b.longFrames().dropped());
    }

    @Test
    void shouldKeepFramesApartThatTwoNodesSendThroughOneRelayUnderOneNumber() throws IOException {
        // given
        open(1_500, TCP);
        final List<byte[]> one = cut(A, 7, 1, 20_000, 1_456);
        final List<byte[]> other = cut(ELSEWHERE, 7, 2, 20_000, 1_456);
        final List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < one.size(); i++) {
            all.add((i % 2 == 0 ? one : other).get(i));
        }
        for (int i = 0; i < one.size(); i++) {
            all.add((i % 2 == 0 ? other : one).get(i));
        }
        // when
        sendAll(all);
        // then
        await(2);
        final int first = frames.arrivals().get(0).sequence();
        check(0, first, 20_000);
        check(1, 3 - first, 20_000);
        assertEquals(0, b.longFrames().dropped());
    }

    @Test
    void shouldGiveUpWhatHasLostASegmentAndTakeTheFramesAfterIt() throws IOException {
        // given
        open(1_500, TCP);
        final List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            final List<byte[]> segments = cut(i, i, 20_000, 1_460);
            if (i % 2 == 0) {
                segments.remove(i % segments.size());
            }
            all.addAll(segments);
        }
        // when
        sendAll(all);
        // then: no more buffers than one neighbour may have
        await(50);
        for (int i = 0; i < 50; i++) {
            check(i, 2 * i + 1, 20_000);
        }
        frames.releaseAll();
        // The last frame took the place of one of them while it was incomplete.
        assertEquals(FRAMES_OF_NEIGHBOUR - 1, join.reassembler().openFrames());
    }

    @Test
    void shouldDropWhatContradictsItselfOrComesFromAnUnknownSender() throws IOException {
        // given: the end of another frame of the same number, and what is beyond the end
        open(1_500, TCP);
        final List<byte[]> all = new ArrayList<>();
        final List<byte[]> good = cut(1, 1, 20_000, 1_460);
        all.add(good.get(0));
        all.add(cut(1, 1, 21_000, 1_460).get(3));
        final byte[] beyond = cut(2, 2, 20_000, 1_460).get(1).clone();
        beyond[48] = 0;
        beyond[49] &= 1;
        all.add(beyond);
        final byte[] unknown = good.get(2).clone();
        unknown[21]++;
        all.add(unknown);
        final byte[] lying = good.get(3).clone();
        lying[26] = 0x7F;
        all.add(lying);
        all.addAll(good.subList(1, good.size()));
        // when
        sendAll(all);
        // then
        await(1);
        check(0, 1, 20_000);
        assertEquals(3, b.longFrames().dropped());
        assertEquals(1, b.longFrames().unknownSenderPieces());
    }
}
