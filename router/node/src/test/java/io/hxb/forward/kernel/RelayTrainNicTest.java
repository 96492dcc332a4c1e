package io.hxb.forward.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.raw.RawLink;
import io.hxb.linux.Descriptors;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicFeature;
import io.hxb.tap.VirtioHeader;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestNics;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Trains by IP through the programs of a relay's NICs: (0,0) - x - (1,0) - y - (1,1). */
@Tag("system")
class RelayTrainNicTest extends RelayNics {
    private static final int FRAMES = 40;
    private static final int BODY_BYTES = 8_000;
    private static final int FRAMES_OF_A_TRAIN = 8;
    private static final int HOPS = 5;
    private static final int MTU = 9_000;

    private void join(final FrameConfig.Encapsulation ofRight, final int mtuOfY)
            throws IOException {
        join(
                FrameConfig.DEFAULT.withEncapsulation(FrameConfig.Encapsulation.UDP),
                FrameConfig.DEFAULT.withEncapsulation(ofRight),
                MTU,
                mtuOfY);
        right.learn(0, y.localAddress());
        probe(ofRight == FrameConfig.Encapsulation.UDP);
    }

    /** Lets the links find out who hears IP. */
    private void probe(final boolean hasIpAtRight) {
        final List<RawLink> links = List.of(left, x, y, right);
        links.forEach(RawLink::refresh);
        TestNamespaces.await(
                "neighbours know who hears IP",
                () -> {
                    for (final RawLink link : links) {
                        if (link.descriptorCount() > RawLink.IP) {
                            link.receive(RawLink.IP, frames, 64);
                        }
                    }
                    return left.ipAddress(1) != 0
                            && x.ipAddress(0) != 0
                            && (y.ipAddress(1) != 0) == hasIpAtRight;
                });
        assertEquals(0, frames.arrivals().size());
        relay.refresh();
        relay.turn();
    }

    private void send(final int hopLimit) {
        send(FRAMES, BODY_BYTES, hopLimit);
    }

    private void awaitAt(final RawLink link, final int count) {
        TestNamespaces.await(
                () -> frames.arrivals().size() + " frames at " + link.name(),
                () -> {
                    link.receive(RawLink.IP, frames, 64);
                    return frames.arrivals().size() == count;
                });
    }

    private void check(final int hopLimit) {
        for (int i = 0; i < FRAMES; i++) {
            final TestFrames.Arrival arrival = frames.arrivals().get(i);
            final long header = arrival.headerAddress();
            assertTrue(frames.isIntact(header, arrival.lengthBytes(), i, BODY_BYTES), "" + i);
            assertEquals(hopLimit, new FrameHeaderFlyweight().wrap(header).hopLimit());
        }
    }

    private void assertRelayed(final int count) {
        assertEquals(count, relay.relayedFrames());
        assertEquals(count, relay.receivedFrames(x.index()));
        assertEquals(count, relay.sentFrames(y.index()));
        final long bytes = (long) count * (FrameHeaderFlyweight.LENGTH + BODY_BYTES);
        assertEquals(bytes, relay.receivedBytes(x.index()));
        assertEquals(bytes, relay.sentBytes(y.index()));
    }

