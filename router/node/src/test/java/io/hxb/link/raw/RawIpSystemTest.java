package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.OutgoingFrame;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Memory;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicFeature;
import io.hxb.routing.DimensionOrder;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestNics;

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
class RawIpSystemTest extends RawIpPair {
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
        TestNics.set(left, "n0", NicFeature.UDP_SEGMENTATION, false);
        TestNics.set(right, "n0", NicFeature.GRO, true);
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
        TestNics.set(right, "n0", feature, true);
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
        sender.offer(2, new OutgoingFrame().wrap(sparse, HEADER + 100, frames, 3));
        sender.offer(2, new OutgoingFrame().wrap(detour, HEADER + 8_000, frames, 4));
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
            assertTrue(
                    sender.offer(2, new OutgoingFrame().wrap(header, HEADER + frame, frames, i)));
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
        final int socket = TestNics.openStranger(left, "n0");
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
