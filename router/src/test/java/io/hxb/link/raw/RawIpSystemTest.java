package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.config.SocketConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.GroTimer;
import io.hxb.os.nic.NicFeature;
import io.hxb.routing.DimensionOrder;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

/** Frames of raw links as UDP over IPv4. */
@Tag("system")
class RawIpSystemTest {
    private static final long A = 0x00_01;
    private static final long B = 0x00_02;
    private static final long ELSEWHERE = 0x01_02;
    private static final int BUFFERS = 1024;
    private static final int MTU = 9_000;
    private static final int HOPS = 17;
    private static final int HEADER = FrameHeaderFlyweight.LENGTH;

    private final TestFrames frames = new TestFrames();
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

    private static RawLinkConfig config(
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

    private void open(final FrameConfig.Encapsulation ofB) throws IOException {
        pool = frames.pool(BUFFERS, 9216);
        share = pool.newShare();
        a = RawLink.open(config(0, left, A, FrameConfig.Encapsulation.AUTO), share);
        b = RawLink.open(config(1, right, B, ofB), share);
        a.learn(2, b.localAddress());
        b.learn(1, a.localAddress());
        sender = a.newSender(128);
    }

    private void openByIp() throws IOException {
        open(FrameConfig.Encapsulation.IP);
        a.refresh();
        b.refresh();
        awaitIp();
    }

    private void awaitIp() {
        TestNamespaces.await(
                "each knows that the other hears it by IP",
                () -> {
                    a.receive(RawLink.IP, frames, 64);
                    b.receive(RawLink.IP, frames, 64);
                    return a.ipAddress(2) != 0 && b.ipAddress(1) != 0;
                });
        assertEquals(0, frames.arrivals().size());
    }

    private void offer(final long destination, final int sequence, final int bodyLength) {
        final long header = frames.frame(destination, sequence, bodyLength);
        assertTrue(
                sender.offer(2, header, HEADER + bodyLength, 0, 0, frames, sequence),
                "frame " + sequence);
    }

    private void send(final int count, final int bodyLength) {
        for (int i = 0; i < count; i++) {
            offer(B, i, bodyLength);
        }
        sender.flush();
    }

    private void await(final int source, final int count) {
        TestNamespaces.await(
                () -> count + " frames have arrived, not " + frames.arrivals().size(),
                () -> {
                    b.receive(source, frames, 64);
                    return frames.arrivals().size() >= count;
                });
        assertEquals(count, frames.arrivals().size());
    }

    private void check(final int index, final int sequence, final int body) {
        final TestFrames.Arrival arrival = frames.arrivals().get(index);
        assertEquals(HEADER + body, arrival.lengthBytes(), "bytes of frame " + index);
        assertTrue(
                frames.isIntact(arrival.headerAddress(), arrival.lengthBytes(), sequence, body),
                "frame " + index);
        assertEquals(a.localAddress(), arrival.sourceAddress());
        assertEquals(-1, arrival.vlanTci());
    }

    private void take(final int count, final int bodyLength) {
        await(RawLink.IP, count);
        for (int i = 0; i < count; i++) {
            check(i, i, bodyLength);
        }
        frames.releaseAll();
    }

    @Test
    void shouldPassFramesOfOneSizeInTrainsEachIntoItsBuffer() throws IOException {
        // given: the first trains show what trains are like
        openByIp();
        send(40, 8_000);
        take(40, 8_000);
        final long copied = b.trains().copiedFrames();
        final long trains = b.trains().trains();
        // when
        send(40, 8_000);
        // then: 8 frames are at most 65,507 bytes
        take(40, 8_000);
        assertEquals(10, sender.trains().trains());
        assertEquals(5, b.trains().trains() - trains);
        assertEquals(copied, b.trains().copiedFrames());
        assertEquals(80, sender.sentFrames());
        assertEquals(MTU - 28, a.mtuBytes());
        assertEquals(0, b.receive(RawLink.POOL, frames, 64));
    }

    @Test
    void shouldJoinAgainWhatWasCutOnTheWay() throws IOException {
        // given: the sender's kernel cuts, the receiver's joins
        set(left, NicFeature.UDP_SEGMENTATION, false);
        set(right, NicFeature.GRO, true);
        openByIp();
        // when
        for (int round = 0; round < 20; round++) {
            send(40, 8_000);
            take(40, 8_000);
        }
        // then
        assertEquals(100, sender.trains().trains());
        assertTrue(b.trains().frames() > 400, "frames in trains: " + b.trains().frames());
        assertEquals(0, b.kernelDrops());
    }

    @Test
    void shouldPutTheSettingsOfTheNicBack() throws IOException {
        // given
        final NicFeature feature = NicFeature.UDP_GRO_FORWARDING;
        assertFalse(isOn(left, feature));
        set(right, feature, true);
        openByIp();
        assertTrue(isOn(left, feature));
        assertTrue(isOn(right, feature));
        // when
        a.close();
        b.close();
        // then: one was on before
        assertFalse(isOn(left, feature));
        assertTrue(isOn(right, feature));
    }

    @Test
    void shouldHaveTheKernelWaitForMoreWhileBulkArrivesAndNoLonger() throws IOException {
        // given
        openByIp();
        assertEquals(0, flushTimeoutNs());
        // when: one frame at a time
        for (int round = 0; round < 2_100; round++) {
            send(1, 8_000);
            take(1, 8_000);
        }
        b.refresh();
        // then
        assertEquals(0, flushTimeoutNs());
        // when
        sendBulk();
        b.refresh();
        // then
        assertEquals(JoinTimer.WAIT_NS, flushTimeoutNs());
        // when: the bulk has ended
        b.refresh();
        // then
        assertEquals(0, flushTimeoutNs());
        // when: the link is closed while it has not
        sendBulk();
        b.refresh();
        assertEquals(JoinTimer.WAIT_NS, flushTimeoutNs());
        frames.releaseAll();
        b.close();
        // then
        assertEquals(0, flushTimeoutNs());
    }

    @Test
    void shouldPutBackTheTimeThatAKilledNodeHasLeft() throws IOException {
        // given
        try (GroTimer timer = GroTimer.open(right, "n0", "rw")) {
            timer.writeNs(JoinTimer.WAIT_NS);
        }
        // when
        openByIp();
        // then
        assertEquals(0, flushTimeoutNs());
    }

    @Test
    void shouldLeaveATimeThatSomebodyElseHasSet() throws IOException {
        // given
        try (GroTimer timer = GroTimer.open(right, "n0", "rw")) {
            timer.writeNs(20_000);
        }
        openByIp();
        // when
        sendBulk();
        b.refresh();
        // then
        assertEquals(20_000, flushTimeoutNs());
        // when
        frames.releaseAll();
        b.close();
        // then
        assertEquals(20_000, flushTimeoutNs());
    }

    private void sendBulk() {
        for (int round = 0; round < 60; round++) {
            send(40, 8_000);
            take(40, 8_000);
        }
    }

    private long flushTimeoutNs() throws IOException {
        try (GroTimer timer = GroTimer.open(right, "n0", "r")) {
            return timer.readNs();
        }
    }

    @Test
    void shouldAnswerAFloodOfProbesWithAFewAndCountThoseOfStrangers() throws IOException {
        // given: a neighbour of which no hello has been heard
        open(FrameConfig.Encapsulation.IP);
        b.learn(1, 0);
        b.refresh();
        final int socket = NetworkNamespace.run(left, RawIpSystemTest::openForeign);
        try (Arena arena = Arena.ofConfined()) {
            final long memory = arena.allocate(256, 8).address();
            // when: it seems to be at a thousand addresses
            for (int i = 0; i < 1_000; i++) {
                sendProbe(socket, memory, a.localAddress() + i, A);
                b.receive(RawLink.IP, frames, 64);
            }
            // then
            drainProbes();
            assertEquals(0, b.trains().strangeProbes());
            final long answers = a.trains().trains();
            assertTrue(answers >= 10 && answers <= 20, "answers " + answers);
            // when: the neighbour is known, and others are not on this line
            b.learn(1, a.localAddress());
            for (int i = 0; i < 1_000; i++) {
                sendProbe(socket, memory, a.localAddress() + 1 + i, i % 2 == 0 ? A : ELSEWHERE);
                b.receive(RawLink.IP, frames, 64);
            }
            // then
            drainProbes();
            assertEquals(1_000, b.trains().strangeProbes());
            assertEquals(answers, a.trains().trains());
        } finally {
            Descriptors.close(socket);
        }
        a.refresh();
        b.refresh();
        awaitIp();
        send(20, 8_000);
        take(20, 8_000);
    }

    private void sendProbe(
            final int socket, final long memory, final long mac, final long coordinates) {
        IpHeaders.write(
                memory,
                Long.reverseBytes(IpHeaders.other(b.localAddress())),
                Long.reverseBytes(IpHeaders.other(mac) << 16 | IpHeaders.ETHER_TYPE),
                IpHeaders.address(coordinates),
                IpHeaders.PROBE_ADDRESS,
                IpHeaders.ports(FrameConfig.DEFAULT.etherType(), DimensionOrder.DEFAULT),
                1,
                64,
                0);
        Memory.fill(memory + IpHeaders.LENGTH, 64, 0);
        Memory.putLong(memory + IpHeaders.LENGTH, 0x3120_7069_2042_5848L);
        Memory.putLong(memory + IpHeaders.LENGTH + 8, coordinates);
        assertTrue(Sockets.send(socket, memory, IpHeaders.LENGTH + 64) > 0);
    }

    private void drainProbes() {
        while (a.receive(RawLink.IP, frames, 64) + b.receive(RawLink.IP, frames, 64) > 0) {
            assertTrue(frames.arrivals().size() < 10_000);
        }
        assertEquals(0, frames.arrivals().size());
    }

    @Test
    void shouldSendShortAndSparseFramesAndDetoursAsEthernetFrames() throws IOException {
        // given
        openByIp();
        final long sparse = frames.frame(B, 3, 100);
        new FrameHeaderFlyweight().wrap(sparse).flags(FrameHeaderFlyweight.FLAG_SPARSE);
        final long detour = frames.frame(ELSEWHERE, 4, 8_000);
        new FrameHeaderFlyweight().wrap(detour).route(1L << 31);
        // when
        offer(B, 0, 100);
        offer(B, 1, 8_000);
        offer(ELSEWHERE, 2, 8_000);
        sender.offer(2, sparse, HEADER + 100, 0, 0, frames, 3);
        sender.offer(2, detour, HEADER + 8_000, 0, 0, frames, 4);
        sender.flush();
        // then
        await(RawLink.POOL, 1);
        check(0, 0, 100);
        await(RawLink.IP, 3);
        check(1, 1, 8_000);
        check(2, 2, 8_000);
        await(RawLink.RING, 5);
        check(3, 3, 100);
    }

    // A relay looks at the first frame to see where all go, and the hop limit is the datagram's.
    @Test
    void shouldEndATrainWhereAnotherWayBegins() throws IOException {
        // given
        openByIp();
        final int frame = 3_000;
        final int count = 12;
        for (int i = 0; i < count; i++) {
            final long header = frames.frame(i < 4 ? B : ELSEWHERE, i, frame);
            new FrameHeaderFlyweight()
                    .wrap(header)
                    .source(i < 10 ? A : A + 0x0100)
                    .order(i < 6 ? DimensionOrder.DEFAULT : DimensionOrder.of(1, 0))
                    .hopLimit(i < 8 ? 5 : 6);
            assertTrue(sender.offer(2, header, HEADER + frame, 0, 0, frames, i));
        }
        // when
        sender.flush();
        // then: one of four frames, four of two
        await(RawLink.IP, count);
        assertEquals(5, sender.trains().trains());
        assertEquals(count, sender.trains().frames());
        for (int i = 0; i < count; i++) {
            check(i, i, frame);
            final FrameHeaderFlyweight header =
                    new FrameHeaderFlyweight().wrap(frames.arrivals().get(i).headerAddress());
            assertEquals(i < 8 ? 5 : 6, header.hopLimit());
            assertEquals(i < 4 ? B : ELSEWHERE, header.destination());
        }
    }

    @Test
    void shouldEndATrainWithAShorterFrameHoweverShort() throws IOException {
        // given
        openByIp();
        final int[] bodies = {3_000, 3_000, 10, 3_000, 3_000, 2_999, 3_000, 4_000};
        // when
        for (int i = 0; i < bodies.length; i++) {
            offer(B, i, bodies[i]);
        }
        sender.flush();
        // then
        await(RawLink.IP, bodies.length);
        for (int i = 0; i < bodies.length; i++) {
            check(i, i, bodies[i]);
        }
        assertEquals(2, sender.trains().trains());
    }

    @Test
    void shouldFollowSizesThatChange() throws IOException {
        // given: any sizes and numbers
        openByIp();
        final Random random = new Random(22);
        for (int round = 0; round < 200; round++) {
            final int count = 1 + random.nextInt(48);
            final int body = 1_024 + random.nextInt(7_800);
            final int[] bodies = new int[count];
            Arrays.fill(bodies, body);
            bodies[count - 1] = 1_024 + random.nextInt(body - 1_023);
            // when
            for (int i = 0; i < count; i++) {
                offer(B, i, bodies[i]);
            }
            sender.flush();
            // then
            await(RawLink.IP, count);
            for (int i = 0; i < count; i++) {
                check(i, i, bodies[i]);
            }
            frames.releaseAll();
        }
        assertEquals(0, sender.sendErrors());
        assertEquals(0, b.kernelDrops());
    }

    @Test
    void shouldSendEthernetFramesToNeighboursThatDoNotHearIp() throws IOException {
        // given
        open(FrameConfig.Encapsulation.ETHERNET);
        a.refresh();
        a.receive(RawLink.IP, frames, 64);
        // when
        send(20, 8_000);
        // then
        assertEquals(0, a.ipAddress(2));
        await(RawLink.POOL, 20);
        check(19, 19, 8_000);
        assertEquals(2, b.descriptorCount());
    }

    @Test
    void shouldSendEthernetFramesAgainWhenProbesStop() throws IOException {
        // given
        openByIp();
        send(2, 8_000);
        take(2, 8_000);
        // when: the neighbour does not answer any more
        TestNamespaces.await(
                "probes are missed",
                () -> {
                    a.refresh();
                    return a.ipAddress(2) == 0;
                });
        send(4, 8_000);
        // then
        await(RawLink.POOL, 4);
        frames.releaseAll();
        // when
        b.refresh();
        awaitIp();
        send(4, 8_000);
        // then
        take(4, 8_000);
    }

    @Test
    void shouldNotUseAnAddressThatIsNotTheNeighbours() throws IOException {
        // given: probes of another node at the same place
        open(FrameConfig.Encapsulation.IP);
        a.learn(2, b.localAddress() ^ 1);
        // when
        a.refresh();
        b.refresh();
        TestNamespaces.await(
                "probes have arrived",
                () -> {
                    a.receive(RawLink.IP, frames, 64);
                    b.receive(RawLink.IP, frames, 64);
                    return b.ipAddress(1) != 0 || a.ipAddress(2) != 0 || probesOf(b) > 0;
                });
        // then
        assertEquals(0, a.ipAddress(2));
        // when
        a.learn(2, b.localAddress());
        b.refresh();
        awaitIp();
        // then
        assertEquals(IpHeaders.other(b.localAddress()), a.ipAddress(2));
    }

    private static long probesOf(final RawLink link) {
        return link.trains().trains();
    }

    @Test
    void shouldStayUnknownToTheProtocolsOfTheKernel() throws IOException {
        // given: hosts that have addresses, listen, and forward
        for (final String host : new String[] {left, right}) {
            final String number = host.equals(left) ? "1" : "2";
            TestNamespaces.ipIn(
                    host,
                    "addr add 10.0.0." + number + "/8 dev n0",
                    "route add default via 10.0.0.9 dev n0",
                    "neigh add 10.0.0.9 lladdr 02:00:00:00:00:09 dev n0");
            TestNamespaces.exec(host, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
        }
        openByIp();
        // when
        for (int round = 0; round < 10; round++) {
            send(40, 8_000);
            take(40, 8_000);
        }
        // then
        for (final String host : new String[] {left, right}) {
            assertEquals(0, counter(host, "Icmp", "OutMsgs"));
            assertEquals(0, counter(host, "Ip", "ForwDatagrams"));
            assertEquals(0, counter(host, "Ip", "InDelivers"));
            assertEquals(0, counter(host, "Udp", "NoPorts"));
        }
    }

    @Test
    void shouldTakeWhatOthersSendForWhatItIs() throws IOException {
        // given: datagrams of any size cut anywhere, to the right address and port
        openByIp();
        final Random random = new Random(23);
        final int socket = NetworkNamespace.run(left, RawIpSystemTest::openForeign);
        try (Arena arena = Arena.ofConfined()) {
            final long memory = arena.allocate(1 << 17, 8).address();
            for (int round = 0; round < 300; round++) {
                final int payload = random.nextInt(round % 3 == 0 ? 65_000 : 8_900);
                final int segment = round % 3 == 0 ? 600 + random.nextInt(8_300) : 0;
                writeForeign(memory, payload, segment, round);
                // when
                final int sent = Sockets.send(socket, memory, IpHeaders.LENGTH + payload);
                // then: nothing is missing, nothing is made up
                if (sent > 0) {
                    takeForeign(memory + IpHeaders.LENGTH, payload, segment);
                }
            }
        } finally {
            Descriptors.close(socket);
        }
        send(20, 8_000);
        take(20, 8_000);
    }

    private void takeForeign(final long bytes, final int payload, final int segment) {
        final int size = segment == 0 || segment >= payload ? Math.max(payload, 1) : segment;
        final int count = Math.max(1, (payload + size - 1) / size);
        await(RawLink.IP, count);
        for (int i = 0; i < count; i++) {
            final TestFrames.Arrival arrival = frames.arrivals().get(i);
            final int length = Math.min(size, payload - i * size);
            assertEquals(length, arrival.lengthBytes());
            assertEquals(
                    -1,
                    Memory.ALL
                            .asSlice(arrival.headerAddress(), length)
                            .mismatch(Memory.ALL.asSlice(bytes + (long) i * size, length)));
        }
        frames.releaseAll();
    }

    private static int openForeign() throws LinuxException {
        final int socket = PacketSocket.open();
        PacketSocket.enableSuperPackets(socket);
        PacketSocket.bind(socket, 0, TestNamespaces.info(null, "n0").ifindex(), "n0");
        return socket;
    }

    private void writeForeign(
            final long memory, final int payload, final int segment, final int seed) {
        IpHeaders.write(
                memory,
                Long.reverseBytes(IpHeaders.other(b.localAddress())),
                Long.reverseBytes(IpHeaders.other(a.localAddress()) << 16 | IpHeaders.ETHER_TYPE),
                IpHeaders.address(A),
                IpHeaders.address(B),
                IpHeaders.ports(FrameConfig.DEFAULT.etherType(), seed),
                HOPS,
                payload,
                segment);
        final long body = memory + IpHeaders.LENGTH;
        for (int i = 0; i < payload; i++) {
            Memory.putByte(body + i, i * 31 + seed);
        }
        // The hop limit is that of the datagram.
        final int size = segment == 0 ? Math.max(payload, 1) : segment;
        for (int i = 0; i + HEADER <= payload; i += size) {
            Memory.putByte(body + i + FrameHeaderFlyweight.HOP_LIMIT_OFFSET, HOPS);
        }
    }

    @Test
    void shouldSurviveANicThatIsMadeAnew() throws IOException {
        // given
        openByIp();
        // when
        TestNamespaces.ipIn(left, "link del n0");
        a.refresh();
        b.refresh();
        namespaces.veth(left, "n0", right, "n0", MTU);
        TestNamespaces.await(
                "both are up",
                () -> {
                    a.refresh();
                    b.refresh();
                    return a.isUp() && b.isUp();
                });
        a.learn(2, b.localAddress());
        b.learn(1, a.localAddress());
        a.refresh();
        b.refresh();
        awaitIp();
        send(20, 8_000);
        // then
        take(20, 8_000);
    }

    @Test
    void shouldFollowAnAddressThatChanges() throws IOException {
        // given
        openByIp();
        // when
        TestNamespaces.ipIn(right, "link set n0 address 02:00:00:00:77:01");
        b.refresh();
        a.learn(2, b.localAddress());
        a.refresh();
        b.refresh();
        awaitIp();
        send(20, 8_000);
        // then
        assertEquals(0x0200_0000_7701L, b.localAddress());
        take(20, 8_000);
    }

    private static boolean isOn(final String namespace, final NicFeature feature)
            throws IOException {
        return NetworkNamespace.run(namespace, () -> feature.isOn("n0"));
    }

    private static void set(final String namespace, final NicFeature feature, final boolean value)
            throws IOException {
        NetworkNamespace.run(
                namespace,
                () -> {
                    final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
                    try {
                        feature.set(fd, "n0", value);
                        assertEquals(value, feature.isOn("n0"), feature.kernelName());
                        return null;
                    } finally {
                        Descriptors.close(fd);
                    }
                });
    }

    // Two lines each, names and values. Source: proc_pid_net(5).
    private static long counter(final String namespace, final String protocol, final String name)
            throws IOException {
        final String[] lines =
                NetworkNamespace.run(
                        namespace,
                        () ->
                                Files.readAllLines(Path.of("/proc/thread-self/net/snmp")).stream()
                                        .filter(line -> line.startsWith(protocol + ": "))
                                        .toArray(String[]::new));
        final String[] names = lines[0].split(" ", -1);
        final String[] values = lines[1].split(" ", -1);
        return Long.parseLong(values[Arrays.asList(names).indexOf(name)]);
    }
}
