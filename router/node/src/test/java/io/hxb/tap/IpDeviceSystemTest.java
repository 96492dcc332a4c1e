package io.hxb.tap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.PollSet;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.NicAddress;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicSpeed;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Virtual NICs of two nodes in namespaces of their own, joined by a thread as nodes join them. */
@Tag("system")
class IpDeviceSystemTest {
    private static final List<IpPrefix> BOTH =
            List.of(IpPrefix.parse("10.77.0.0/24"), IpPrefix.parse("fd68:7862::/64"));
    private static final int MTU = 65_000;
    private static final int PORT = 5_201;

    private TestNamespaces namespaces;
    private String first;
    private String second;

    @BeforeEach
    void makeNamespaces() {
        TestNamespaces.assumeRoot();
        Assumptions.assumeTrue(
                Files.exists(Path.of("/dev/net/tun")), "skipped: there is no /dev/net/tun");
        namespaces = new TestNamespaces();
        first = namespaces.add("ip0");
        second = namespaces.add("ip1");
    }

    @AfterEach
    void removeNamespaces() {
        if (namespaces != null) {
            namespaces.close();
        }
    }

    private static IpDevice.Settings settings(final int node) {
        return settings(node, BOTH);
    }

    private static IpDevice.Settings settings(final int node, final List<IpPrefix> prefixes) {
        return new IpDevice.Settings("hxb0", node, prefixes, MTU, TapDevice.MAX_FRAME_LENGTH);
    }

    private static NicInfo info(final String namespace) throws IOException {
        return NetworkNamespace.run(namespace, () -> NicInfo.read("hxb0"));
    }

    /** Carries packets between two devices as their nodes do; ends with the test. */
    private static final class Cable implements AutoCloseable {
        private final IpDevice[] devices;
        private final IpPlan[] plans = {new IpPlan(2, 0, BOTH), new IpPlan(2, 1, BOTH)};
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private volatile boolean isStopped;

        Cable(final IpDevice... devices) {
            this.devices = devices;
            Thread.ofPlatform().name("cable").start(this::run);
        }

        private void run() {
            try (Arena arena = Arena.ofConfined();
                    PollSet ready = new PollSet(2)) {
                final long packet = arena.allocate(TapDevice.MAX_FRAME_LENGTH, 8).address();
                ready.add(devices[0].descriptor());
                ready.add(devices[1].descriptor());
                while (!isStopped) {
                    if (carry(packet, 0) + carry(packet, 1) == 0) {
                        ready.await(1_000_000);
                    }
                }
                ended.complete(null);
            } catch (final Throwable t) {
                ended.completeExceptionally(t);
            }
        }

        private int carry(final long packet, final int node) {
            final int length = devices[node].read(packet, TapDevice.MAX_FRAME_LENGTH);
            if (length <= 0) {
                assertEquals(0, length);
                return 0;
            }
            final long frame = packet + VirtioHeader.LENGTH;
            final int frameBytes = length - VirtioHeader.LENGTH;
            final int destination = plans[node].destination(frame, frameBytes);
            if (destination == IpPlan.LOCAL_REPLY) {
                VirtioHeader.clear(packet);
                final int reply = VirtioHeader.LENGTH + plans[node].reply(frame);
                assertEquals(reply, devices[node].write(packet, reply));
            } else if (!IpPlan.isDrop(destination)) {
                assertTrue(plans[1 - node].isFrom(frame, frameBytes, node));
                assertEquals(length, devices[1 - node].write(packet, length));
            }
            return 1;
        }

        @Override
        public void close() {
            isStopped = true;
            ended.join();
            devices[0].close();
            devices[1].close();
        }
    }

    @Test
    void shouldHaveWhatItsNodeHas() throws IOException {
        // when
        try (IpDevice device = IpDevice.open(first, settings(1))) {
            final NicInfo info = info(first);
            // then
            assertTrue(info.isUp() && info.hasCarrier());
            assertEquals(MTU, info.mtuBytes());
            assertEquals(MTU, device.mtuBytes());
            assertEquals(IpPlan.mac(1), info.mac());
            assertTrue(has(first, info.ifindex(), BOTH.get(0).bytes(1), 24));
            assertTrue(has(first, info.ifindex(), BOTH.get(1).bytes(1), 64));
            final String routes = output("ip", "-n", first, "route");
            assertTrue(routes.contains("10.77.0.0/24 dev hxb0") && routes.contains("ecn"), routes);
            final String link = output("ip", "-n", first, "link", "show", "hxb0");
            assertTrue(link.contains("state UP"), link);
        }
        // then
        assertFalse(info(first).exists());
    }