    @Test
    void shouldPassTrainsInOnePieceThatTheNodeNeverSees() throws IOException {
        // given
        join(FrameConfig.Encapsulation.UDP, MTU);
        final long probes = right.trains().trains();
        // when
        send(HOPS);
        // then
        awaitAt(right, FRAMES);
        check(HOPS - 1);
        assertRelayed(FRAMES);
        assertEquals(FRAMES / FRAMES_OF_A_TRAIN, sender.trains().trains());
        assertEquals(FRAMES / FRAMES_OF_A_TRAIN, relay.relayedTrains());
        assertEquals(FRAMES / FRAMES_OF_A_TRAIN, right.trains().trains() - probes);
        assertEquals(0, x.receive(RawLink.IP, frames, 64));
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void shouldCountWhatTheSendersKernelCutsWhetherTheRelaysJoinsItOrNot(final boolean isJoined)
            throws IOException {
        // given
        join(FrameConfig.Encapsulation.UDP, MTU);
        TestNics.set(leftSpace, "x0", NicFeature.UDP_SEGMENTATION, false);
        TestNics.set(middleSpace, "x0", NicFeature.GRO, isJoined);
        // when: kernels join what they have in hand, which may be one frame
        int rounds = 0;
        do {
            send(HOPS);
            awaitAt(right, FRAMES);
            check(HOPS - 1);
            frames.releaseAll();
            rounds++;
        } while (isJoined && relay.relayedTrains() == 0 && rounds < 100);
        // then
        assertRelayed(rounds * FRAMES);
        assertEquals(isJoined, relay.relayedTrains() > 0);
        assertEquals(rounds * FRAMES / FRAMES_OF_A_TRAIN, sender.trains().trains());
    }

    @Test
    void shouldLeaveTrainsToTheNodeWhoseNextHopDoesNotHearIp() throws IOException {
        // given
        join(FrameConfig.Encapsulation.ETHERNET, MTU);
        // when
        send(HOPS);
        // then
        awaitAt(x, FRAMES);
        check(HOPS);
        assertRelayed(0);
    }

    @Test
    void shouldLeaveTrainsToTheNodeThatAreTooLongForTheNextLink() throws IOException {
        // given: one byte too few
        join(FrameConfig.Encapsulation.UDP, FrameHeaderFlyweight.LENGTH + BODY_BYTES + 27);
        // when
        send(HOPS);
        // then
        awaitAt(x, FRAMES);
        assertRelayed(0);
    }

    @Test
    void shouldLeaveTrainsToTheNodeWhoseHopsRunOut() throws IOException {
        // given
        join(FrameConfig.Encapsulation.UDP, MTU);
        // when
        send(1);
        // then
        awaitAt(x, FRAMES);
        check(1);
        assertRelayed(0);
    }

    @Test
    void shouldLeaveTrainsToTheNodeWhoseNeighbourHasGoneSilent() throws IOException {
        // given
        join(FrameConfig.Encapsulation.UDP, MTU);
        TestNamespaces.await(
                "probes are missed",
                () -> {
                    y.refresh();
                    return y.ipAddress(1) == 0;
                });
        relay.refresh();
        relay.turn();
        // when
        send(HOPS);
        // then
        awaitAt(x, FRAMES);
        assertRelayed(0);
    }

    @ParameterizedTest
    @CsvSource({"64, 1000, true", "65, 1000, false", "50, 1300, true", "64, 1001, true"})
    void shouldRelayTrainsOfOthersUpToTheLengthOfOurs(
            final int count, final int frameBytes, final boolean isRelayed) throws IOException {
        // given
        join(FrameConfig.Encapsulation.UDP, MTU);
        final byte[] train =
                new TrainBytes(CLUSTER, SOURCE, END, left.localAddress(), x.localAddress())
                        .of(count * frameBytes, frameBytes)
                        .array();
        // when
        sendForeign(train, frameBytes);
        // then
        awaitAt(isRelayed ? right : x, count);
        assertEquals(isRelayed ? count : 0, relay.relayedFrames());
        assertEquals(isRelayed ? count : 0, relay.sentFrames(y.index()));
    }

    @ParameterizedTest
    @CsvSource({"1300, 250", "1300, 650", "1300, 1299", "1300, 1301", "1000, 2000", "200, 1200"})
    void shouldRelayNothingOfTrainsWhoseSizesLie(final int frameBytes, final int segmentBytes)
            throws IOException {
        // given
        join(FrameConfig.Encapsulation.UDP, MTU);
        final int payload = 20 * frameBytes;
        final byte[] train =
                new TrainBytes(CLUSTER, SOURCE, END, left.localAddress(), x.localAddress())
                        .of(payload, frameBytes)
                        .array();
        // when
        sendForeign(train, segmentBytes);
        // then
        final int pieces = (payload + segmentBytes - 1) / segmentBytes;
        final boolean areWhole = segmentBytes >= frameBytes && segmentBytes % frameBytes == 0;
        if (areWhole) {
            // A frame and what follows it is a frame with something after it.
            awaitAt(right, pieces);
            assertEquals(pieces, relay.sentFrames(y.index()));
        } else {
            awaitAt(x, pieces);
            assertEquals(0, relay.relayedFrames());
        }
    }

    private void sendForeign(final byte[] frame, final int segmentBytes) throws IOException {
        final int socket = TestNics.openStranger(leftSpace, "x0");
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(VirtioHeader.LENGTH + frame.length, 8);
            final int headers = TrainBytes.HEADERS;
            VirtioHeader.writeUdp(memory.address(), headers, segmentBytes);
            MemorySegment.copy(
                    MemorySegment.ofArray(frame), 0, memory, VirtioHeader.LENGTH, frame.length);
            final int sent = Sockets.send(socket, memory.address(), (int) memory.byteSize());
            assertEquals(memory.byteSize(), sent);
        } finally {
            Descriptors.close(socket);
        }
    }
}
