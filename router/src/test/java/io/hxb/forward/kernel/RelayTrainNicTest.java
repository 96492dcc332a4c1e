package io.hxb.forward.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.SocketConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.raw.RawLink;
import io.hxb.link.raw.RawLinkConfig;
import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicFeature;
import io.hxb.routing.DimensionOrder;
import io.hxb.tap.VirtioHeader;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;
import io.hxb.topology.Shape;
import io.hxb.trunk.Port;
import io.hxb.trunk.PortTesting;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Trains by IP through the programs of a relay's NICs: (0,0) - x - (1,0) - y - (1,1). */
@Tag("system")
class RelayTrainNicTest {
    private static final Shape SHAPE = Shape.of(2, 2);
    private static final long SOURCE = SHAPE.parseCoordinates("0,0");
    private static final long END = SHAPE.parseCoordinates("1,1");
    private static final int CLUSTER = 7;
    private static final int FRAMES = 40;
    private static final int BODY_BYTES = 8_000;
    private static final int FRAMES_OF_A_TRAIN = 8;
    private static final int HOPS = 5;
    private static final int MTU = 9_000;

    private final TestFrames frames = new TestFrames();
    private final List<AutoCloseable> open = new ArrayList<>();
    private TestNamespaces namespaces;
    private BufferPool.Share share;
    private String leftSpace;
    private String middleSpace;
    private RawLink left;
    private RawLink x;
    private RawLink y;
    private RawLink right;
    private KernelRelay relay;
    private LinkSender sender;

    private static ClusterConfig cluster(final String namespace) {
        final LinkPlan plan = LinkPlan.raw(List.of(List.of("x0"), List.of("y0")), namespace);
        return new ClusterConfig.Builder("test", SHAPE, Backend.RAW, plan)
                .clusterId(CLUSTER)
                .frame(FrameConfig.DEFAULT.withEncapsulation(FrameConfig.Encapsulation.IP))
                .build();
    }

    private void join(final FrameConfig.Encapsulation ofRight, final int mtuOfY)
            throws IOException {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        leftSpace = namespaces.add("l");
        middleSpace = namespaces.add("m");
        final String rightSpace = namespaces.add("r");
        namespaces.veth(leftSpace, "x0", middleSpace, "x0", MTU);
        namespaces.veth(middleSpace, "y0", rightSpace, "y0", mtuOfY);
        share = frames.pool(2048, 9216).newShare();
        left = link(0, "x0", leftSpace, "0,0", FrameConfig.Encapsulation.IP);
        x = link(0, "x0", middleSpace, "1,0", FrameConfig.Encapsulation.IP);
        y = link(1, "y0", middleSpace, "1,0", FrameConfig.Encapsulation.IP);
        right = link(1, "y0", rightSpace, "1,1", ofRight);
        final Port xPort = new Port(x, 0, 0);
        final Port yPort = new Port(y, 1, 0);
        relay =
                keep(
                        RelayPrograms.open(
                                cluster(middleSpace),
                                SHAPE.node(SHAPE.parseCoordinates("1,0")),
                                List.of(xPort, yPort)));
        PortTesting.learn(xPort, 0, left.localAddress());
        PortTesting.learn(yPort, 1, right.localAddress());
        PortTesting.reach(yPort, 1);
        left.learn(1, x.localAddress());
        right.learn(0, y.localAddress());
        sender = keep(left.newSender(64));
        probe(ofRight == FrameConfig.Encapsulation.IP);
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

    private RawLink link(
            final int dimension,
            final String nic,
            final String namespace,
            final String coordinates,
            final FrameConfig.Encapsulation encapsulation)
            throws IOException {
        return keep(
                RawLink.open(
                        new RawLinkConfig(
                                nic.startsWith("x") ? 0 : 1,
                                nic,
                                namespace,
                                dimension,
                                SHAPE.parseCoordinates(coordinates),
                                FrameConfig.DEFAULT.withEncapsulation(encapsulation),
                                SocketConfig.DEFAULT),
                        share));
    }

    private <T extends AutoCloseable> T keep(final T resource) {
        open.add(resource);
        return resource;
    }

    @AfterEach
    void part() throws Exception {
        frames.releaseAll();
        for (final AutoCloseable resource : open.reversed()) {
            resource.close();
        }
        if (namespaces != null) {
            namespaces.close();
        }
    }

    /** Sends frames from the left that the middle is to relay to the right. */
    private void send(final int hopLimit) {
        for (int i = 0; i < FRAMES; i++) {
            final long address = frames.frame(END, i, BODY_BYTES);
            new FrameHeaderFlyweight()
                    .wrap(address)
                    .clusterId(CLUSTER)
                    .source(SOURCE)
                    .hopLimit(hopLimit)
                    .order(DimensionOrder.DEFAULT);
            assertTrue(
                    sender.offer(
                            1,
                            address,
                            FrameHeaderFlyweight.LENGTH,
                            address + FrameHeaderFlyweight.LENGTH,
                            BODY_BYTES,
                            frames,
                            0));
        }
        sender.flush();
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
        join(FrameConfig.Encapsulation.IP, MTU);
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
        join(FrameConfig.Encapsulation.IP, MTU);
        set(leftSpace, "x0", NicFeature.UDP_SEGMENTATION, false);
        set(middleSpace, "x0", NicFeature.GRO, isJoined);
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
        join(FrameConfig.Encapsulation.IP, FrameHeaderFlyweight.LENGTH + BODY_BYTES + 27);
        // when
        send(HOPS);
        // then
        awaitAt(x, FRAMES);
        assertRelayed(0);
    }

    @Test
    void shouldLeaveTrainsToTheNodeWhoseHopsRunOut() throws IOException {
        // given
        join(FrameConfig.Encapsulation.IP, MTU);
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
        join(FrameConfig.Encapsulation.IP, MTU);
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
        join(FrameConfig.Encapsulation.IP, MTU);
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
        join(FrameConfig.Encapsulation.IP, MTU);
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
            // A frame and what follows it is a frame with something behind it.
            awaitAt(right, pieces);
            assertEquals(pieces, relay.sentFrames(y.index()));
        } else {
            awaitAt(x, pieces);
            assertEquals(0, relay.relayedFrames());
        }
    }

    private void sendForeign(final byte[] frame, final int segmentBytes) throws IOException {
        final int socket = NetworkNamespace.run(leftSpace, RelayTrainNicTest::openForeign);
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

    private static int openForeign() throws LinuxException {
        final int socket = PacketSocket.open();
        PacketSocket.enableSuperPackets(socket);
        PacketSocket.bind(socket, 0, TestNamespaces.info(null, "x0").ifindex(), "x0");
        return socket;
    }

    private static void set(
            final String namespace, final String nic, final NicFeature feature, final boolean value)
            throws IOException {
        NetworkNamespace.run(
                namespace,
                () -> {
                    final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
                    try {
                        feature.set(fd, nic, value);
                        assertEquals(value, feature.isOn(nic), feature.kernelName());
                        return null;
                    } finally {
                        Descriptors.close(fd);
                    }
                });
    }
}
