package io.hxb.node.ip;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.linux.PollSet;
import io.hxb.os.NetworkNamespace;
import io.hxb.tap.IpDevice;
import io.hxb.tap.IpPlan;
import io.hxb.tap.IpPrefix;
import io.hxb.tap.TapDevice;
import io.hxb.tap.VirtioHeader;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Kernels take the packets that a super-packet was cut into. */
@Tag("system")
class PacketCutterSystemTest {
    private static final List<IpPrefix> BOTH =
            List.of(IpPrefix.parse("10.77.0.0/24"), IpPrefix.parse("fd68:7862::/64"));
    private static final int MTU = 1_500;
    private static final int PORT = 5_202;

    private final AtomicInteger cut = new AtomicInteger();
    private TestNamespaces namespaces;
    private String first;
    private String second;

    @BeforeEach
    void makeNamespaces() {
        TestNamespaces.assumeRoot();
        Assumptions.assumeTrue(
                Files.exists(Path.of("/dev/net/tun")), "skipped: there is no /dev/net/tun");
        namespaces = new TestNamespaces();
        first = namespaces.add("cut0");
        second = namespaces.add("cut1");
    }

    @AfterEach
    void removeNamespaces() {
        if (namespaces != null) {
            namespaces.close();
        }
    }

    private static IpDevice open(final String namespace, final int node) throws IOException {
        return IpDevice.open(
                namespace,
                new IpDevice.Settings("hxb0", node, BOTH, MTU, TapDevice.MAX_FRAME_LENGTH));
    }

    /** Carries packets between both devices, super-packets in pieces, until {@code end} is done. */
    private void carry(final IpDevice[] devices, final CompletableFuture<Void> end) {
        final IpPlan[] plans = {new IpPlan(2, 0, BOTH), new IpPlan(2, 1, BOTH)};
        try (Arena arena = Arena.ofConfined();
                PollSet ready = new PollSet(2)) {
            final long packet = arena.allocate(TapDevice.MAX_FRAME_LENGTH, 8).address();
            ready.add(devices[0].descriptor());
            ready.add(devices[1].descriptor());
            while (!end.isDone()) {
                for (int node = 0; node < 2; node++) {
                    final int length = devices[node].read(packet, TapDevice.MAX_FRAME_LENGTH);
                    if (length > 0) {
                        pass(devices, node, plans[node], packet, length);
                    }
                }
                ready.await(1_000_000);
            }
        }
    }

    private void pass(
            final IpDevice[] devices,
            final int node,
            final IpPlan plan,
            final long packet,
            final int length) {
        final long frame = packet + VirtioHeader.LENGTH;
        final int destination = plan.destination(frame, length - VirtioHeader.LENGTH);
        if (destination == IpPlan.LOCAL_REPLY) {
            VirtioHeader.clear(packet);
            devices[node].write(packet, VirtioHeader.LENGTH + plan.reply(frame));
        } else if (!IpPlan.isDrop(destination) && PacketCheck.accept(packet, length, MTU)) {
            if (VirtioHeader.segmentBytes(packet) == 0) {
                devices[1 - node].write(packet, length);
            } else {
                cut.incrementAndGet();
                assertTrue(PacketCutter.write(devices[1 - node], packet, length) > 1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.1", "fd68:7862::1"})
    void shouldCarryAConnection(final String server) throws Exception {
        // given
        final byte[] sent = new byte[4 << 20];
        new Random(1).nextBytes(sent);
        final CompletableFuture<Void> end = new CompletableFuture<>();
        try (IpDevice here = open(first, 0);
                IpDevice there = open(second, 1);
                ServerSocket listening =
                        NetworkNamespace.run(
                                first,
                                () -> {
                                    final ServerSocket socket = new ServerSocket();
                                    socket.bind(new InetSocketAddress(server, PORT));
                                    return socket;
                                })) {
            final CompletableFuture<Void> cable =
                    CompletableFuture.runAsync(
                            () -> carry(new IpDevice[] {here, there}, end),
                            task -> Thread.ofPlatform().name("cable").start(task));
            final CompletableFuture<byte[]> received =
                    CompletableFuture.supplyAsync(() -> receive(listening));
            // when
            NetworkNamespace.run(
                    second,
                    () -> {
                        try (Socket socket = new Socket()) {
                            socket.connect(new InetSocketAddress(server, PORT), 20_000);
                            socket.getOutputStream().write(sent);
                        }
                        return null;
                    });
            // then
            assertArrayEquals(sent, received.get(60, TimeUnit.SECONDS));
            assertTrue(cut.get() > 0, "no super-packet was sent");
            end.complete(null);
            cable.get(60, TimeUnit.SECONDS);
        } finally {
            end.complete(null);
        }
    }

    private static byte[] receive(final ServerSocket listening) {
        try (Socket socket = listening.accept()) {
            return socket.getInputStream().readAllBytes();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A super-packet of five datagrams from node 1 to a port of node 0. */
    private static int datagrams(final long packet, final byte[] payload) {
        final ByteBuffer bytes = ByteBuffer.allocate(52);
        bytes.putLong(0, 0).putShort(8, (short) 0);
        final int frame = VirtioHeader.LENGTH;
        bytes.putLong(frame, IpPlan.mac(0) << 16).putLong(frame + 6, IpPlan.mac(1) << 16);
        bytes.putShort(frame + 12, (short) PacketHeaders.IPV4);
        bytes.putShort(frame + 14, (short) 0x4500);
        bytes.putShort(frame + 22, (short) 0x4011);
        bytes.put(frame + 26, BOTH.get(0).bytes(1)).put(frame + 30, BOTH.get(0).bytes(0));
        bytes.putShort(frame + 34, (short) 4_000).putShort(frame + 36, (short) PORT);
        copy(bytes.array(), packet);
        VirtioHeader.writeUdp(packet, 42, 1_000);
        copy(payload, packet + frame + 42);
        return frame + 42 + payload.length;
    }

    private static void copy(final byte[] bytes, final long address) {
        for (int i = 0; i < bytes.length; i++) {
            Memory.putByte(address + i, bytes[i]);
        }
    }

    @Test
    void shouldCutDatagrams() throws Exception {
        // given
        final byte[] payload = new byte[4_321];
        new Random(2).nextBytes(payload);
        try (IpDevice device = open(first, 0);
                Arena arena = Arena.ofConfined();
                DatagramSocket socket =
                        NetworkNamespace.run(
                                first,
                                () ->
                                        new DatagramSocket(
                                                new InetSocketAddress("10.77.0.1", PORT)))) {
            final long packet = arena.allocate(TapDevice.MAX_FRAME_LENGTH, 8).address();
            final int length = datagrams(packet, payload);
            assertTrue(PacketCheck.accept(packet, length, MTU));
            // when
            assertEquals(5, PacketCutter.write(device, packet, length));
            // then
            socket.setSoTimeout(20_000);
            final ByteBuffer received = ByteBuffer.allocate(payload.length);
            final DatagramPacket datagram = new DatagramPacket(new byte[2_000], 2_000);
            for (int i = 0; i < 5; i++) {
                socket.receive(datagram);
                assertEquals(i < 4 ? 1_000 : 321, datagram.getLength());
                received.put(datagram.getData(), 0, datagram.getLength());
            }
            assertArrayEquals(payload, received.array());
        }
    }
}