    private static boolean has(
            final String namespace, final int ifindex, final byte[] address, final int lengthBits)
            throws IOException {
        return NetworkNamespace.run(
                namespace,
                () ->
                        NicAddress.all().stream()
                                .anyMatch(
                                        each ->
                                                each.ifindex() == ifindex
                                                        && each.lengthBits() == lengthBits
                                                        && java.util.Arrays.equals(
                                                                each.address(), address)));
    }

    private static String output(final String... command) throws IOException {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(
                process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.1", "fd68:7862::1"})
    void shouldCarryAConnection(final String server) throws Exception {
        // given
        final byte[] sent = new byte[8 << 20];
        new Random(1).nextBytes(sent);
        try (Cable cable =
                        new Cable(
                                IpDevice.open(first, settings(0)),
                                IpDevice.open(second, settings(1)));
                ServerSocket listening =
                        NetworkNamespace.run(
                                first,
                                () -> {
                                    final ServerSocket socket = new ServerSocket();
                                    socket.bind(new InetSocketAddress(server, PORT));
                                    return socket;
                                })) {
            final CompletableFuture<byte[]> received =
                    CompletableFuture.supplyAsync(() -> receive(listening));
            // when
            NetworkNamespace.run(
                    second,
                    () -> {
                        try (Socket socket = new Socket()) {
                            socket.connect(new InetSocketAddress(server, PORT), 10_000);
                            socket.getOutputStream().write(sent);
                        }
                        return null;
                    });
            // then
            assertArrayEquals(sent, received.get());
            assertFalse(cable.ended.isDone());
        }
    }

    private static byte[] receive(final ServerSocket listening) {
        try (Socket socket = listening.accept()) {
            return socket.getInputStream().readAllBytes();
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void shouldRefuseTheAddressOfAnotherNic() {
        // given
        namespaces.veth(first, "eth0", second, "eth0", 1500);
        TestNamespaces.ipIn(first, "address add 10.77.0.2/24 dev eth0");
        // when
        final IOException thrown =
                assertThrows(IOException.class, () -> IpDevice.open(first, settings(1)));
        // then
        assertEquals(
                "10.77.0.2, the address of node 1, is that of eth0 already: choose another"
                        + " ip.prefix, or remove it there",
                thrown.getMessage());
    }

    @Test
    void shouldRefuseTheNameOfAnotherNic() throws IOException {
        // given
        namespaces.veth(first, "hxb0", second, "eth0", 1500);
        // when
        final IOException thrown =
                assertThrows(IOException.class, () -> IpDevice.open(first, settings(1)));
        // then
        assertTrue(
                thrown.getMessage().startsWith("there is a NIC hxb0 already, and it is no TAP"),
                thrown.getMessage());
        assertTrue(info(first).exists());
    }

    @Test
    void shouldRefuseTheDeviceOfAnotherNode() throws IOException {
        // given
        try (IpDevice device = IpDevice.open(first, settings(0))) {
            // when
            final IOException thrown =
                    assertThrows(IOException.class, () -> IpDevice.open(first, settings(1)));
            // then
            assertTrue(
                    thrown.getMessage().contains("another process uses it"), thrown.getMessage());
            assertTrue(has(first, info(first).ifindex(), BOTH.get(0).bytes(0), 24));
            assertEquals("hxb0", device.name());
        }
    }

    @Test
    void shouldTakeADeviceOverThatWasMadeBeforehand() throws IOException {
        // given
        TestNamespaces.ipIn(
                first,
                "tuntap add dev hxb0 mode tap",
                "link set hxb0 mtu 65000 up",
                "address add 10.77.0.2/24 dev hxb0");
        final int ifindex = info(first).ifindex();
        // when
        try (IpDevice device = IpDevice.open(first, settings(1))) {
            // then
            assertEquals(ifindex, info(first).ifindex());
            assertEquals(IpPlan.mac(1), info(first).mac());
            assertTrue(has(first, ifindex, BOTH.get(1).bytes(1), 64));
            assertEquals("hxb0", device.name());
        }
        assertTrue(info(first).exists());
    }

    private static IpDevice.Settings routed(final int node) {
        return new IpDevice.Settings(
                "hxb0",
                node,
                BOTH,
                MTU,
                TapDevice.MAX_FRAME_LENGTH,
                List.of(IpRoute.parse("10.9.0.0/24 via 1"), IpRoute.parse("fd09::/64 via 1")));
    }

    @Test
    void shouldMakeRoutesByOtherNodesAndTheirEcn() throws IOException {
        try (IpDevice device = IpDevice.open(first, routed(0));
                IpDevice gateway = IpDevice.open(second, routed(1))) {
            // then
            final String ipv4 = output("ip", "-n", first, "route", "show", "10.9.0.0/24");
            assertTrue(ipv4.contains("via 10.77.0.2 dev hxb0"), ipv4);
            assertTrue(ipv4.contains("features ecn"), ipv4);
            final String ipv6 = output("ip", "-n", first, "-6", "route", "show", "fd09::/64");
            assertTrue(ipv6.contains("via fd68:7862::2 dev hxb0"), ipv6);
            assertEquals("", output("ip", "-n", second, "route", "show", "10.9.0.0/24").strip());
            assertEquals(device.name(), gateway.name());
        }
        assertEquals("", output("ip", "-n", first, "route", "show", "10.9.0.0/24").strip());
    }

    @Test
    void shouldKeepRoutesOfADeviceThatStays() throws IOException {
        // given
        TestNamespaces.ipIn(first, "tuntap add dev hxb0 mode tap");
        IpDevice.open(first, routed(0)).close();
        // when
        try (IpDevice device = IpDevice.open(first, routed(0))) {
            // then
            final String routes = output("ip", "-n", first, "route", "show", "10.9.0.0/24");
            assertTrue(routes.contains("via 10.77.0.2 dev hxb0"), routes);
            assertEquals("hxb0", device.name());
        }
    }

    @Test
    void shouldReportAnotherRouteToTheSameAddresses() {
        // given
        TestNamespaces.ipIn(
                first,
                "tuntap add dev other mode tap",
                "link set other up",
                "route add 10.9.0.0/24 dev other");
        // when
        final IOException thrown =
                assertThrows(IOException.class, () -> IpDevice.open(first, routed(0)).close());
        // then
        assertTrue(
                thrown.getMessage().contains("another route to 10.9.0.0/24"), thrown.getMessage());
    }

    @Test
    void shouldHaveIpv6WhereOtherNicsHaveNone() throws IOException {
        // given
        TestNamespaces.exec(first, "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1");
        // when
        try (IpDevice device = IpDevice.open(first, settings(1))) {
            // then
            assertTrue(has(first, info(first).ifindex(), BOTH.get(1).bytes(1), 64), device::name);
        }
    }

    @Test
    void shouldBoundSuperPacketsWhereMessagesAreShort() throws IOException {
        // given
        final IpDevice.Settings settings =
                new IpDevice.Settings("hxb0", 1, List.of(BOTH.get(0)), 8_000, 9_000);
        // when
        try (IpDevice device = IpDevice.open(first, settings)) {
            // then
            final String link = output("ip", "-d", "-n", first, "link", "show", "hxb0");
            assertTrue(link.contains("gso_max_size 8990"), link);
            assertEquals(8_000, device.mtuBytes());
        }
    }

    @Test
    void shouldClaimTheSpeedThatItIsGiven() throws IOException {
        try (IpDevice device = IpDevice.open(first, settings(1))) {
            // given
            assertEquals(10_000, claimedMegabits());
            // when
            NetworkNamespace.run(first, () -> claim(device, 0));
            assertEquals(10_000, claimedMegabits());
            NetworkNamespace.run(first, () -> claim(device, 2_500));
            // then
            assertEquals(2_500, claimedMegabits());
            assertTrue(info(first).hasCarrier());
        }
    }

    private int claimedMegabits() throws IOException {
        return NetworkNamespace.run(first, () -> NicSpeed.megabits("hxb0"));
    }

    private static Void claim(final IpDevice device, final int megabits) {
        device.claimSpeed(megabits);
        return null;
    }

    @Test
    void shouldKnowNoSpeedOfANicThatIsNotThere() throws IOException {
        assertEquals(0, claimedMegabits());
    }

    @Test
    void shouldReportThatItWasRemoved() throws IOException {
        try (Arena arena = Arena.ofConfined();
                IpDevice device = IpDevice.open(first, settings(1))) {
            // given
            TestNamespaces.ipIn(first, "link delete hxb0");
            // when
            final int read = device.read(arena.allocate(70_000).address(), 70_000);
            // then: EBADFD
            assertEquals(-77, read);
        }
    }
}
